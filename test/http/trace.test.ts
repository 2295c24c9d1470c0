/** One exec over HTTP as a trace: client, service, policy, question, creation and start, with an SDK of OpenTelemetry in memory. */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectCaisson } from '../../src/client/index.ts';
import { indexWebsites } from '../../src/network/websites.ts';
import { openSender } from '../../src/service/webhooks/send.ts';
import { receiver } from '../service/webhooks/receiver.ts';
import { openWorld, type World } from './world.ts';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
let world: World;

beforeAll(async () => {
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  world = await openWorld();
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  for (const api of [trace, context, propagation]) api.disable();
});

beforeEach(() => exporter.reset());

const nameOf = (spans: readonly ReadableSpan[], id: string | undefined): string | null =>
  spans.find((span) => span.spanContext().spanId === id)?.name ?? null;

/** `CHILD < PARENT` of each span of a trace. */
function linesOf(traceId: string): readonly string[] {
  const spans = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
  return spans.map((span) => `${span.name} < ${nameOf(spans, span.parentSpanContext?.spanId)}`);
}

const find = (name: string): ReadableSpan | undefined => exporter.getFinishedSpans().find((span) => span.name === name);

describe('with an SDK', () => {
  it('an exec of the client is one trace, through the service, the policy and the backend', async () => {
    await using caisson = connectCaisson({ url: world.url, token: world.agent });
    const traceId = await trace.getTracer('test').startActiveSpan('agent', async (span) => {
      const { exit } = await caisson.run({ task: 'traced', command: ['sh', '-c', 'exit 3'] });
      expect(exit.exitCode).toBe(3);
      span.end();
      return span.spanContext().traceId;
    });
    await expect.poll(() => linesOf(traceId)).toEqual(expect.arrayContaining(['agent < null']));
    await expect.poll(() => find('caisson.exec')).toBeDefined();
    expect(linesOf(traceId)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^caisson\.client POST < agent$/),
        expect.stringMatching(/^POST \/v1\/\S+ < caisson\.client POST$/),
        expect.stringMatching(/^caisson\.exec < POST \/v1\//),
        'caisson.policy < caisson.exec',
        'caisson.create < caisson.exec',
        'caisson.start < caisson.exec',
      ]),
    );
    expect(find('caisson.exec')?.attributes).toMatchObject({
      'caisson.task': 'traced',
      'caisson.backend': 'local',
      'caisson.exit.reason': 'exited',
      'process.exit.code': 3,
    });
    expect(JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes))).not.toContain('exit 3');
  });

  it('a traceparent of any caller is continued, and a question is a span until its answer', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const body = { taskId: 'asked', command: ['rm', '-rf', './nothing'] };
    const asked = world.ask('/v1/execs', { body, headers: { traceparent, accept: 'application/json' } });
    const waiting = (): ReturnType<typeof world.api.approvals.list> => world.api.approvals.list();
    await expect.poll(async () => (await waiting()).length).toBe(1);
    const [question] = await waiting();
    await world.ask(`/v1/approvals/${question?.id}`, { token: world.person, body: { choice: 'once' } });
    expect((await asked).status).toBe(200);
    await expect.poll(() => find('caisson.exec')).toBeDefined();
    const lines = linesOf('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(lines).toEqual(
      expect.arrayContaining(['caisson.question < caisson.policy', 'caisson.policy < caisson.exec']),
    );
    expect(find('POST /v1/execs')?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
    expect(find('caisson.question')?.attributes['caisson.question.id']).toBe(question?.id);
  });

  it('what fails has the code of its error, and no message', async () => {
    const body = { taskId: 'denied', command: ['rm', '-rf', '/'] };
    expect((await world.ask('/v1/execs', { body })).status).toBe(403);
    expect(find('caisson.policy')).toMatchObject({
      attributes: { 'error.type': 'policy_denied' },
      status: { code: 2 },
    });
    expect(find('caisson.policy')?.status.message).toBeUndefined();
    expect(find('caisson.policy')?.events).toEqual([]);
  });

  it('a call of a tool continues the trace of its host, which is in _meta', async () => {
    const _meta = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'run_command', arguments: { task: 'tool', command: 'true' }, _meta };
    const headers = {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'run_command',
    };
    const response = await world.ask('/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers,
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('exit_code')]);
    expect(find('caisson.mcp run_command')?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(linesOf('0af7651916cd43dd8448eb211c80319c')).toContain('caisson.policy < caisson.exec');
  });

  it('a webhook is delivered with a traceparent of its own span', async () => {
    await using server = await receiver((response) => response.end());
    const sender = openSender([server.url], {
      allowPrivate: [],
      nat64Prefix: null,
      env: {},
      websites: indexWebsites([]),
    });
    const sent = await sender.send(server.url, { body: '{}', headers: {} }, new AbortController().signal);
    await sender.close();
    expect(sent).toEqual({ is: 'arrived' });
    const { traceId, spanId } = find('caisson.webhook')?.spanContext() ?? {};
    expect(server.received[0]?.headers['traceparent']).toBe(`00-${traceId}-${spanId}-01`);
  });
});

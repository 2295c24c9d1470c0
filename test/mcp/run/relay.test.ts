import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CaissonError } from '../../../src/errors.ts';
import { MessageWriter } from '../../../src/lib/message-lines.ts';
import { Relay, type RelayInput } from '../../../src/mcp/run/relay.ts';
import { snippetOf } from '../../../src/mcp/run/snippet.ts';

function made(admit: RelayInput['admit'] = async () => {}) {
  const [host, server] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  const relay = new Relay({
    toHost: new MessageWriter(host),
    toServer: new MessageWriter(server),
    admit,
    redact: (text) => text.replaceAll('secret', '[REDACTED]'),
    say: (text) => said.push(text),
  });
  const read = (stream: PassThrough): readonly string[] =>
    String(stream.read() ?? '')
      .split('\n')
      .filter(Boolean);
  return { relay, said, host: () => read(host), server: () => read(server) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const call = (name: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { a: 1 } } });

describe('messages of a host', () => {
  it('pass as they are, but for calls that rules refuse', async () => {
    const { relay, host, server } = made(async ({ tool }) => {
      if (tool === 'bad')
        throw new CaissonError('policy_denied', 'mcp of x:bad is refused', { remedy: 'do something else' });
    });
    await relay.fromHost('{"jsonrpc":"2.0","id":0,"method":"tools/list"}');
    for (const name of ['good', 'bad', 7]) await relay.fromHost(call(name, String(name)));
    await settled();
    expect(server().map((line) => JSON.parse(line))).toMatchObject([{ method: 'tools/list' }, { id: 'good' }]);
    expect(host().map((line) => JSON.parse(line))).toMatchObject([
      { id: 'bad', result: { isError: true, content: [{ text: 'mcp of x:bad is refused (do something else)' }] } },
      { id: '7', result: { isError: true } },
    ]);
  });

  it('carry no call past the rules: in a list, without an id, or by a key that stands there twice', async () => {
    const asked: string[] = [];
    const { relay, host, server } = made(async ({ tool }) => void asked.push(tool));
    await relay.fromHost(`[${call('listed')}]`);
    await relay.fromHost('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"silent"}}');
    await relay.fromHost(
      '{"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/call","params":{"name":"a","name":"twice"}}',
    );
    await relay.fromHost('no message');
    await settled();
    expect(asked).toEqual(['twice']);
    expect(server()).toEqual(['{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"twice"}}']);
    expect(host().map((line) => JSON.parse(line))).toMatchObject([
      { id: null, error: { code: -32_600 } },
      { id: null, error: {} },
    ]);
  });

  it('take a call back that waits for an answer: it never passes', async () => {
    let release = (): void => undefined;
    const { relay, host, server } = made(() => new Promise((resolve) => (release = resolve)));
    await relay.fromHost(call('slow', 5));
    await relay.fromHost('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}');
    release();
    await settled();
    expect([host(), server()]).toEqual([[], []]);
  });

  it('wait under an id once: a second call there would hide the first from its cancellation, and from the bound', async () => {
    const releases: (() => void)[] = [];
    const { relay, host, server } = made(() => new Promise((resolve) => releases.push(resolve)));
    for (const name of ['first', 'second']) await relay.fromHost(call(name, 5));
    expect(host().map((line) => JSON.parse(line))).toMatchObject([{ id: 5, result: { isError: true } }]);
    await relay.fromHost('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}');
    for (const release of releases) release();
    await settled();
    expect([releases.length, server()]).toEqual([1, []]);
  });
});

describe('messages of a server', () => {
  it('are as it wrote them, but for those that tell of a failure', async () => {
    const { relay, said, host } = made();
    const fine = '{"id":1, "result":{"content":[{"text":"a secret"}]}}';
    await relay.fromServer(fine);
    await relay.fromServer(
      '{"id":2,"result":{"isError":true,"content":[{"text":"a secret"}],"structuredContent":{"secret":["secret"]}}}',
    );
    await relay.fromServer('{"id":3,"error":{"code":1,"message":"secret","data":{"deep":["secret"]}}}');
    await relay.fromServer('started on stdio');
    expect(host()).toEqual([
      fine,
      '{"id":2,"result":{"isError":true,"content":[{"text":"a [REDACTED]"}],"structuredContent":{"[REDACTED]":["[REDACTED]"]}}}',
      '{"id":3,"error":{"code":1,"message":"[REDACTED]","data":{"deep":["[REDACTED]"]}}}',
    ]);
    expect(said).toEqual(['a line of the server that is no message was left out']);
  });
});

it('a snippet starts each server with this Caisson, on its home', () => {
  const how = { caisson: ['/bin/node', '/opt/caisson'], home: '/home/u/.caisson' } as const;
  const env = { CAISSON_HOME: '/home/u/.caisson' };
  expect(snippetOf([{ name: 'a' }, { name: 'b', task: 't' }], how)).toEqual({
    mcpServers: {
      a: { command: '/bin/node', args: ['/opt/caisson', 'mcp', 'run', 'a'], env },
      b: { command: '/bin/node', args: ['/opt/caisson', 'mcp', 'run', 'b', '--task', 't'], env },
    },
  });
});

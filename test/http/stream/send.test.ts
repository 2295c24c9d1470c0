/** How the first event of a stream reaches a client. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StreamEvent } from '../../../src/http/stream/framing.ts';
import { sendEvents } from '../../../src/http/stream/send.ts';

/** How often the head went alone, and what came. */
async function served(
  events: () => AsyncIterable<StreamEvent>,
): Promise<{ readonly alone: number; readonly text: string }> {
  let alone = 0;
  const server = createServer((_request, response) => {
    const flush = response.flushHeaders.bind(response);
    response.flushHeaders = () => {
      alone += 1;
      flush();
    };
    const how = { framing: 'ndjson', headers: {}, heartbeatMs: 60_000, signal: new AbortController().signal } as const;
    void sendEvents(response, events(), how);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port }: AddressInfo = Object(server.address());
  const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  return { alone, text };
}

describe('the head of a stream', () => {
  it('goes with an event that comes at once', async () => {
    const sent = await served(async function* () {
      yield { type: 'started' };
      await sleep(20);
      yield { type: 'exit' };
    });
    expect(sent).toEqual({ alone: 0, text: '{"type":"started"}\n{"type":"exit"}\n' });
  });

  it('goes alone when the first event takes its time', async () => {
    const sent = await served(async function* () {
      await sleep(20);
      yield { type: 'exit' };
    });
    expect(sent).toEqual({ alone: 1, text: '{"type":"exit"}\n' });
  });
});

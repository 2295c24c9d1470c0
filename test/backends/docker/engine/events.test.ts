import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { Events, type EngineEvent } from '../../../../backends/docker/engine/events.ts';
import type { Request } from '../../../../backends/docker/engine/rest.ts';

/** An engine's end of the event stream: every subscription is kept, the next ones can be refused. */
class Source {
  readonly requests: Request[] = [];
  readonly streams: PassThrough[] = [];
  refusals = 0;

  readonly open = async (request: Request): Promise<PassThrough> => {
    if (this.refusals > 0) {
      this.refusals -= 1;
      throw new Error('refused');
    }
    this.requests.push(request);
    const stream = new PassThrough();
    this.streams.push(stream);
    return stream;
  };

  send(entry: unknown): void {
    this.streams.at(-1)?.write(`${JSON.stringify(entry)}\n`);
  }
}

const entryOf = (Action: string, Attributes: Record<string, string> = {}, container = 'c1') => ({
  Action,
  Actor: { ID: container, Attributes },
  timeNano: Number('1700000000123456789'),
});
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function start() {
  const source = new Source();
  const events = new Events(source.open, 'instance');
  const heard: EngineEvent[] = [];
  const unwatch = events.watch('c1', (event) => heard.push(event));
  closers.push(() => events.close());
  return { source, events, heard, unwatch };
}

const until = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; !condition() && tries < 300; tries += 1) await sleep(10);
  expect(condition()).toBe(true);
};

describe('the event stream', () => {
  test('is opened once, for containers of the instance only', async () => {
    const { source, events } = start();
    await Promise.all([events.ready(), events.ready()]);
    expect(source.requests).toHaveLength(1);
    expect(JSON.parse(String(source.requests[0]?.query?.['filters']))).toEqual({
      type: ['container'],
      label: ['caisson.instance=instance'],
      event: ['exec_die', 'die', 'oom', 'destroy'],
    });
  });

  test('tells watchers of a container what happens to it', async () => {
    const { source, events, heard } = start();
    await events.ready();
    source.send(entryOf('exec_die', { execID: 'e1', exitCode: '7' }));
    source.send(entryOf('die', { exitCode: '137' }, 'c2'));
    source.send(entryOf('oom'));
    await until(() => heard.length === 2);
    expect(heard).toEqual([{ type: 'exec_die', execId: 'e1', exitCode: 7 }, { type: 'oom' }]);
  });

  test('tells nothing after the watch has ended', async () => {
    const { source, events, heard, unwatch } = start();
    await events.ready();
    unwatch();
    source.send(entryOf('oom'));
    await sleep(30);
    expect(heard).toEqual([]);
  });

  test.each(['-1', '256', '1e2', '', 'abc', '0x1', '99999999999'])('invents no exit code from %j', async (exitCode) => {
    const { source, events, heard } = start();
    await events.ready();
    source.send(entryOf('exec_die', { execID: 'e1', exitCode }));
    await until(() => heard.length === 1);
    expect(heard).toEqual([{ type: 'exec_die', execId: 'e1', exitCode: null }]);
  });

  test('survives what is no event', async () => {
    const { source, events, heard } = start();
    await events.ready();
    source.streams[0]?.write('no json\n[1]\nnull\n{"Action":7}\n\n{"Action":"oom","Actor":"x"}\n');
    source.send(entryOf('oom'));
    await until(() => heard.length === 1);
  });

  test('takes events that come in pieces', async () => {
    const { source, events, heard } = start();
    await events.ready();
    for (const byte of Buffer.from(`${JSON.stringify(entryOf('oom'))}\n`))
      source.streams[0]?.write(Buffer.from([byte]));
    await until(() => heard.length === 1);
  });

  test('comes back by itself, from where it broke off, and says so', async () => {
    const { source, events, heard } = start();
    await events.ready();
    source.send(entryOf('oom'));
    await until(() => heard.length === 1);
    source.refusals = 2;
    source.streams[0]?.destroy();
    await until(() => heard.length === 2);
    expect(heard[1]).toEqual({ type: 'reconnected' });
    expect(String(source.requests[1]?.query?.['since'])).toMatch(/^1700000000\.1234/);
    source.send(entryOf('oom'));
    await until(() => heard.length === 3);
  });

  test('is opened anew when a line has no end', async () => {
    const { source, events, heard } = start();
    await events.ready();
    source.streams[0]?.write(Buffer.alloc(3 * 1024 * 1024, 'x'));
    await until(() => heard.some(({ type }) => type === 'reconnected'));
  });

  test('tells all watchers when it is closed', async () => {
    const { events, heard } = start();
    await events.ready();
    events.close();
    expect(heard).toEqual([{ type: 'lost' }]);
  });

  test('fails the first caller that needs it when it cannot be opened, and tries again for the next', async () => {
    const { source, events } = start();
    source.refusals = 1;
    await expect(events.ready()).rejects.toThrow('refused');
    await expect(events.ready()).resolves.toBeUndefined();
  });
});

/** A client whose connections are cut at random bytes: every byte once, no command twice. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCaisson, type CaissonClient } from '../../src/client/index.ts';
import { cuttingProxy, type CuttingProxy } from '../fixtures/cutting-proxy.ts';
import { openClientWorld, textOf, type ClientWorld } from './world.ts';

let at: ClientWorld;
let proxy: CuttingProxy;
let client: CaissonClient;
/** Bytes after which the next connection is cut. */
let maxBytes = 0;

beforeAll(async () => {
  at = await openClientWorld({ config: 'approvals: {mode: "off"}', heartbeatMs: 100 });
  await at.client.sandboxes.create({ taskId: 'cut' });
  proxy = await cuttingProxy(at.world.port, () => (maxBytes === 0 ? null : Math.floor(Math.random() * maxBytes)));
  const url = `http://127.0.0.1:${proxy.port}`;
  client = connectCaisson({ url, token: at.world.agent, resumeMs: 30_000 });
});
afterAll(async () => {
  await client.close();
  await proxy[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

const count = 10;
const ran = (name: string): string => join(at.world.root, name);
/** Says in a file that it ran, and writes numbers to both streams. */
const command = (name: string) =>
  [
    'sh',
    '-c',
    `echo x >> ${ran(name)}; for i in $(seq 1 40); do echo "${name} $i ä"; echo "err $i" >&2; sleep 0.005; done; exit 7`,
  ] as const;
const written = (name: string): string => Array.from({ length: 40 }, (_, at) => `${name} ${at + 1} ä\n`).join('');
const errors = Array.from({ length: 40 }, (_, at) => `err ${at + 1}\n`).join('');
const times = (name: string): string => readFileSync(ran(name), 'utf8');

describe('connections that are cut at random bytes', () => {
  it('give every byte of an exec once, its true exit, and no second run', { timeout: 120_000 }, async () => {
    maxBytes = 6000;
    const before = proxy.cuts();
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const name = `stream${index}`;
        const running = await client.exec({ taskId: 'cut', command: command(name) });
        const [out, err, exit] = await Promise.all([textOf(running.stdout), textOf(running.stderr), running.exit]);
        expect([name, out, err, exit.reason, exit.exitCode]).toEqual([name, written(name), errors, 'exited', 7]);
        expect([name, times(name)]).toEqual([name, 'x\n']);
      }),
    );
    expect(proxy.cuts() - before).toBeGreaterThan(0);
  });

  it('give the result of a run, and no second run', { timeout: 120_000 }, async () => {
    maxBytes = 2500;
    const before = proxy.cuts();
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const name = `run${index}`;
        const { stdout, stderr, exit } = await client.run({ taskId: 'cut', command: command(name) });
        expect([name, stdout.text, stderr.text, exit.exitCode]).toEqual([name, written(name), errors, 7]);
        expect([name, times(name)]).toEqual([name, 'x\n']);
      }),
    );
    expect(proxy.cuts() - before).toBeGreaterThan(0);
  });

  it('start a process once, and read its output to the end', { timeout: 120_000 }, async () => {
    maxBytes = 1500;
    const request = { taskId: 'cut', execId: 'exec_once', command: command('process') };
    await client.processes.start(request);
    const events = await Array.fromAsync(client.execs.logs('exec_once', { follow: true }));
    const texts = events.flatMap(({ event }) => (event.type === 'stdout' ? [Buffer.from(event.bytes)] : []));
    expect([Buffer.concat(texts).toString(), times('process')]).toEqual([written('process'), 'x\n']);
  });

  it('follow events of the service, each once', { timeout: 120_000 }, async () => {
    maxBytes = 0;
    const all = await Array.fromAsync(client.events.follow());
    maxBytes = 4000;
    const seen: number[] = [];
    for await (const { seq } of client.events.follow({ follow: true })) if (seen.push(seq) === all.length) break;
    expect(seen).toEqual(all.map(({ seq }) => seq));
  });

  it('read a small file whole', { timeout: 120_000 }, async () => {
    maxBytes = 0;
    await client.files.write({ task: 'cut', path: ran('file'), bytes: 'x'.repeat(5000) });
    maxBytes = 9000;
    for (let time = 0; time < 10; time++)
      expect((await client.files.read({ task: 'cut', path: ran('file') })).bytes.length).toBe(5000);
  });
});

describe('a service that does not come back', () => {
  it('is an error within its time, and the exit of what ran is lost with the reason', async () => {
    maxBytes = 0;
    const proxied = await cuttingProxy(at.world.port, () => null);
    const url = `http://127.0.0.1:${proxied.port}`;
    await using short = connectCaisson({ url, token: at.world.agent, resumeMs: 500 });
    const running = await short.exec({
      taskId: 'cut',
      execId: 'exec_alone',
      command: ['sh', '-c', 'sleep 3; echo end'],
    });
    await proxied[Symbol.asyncDispose]();
    const exit = await running.exit;
    expect([exit.reason, exit.notes[0]]).toEqual(['lost', expect.stringContaining('cannot be followed')]);
    expect(await textOf(running.stdout)).toBe('');
    await expect(short.execs.get('exec_alone')).rejects.toMatchObject({ code: 'unavailable' });
    // The command went on.
    const later = await at.client.run({
      taskId: 'cut',
      execId: 'exec_alone',
      command: ['sh', '-c', 'sleep 3; echo end'],
    });
    expect(later.stdout.text).toBe('end\n');
  });

  it('ends the input of a command, whose caller gets to know', async () => {
    const proxied = await cuttingProxy(at.world.port, () => null);
    const url = `http://127.0.0.1:${proxied.port}`;
    await using short = connectCaisson({ url, token: at.world.agent, resumeMs: 500 });
    const running = await short.exec({ taskId: 'cut', execId: 'exec_input', command: ['cat'], stdin: true });
    await running.stdin?.write('one');
    await proxied[Symbol.asyncDispose]();
    await expect.poll(async () => await running.stdin?.write('two').catch(({ code }) => code)).toBe('unavailable');
    await at.client.execs.cancel('exec_input');
  });
});

describe('a service that is started anew', () => {
  const request = { taskId: 'anew', command: ['sh', '-c', 'echo one; sleep 60'] } as const;
  const anew = async (between: (home: string) => void) => {
    await using first = await openClientWorld({ config: 'approvals: {mode: "off"}' });
    const { home } = first.world.api.config;
    const running = await first.client.exec(request);
    const parts = running.stdout[Symbol.asyncIterator]();
    expect(Buffer.from((await parts.next()).value ?? []).toString()).toBe('one\n');
    await first.world.stop();
    between(home);
    await using second = await openClientWorld({ home, settings: { port: first.world.port } });
    expect(second.world.port).toBe(first.world.port);
    return await running.exit;
  };

  it('has the exec ended by its stop, and its client reads on from where it was', async () => {
    expect(await anew(() => undefined)).toMatchObject({ reason: 'canceled', notes: ['killed: it was canceled'] });
  });

  it('and has lost the record says so, in an exit without anything made up', async () => {
    const exit = await anew((home) => rmSync(join(home, 'journal'), { recursive: true }));
    expect(exit).toMatchObject({ reason: 'lost', exitCode: null });
    expect(exit.notes).toEqual([expect.stringContaining('its record is gone')]);
  });
});

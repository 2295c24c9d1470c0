/** Ends, streams and signals of commands on a real engine, above all where the engine itself misleads. */
import { createServer, connect, type Server, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Process, Sandbox } from '../../../../src/backend.ts';
import { dockerHost } from '../../../engines/docker.ts';
import { Place, run, sh, textOf } from '../place.ts';

const host = dockerHost();

const start = (sandbox: Sandbox, script: string, stdin = false): Promise<Process> =>
  sandbox.exec(['sh', '-c', script], { cwd: '/', env: {}, stdin });

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const started = performance.now();
  const value = await work;
  return { value, ms: performance.now() - started };
}

describe.skipIf(host === null)('a command in a container', () => {
  const place = new Place(host ?? 'unix:///nowhere');
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await place.create();
  });
  afterAll(() => place.close());

  test('that cannot be started writes nothing, and its directory never reaches the engine', async () => {
    const missing = await run(sandbox, ['no-such-program']);
    expect(missing).toMatchObject({ stdout: '', stderr: '', exitCode: 127, notStarted: 'not-found' });
    await expect(run(sandbox, ['true'], { cwd: '/nowhere' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await sh(sandbox, 'ln -s /proc/self/fd/7 /tmp/link');
    await expect(run(sandbox, ['true'], { cwd: '/tmp/link' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('that prints a line with CR LF at once keeps it on stdout', async () => {
    expect(await sh(sandbox, 'printf "line\\r\\n"; sleep 0.3')).toMatchObject({
      exitCode: 0,
      stdout: 'line\r\n',
      stderr: '',
    });
  });

  test('that leaves a child with its streams has ended when it has ended (RL-11)', async () => {
    const own = await place.create();
    const left = await start(own, 'sleep 20 & echo done; exit 3');
    left.stdout.resume();
    const { value, ms } = await timed(left.wait());
    expect(value).toEqual({ exitCode: 3, signal: null, outOfMemory: false });
    // The engine's own event comes after two seconds.
    expect(ms).toBeLessThan(1900);
    left.release();
  });

  test('whose output has no reader does not hold up the ends of others once it is dead', async () => {
    const own = await place.create();
    const flood = await start(own, 'exec yes');
    await sleep(300);
    await flood.kill('SIGKILL');
    expect((await timed(flood.wait())).ms).toBeLessThan(10_000);
    const { value, ms } = await timed(run(own, ['echo', 'next']));
    expect(value.stdout).toBe('next\n');
    expect(ms).toBeLessThan(20_000);
    flood.release();
  });

  test('that is released while it prints still tells how it ended', async () => {
    const released = await start(
      sandbox,
      'i=0; while [ $i -lt 20 ]; do echo line; sleep 0.02; i=$((i + 1)); done; exit 9',
    );
    released.release();
    expect(await released.wait()).toMatchObject({ exitCode: 9 });
  });

  test('is signalled alone: neither its children nor a command whose id only begins alike', async () => {
    const mark = `exec_${place.instance}`;
    const one = await sandbox.exec(['sh', '-c', 'trap "echo caught; exit 4" TERM; sleep 30 & wait'], {
      cwd: '/',
      env: { CAISSON_EXEC: mark },
      stdin: false,
    });
    const other = await sandbox.exec(['sleep', '30'], { cwd: '/', env: { CAISSON_EXEC: `${mark}9` }, stdin: false });
    await sleep(300);
    await one.kill('SIGTERM');
    expect(await one.wait()).toMatchObject({ exitCode: 4 });
    expect((await sh(sandbox, `grep -l "CAISSON_EXEC=${mark}" /proc/[0-9]*/environ | wc -l`)).stdout).toBe('2\n');
    await other.kill('SIGKILL');
    expect(await other.wait()).toMatchObject({ exitCode: 137 });
    one.release();
    other.release();
    await sh(
      sandbox,
      'kill -9 $(grep -l CAISSON_EXEC /proc/[0-9]*/environ | sed "s|/proc/||; s|/environ||") 2>/dev/null; true',
    );
  });

  test('may be signalled when it is over, and not by a word that is no signal', async () => {
    const over = await start(sandbox, 'true');
    await over.wait();
    await expect(over.kill('SIGTERM')).resolves.toBeUndefined();
    await expect(over.kill('TERM; rm -rf /')).rejects.toMatchObject({ code: 'invalid_argument' });
    over.release();
  });

  test('on a terminal has its size from the start, and may be resized (OH-15)', async () => {
    const pty = await sandbox.pty?.exec(['sh', '-c', 'sleep 0.3; stty size; read line; stty size; echo "$line"'], {
      cwd: '/',
      env: { TERM: 'xterm' },
      columns: 100,
      rows: 30,
    });
    if (!pty) throw new Error('no pty');
    await sleep(700);
    await pty.resize(120, 40);
    // ctrl-p is the start of the engine's usual detach keys.
    pty.stdin?.write('a\x10b\n');
    const text = await textOf(pty.stdout);
    expect(text).toMatch(/30 100[^]*40 120[^]*a.?b/);
    expect(await textOf(pty.stderr)).toBe('');
    expect(await pty.wait()).toMatchObject({ exitCode: 0 });
  });
});

/** A way to the engine that can be cut. */
class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #directory = mkdtempSync(join(tmpdir(), 'caisson-wire-'));
  refuses = false;

  constructor(target: string) {
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      if (this.refuses) {
        near.destroy();
        return;
      }
      const far = connect({ path: target, allowHalfOpen: true });
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    });
  }

  get host(): string {
    return `unix://${join(this.#directory, 'engine.sock')}`;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.host.slice('unix://'.length), resolve));
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.cut();
    this.#server.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

describe.skipIf(host === null)('a connection to the engine that breaks', () => {
  const wire = new Wire((host ?? '').slice('unix://'.length));
  const place = new Place(wire.host);
  let sandbox: Sandbox;

  beforeAll(async () => {
    await wire.open();
    sandbox = await place.create();
  });
  afterAll(async () => {
    await place.close();
    wire.close();
  });

  test('leaves a silent command its true end, which is reported when the way is back', async () => {
    const silent = await start(sandbox, 'sleep 2; exit 6');
    await sleep(300);
    wire.cut();
    silent.stdout.resume();
    expect(await silent.wait()).toEqual({ exitCode: 6, signal: null, outOfMemory: false });
  });

  test('tells the end of a command that ended meanwhile', async () => {
    const short = await start(sandbox, 'sleep 0.5; exit 7');
    await sleep(200);
    wire.refuses = true;
    wire.cut();
    await sleep(800);
    wire.refuses = false;
    expect(await short.wait()).toMatchObject({ exitCode: 7 });
  });

  test('makes up no end of a command that printed when it broke: the engine may have forgotten it', async () => {
    const loud = await start(sandbox, 'while :; do echo x; sleep 0.05; [ -e /tmp/stop ] && exit 9; done');
    await sleep(300);
    wire.cut();
    await sleep(300);
    await sh(sandbox, 'touch /tmp/stop');
    const end: unknown = await loud.wait().catch((error: unknown) => error);
    expect([
      { exitCode: 9, signal: null, outOfMemory: false },
      expect.objectContaining({ code: 'unavailable' }),
    ]).toContainEqual(end);
  });

  test('lets the next commands run', async () => {
    wire.cut();
    expect(await run(sandbox, ['echo', 'back'])).toMatchObject({ exitCode: 0, stdout: 'back\n' });
  });

  test('is unavailable, with a remedy, while there is no way', async () => {
    wire.refuses = true;
    wire.cut();
    await expect(run(sandbox, ['true'])).rejects.toMatchObject({
      code: 'unavailable',
      remedy: expect.stringContaining('engine.sock'),
    });
    wire.refuses = false;
  });
});

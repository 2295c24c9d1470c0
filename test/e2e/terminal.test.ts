/** Verbs on a real terminal: what Ctrl-C does, and that the terminal is as it was afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Home, cli, makeHome } from './home.ts';

const launcher = join(dirname(cli), 'caisson');
const timeout = 60_000;
const poll = { timeout: 15_000, interval: 100 };

type Way = 'embedded' | 'through a service';

/** Makes a home, with `caisson serve` on it or without. */
async function makeHomeOf(way: Way): Promise<Home> {
  const home = await makeHome();
  if (way === 'embedded') return home;
  const child = spawn(launcher, ['serve', '--port', '0'], { env: home.env, stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    ...home,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exit;
      await home[Symbol.asyncDispose]();
    },
  };
}

interface OnTerminal {
  type(text: string): void;
  /** Resolves when the terminal shows the text. */
  shows(text: string): Promise<void>;
  /** The settings of the terminal while the verb runs, as `stty -a` shows them. */
  settings(): Promise<string>;
  /** Changes the size of the terminal, like a window that gets another size. */
  resize(columns: number, rows: number): Promise<void>;
  /** Exit code of the verb, how long it took, and whether the terminal has the settings it had before. */
  readonly ended: Promise<{ readonly code: number; readonly tookMs: number; readonly asBefore: boolean }>;
}

/** `script` gives a terminal of its own to a shell, which notes its settings before and after the verb. */
async function onTerminal(home: Home, args: readonly string[]): Promise<OnTerminal> {
  const at = join(home.path, `terminal-${Math.random().toString(36).slice(2)}`);
  await mkdir(at);
  const driver = join(at, 'driver.sh');
  await writeFile(
    driver,
    'trap : INT\ntty >"$1/tty"\nstty -g >"$1/before"\nat=$1\nshift\n"$@"\necho "$?" >"$at/code"\nstty -g >"$at/after"\n',
  );
  const words = ['/bin/sh', driver, at, launcher, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  const child = spawn('script', ['-qfec', words.join(' '), '/dev/null'], {
    env: { ...home.env, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined); // the verb may have ended
  const began = performance.now();
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const text = async (name: string): Promise<string> => (await readFile(join(at, name), 'utf8')).trim();
  return {
    type: (typed) => child.stdin.write(typed),
    shows: async (wanted) => {
      for (const until = Date.now() + 20_000; !shown.includes(wanted); await sleep(20))
        if (Date.now() > until) throw new Error(`the terminal does not show ${wanted}, but: ${shown}`);
    },
    resize: async (columns, rows) => {
      const size = ['cols', String(columns), 'rows', String(rows)];
      await once(spawn('stty', ['-F', await text('tty'), ...size], { stdio: 'inherit' }), 'close');
    },
    settings: async () => {
      await using terminal = await open(await text('tty'), 'r');
      const stty = spawn('stty', ['-a'], { stdio: [terminal.fd, 'pipe', 'inherit'] });
      let reported = '';
      stty.stdout?.on('data', (chunk: Buffer) => (reported += chunk.toString()));
      await once(stty, 'close');
      return reported;
    },
    ended: once(child, 'exit').then(async () => ({
      code: Number(await text('code')),
      tookMs: performance.now() - began,
      asBefore: (await text('before')) === (await text('after')),
    })),
  };
}

describe.each(['embedded', 'through a service'] as const)('%s', (way) => {
  describe('a plain command on a terminal', () => {
    it.each([
      ['exec', ['exec', 't', '--', 'sh', '-c', 'echo begun; sleep 50']],
      ['exec -i', ['exec', '-i', 't', '--', 'sh', '-c', 'echo begun; sleep 50']],
      ['run', ['run', '--', 'sh', '-c', 'echo begun; sleep 50']],
      ['run of a task', ['run', '--task', 't', '--', 'sh', '-c', 'echo begun; sleep 50']],
      ['session run', ['session', 'run', 't', 'dev', '--', 'echo be""gun; sleep 50']],
    ])('ends by Ctrl-C: %s', { timeout }, async (_name, args) => {
      await using home = await makeHomeOf(way);
      await home.cli(['create', 't']);
      if (args[0] === 'session') await home.cli(['session', 'open', 't', 'dev']);
      const terminal = await onTerminal(home, args);
      await terminal.shows('begun');
      expect(await terminal.settings()).toMatch(/(?<![-\w])isig (.|\n)*(?<![-\w])icanon (.|\n)*(?<![-\w])echo /);
      terminal.type('\u0003');
      const { code, tookMs, asBefore } = await terminal.ended;
      expect({ code, asBefore }).toEqual({ code: 130, asBefore: true });
      expect(tookMs).toBeLessThan(30_000);
      expect((await home.cli(['exec', 't', '--', 'sh', '-c', 'ps | grep -c "[s]leep 50"'])).stdout).toBe('0\n');
      await home.cli(['rm', 't']);
    });

    it('leaves the terminal as it was when its command is killed', { timeout }, async () => {
      await using home = await makeHomeOf(way);
      await home.cli(['create', 't']);
      const terminal = await onTerminal(home, ['exec', 't', '--', 'sh', '-c', 'echo begun; kill -9 $$']);
      expect(await terminal.ended).toMatchObject({ code: 137, asBefore: true });
      await home.cli(['rm', 't']);
    });
  });

  describe('a command that asks for a terminal', () => {
    it.each([
      ['exec -it', ['exec', '-it', 't', '--', 'sh']],
      ['exec -ti', ['exec', '-ti', 't', '--', 'sh']],
      ['run -it', ['run', '-it', '--task', 't', '--', 'sh']],
      ['sh', ['sh', 't']],
    ])('gets each key, and gives the terminal back: %s', { timeout }, async (_name, args) => {
      await using home = await makeHomeOf(way);
      await home.cli(['create', 't']);
      const terminal = await onTerminal(home, args);
      terminal.type('echo be""gun\n');
      await terminal.shows('begun');
      expect(await terminal.settings()).toMatch(/-isig (.|\n)*-icanon /);
      terminal.type('sleep 50\n');
      await sleep(500);
      terminal.type('\u0003');
      terminal.type('echo go""es on; exit 7\n');
      await terminal.shows('goes on');
      expect(await terminal.ended).toMatchObject({ code: 7, asBefore: true });
      const killed = await onTerminal(home, args);
      killed.type('echo be""gun; kill -9 $$\n');
      expect(await killed.ended).toMatchObject({ code: 137, asBefore: true });
      await home.cli(['rm', 't']);
    });
  });

  it('a terminal that gets another size says so to its command', { timeout }, async () => {
    await using home = await makeHomeOf(way);
    await home.cli(['create', 't']);
    const terminal = await onTerminal(home, ['exec', '-it', 't', '--', 'sh']);
    terminal.type('echo be""gun\n');
    await terminal.shows('begun');
    for (const [columns, rows] of [
      [101, 31],
      [63, 17],
    ] as const) {
      await terminal.resize(columns, rows);
      terminal.type(`until [ "$(stty size)" = "${rows} ${columns}" ]; do sleep 0.1; done; echo now ${rows}""x\n`);
      await terminal.shows(`now ${rows}x`);
    }
    terminal.type('exit 7\n');
    expect(await terminal.ended).toMatchObject({ code: 7, asBefore: true });
    await home.cli(['rm', 't']);
  });

  it('-t alone gives a terminal without keys, and -i alone keys without a terminal', { timeout }, async () => {
    await using home = await makeHomeOf(way);
    await home.cli(['create', 't']);
    const tty = ['sh', '-c', 'test -t 1 && echo terminal'];
    expect(await home.cli(['exec', '-t', 't', '--', ...tty])).toMatchObject({ code: 0, stdout: 'terminal\r\n' });
    expect(await home.cli(['exec', '-i', 't', '--', 'cat'], 'typed')).toMatchObject({ code: 0, stdout: 'typed' });
    const refused = await home.cli(['exec', '-it', 't', '--', 'cat'], 'typed');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('-it needs a terminal') });
    const terminal = await onTerminal(home, ['exec', '-t', 't', '--', 'sh', '-c', 'echo be""gun; sleep 50']);
    await terminal.shows('begun');
    terminal.type('\u0003');
    expect(await terminal.ended).toMatchObject({ code: 130, asBefore: true });
    await home.cli(['rm', 't']);
  });

  it('a copy ends by Ctrl-C, and leaves no half of it', { timeout: 2 * timeout }, async () => {
    await using home = await makeHomeOf(way);
    await home.cli(['create', 't']);
    await home.cli(['exec', 't', '--', 'sh', '-c', 'head -c 2000000000 /dev/zero >/workspace/large']);
    const files = await mkdtemp(join(tmpdir(), 'caisson-copied-'));
    onTestFinished(() => rm(files, { recursive: true }));
    const target = join(files, 'copied');
    const terminal = await onTerminal(home, ['cp', 't:/workspace/large', target]);
    // A service has all of it before it sends the first byte.
    await terminal.shows(way === 'embedded' ? ' MB' : 'the service reads it from the sandbox');
    terminal.type('\u0003');
    expect(await terminal.ended).toMatchObject({ code: 130, asBefore: true });
    expect(await readdir(files)).toEqual([]);
    if (way === 'through a service') await expect.poll(() => readdir(join(home.path, 'archives')), poll).toEqual([]);
    await home.cli(['rm', 't']);
  });
});

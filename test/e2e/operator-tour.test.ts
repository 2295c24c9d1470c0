/** The tour for operators of docs/tour.md on a terminal, beside a service, in the order in which it is printed; and a shell under its rule. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { holdBaseImage } from './base-image.ts';
import { cli, type Home, makeHome } from './home.ts';
import { compared, pageOf } from './typed.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/tour.md', import.meta.url)), 'utf8');
const tour = pageOf(page.slice(page.indexOf('## For operators'), page.indexOf('## For CI'))).typed;

/** A shell on a terminal of its own, in an empty directory, to which lines are typed one after the other. */
class Terminal {
  readonly #child: ChildProcess;
  #shown = '';
  #marks = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => (this.#shown += chunk.toString()));
  }

  send(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** The output from now on, up to and with the text. */
  async until(wanted: string | RegExp): Promise<string> {
    for (const end = Date.now() + 60_000; ; await sleep(20)) {
      const at = typeof wanted === 'string' ? this.#shown.indexOf(wanted) : this.#shown.search(wanted);
      if (at >= 0) {
        const length = typeof wanted === 'string' ? wanted.length : (wanted.exec(this.#shown)?.[0].length ?? 0);
        const seen = this.#shown.slice(0, at + length);
        this.#shown = this.#shown.slice(at + length);
        return seen.replaceAll('\r\n', '\n');
      }
      if (Date.now() > end) throw new Error(`the terminal does not show ${String(wanted)}, but: ${this.#shown}`);
    }
  }

  /** The output of one line, and the exit code that it leaves. */
  async line(command: string): Promise<{ readonly printed: string; readonly code: number }> {
    const mark = `typed ${(this.#marks += 1)}`;
    this.send(`${command}\ncode=$?; echo "${mark.replace(' ', '""" """')} $code."; (exit $code)\n`);
    const seen = await this.until(new RegExp(`${mark} \\d+\\.\\r?\\n`));
    const [, code = ''] = /(\d+)\.\n$/.exec(seen) ?? [];
    return { printed: seen.slice(0, seen.lastIndexOf(mark)), code: Number(code) };
  }
}

async function openTerminal(home: Home): Promise<Terminal & AsyncDisposable> {
  const program = join(home.path, 'caisson');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  await chmod(program, 0o755);
  const cwd = await mkdtemp(join(tmpdir(), 'caisson-tour-'));
  const env = {
    ...home.env,
    PATH: `${home.path}:${home.env['PATH'] ?? ''}`,
    CAISSON_TERMINAL_DOCKER_IMAGE: '',
    TERM: 'vt100',
    PS1: '',
    ENV: '',
    COLUMNS: '200',
  };
  const line = 'stty -echo cols 200; exec /bin/sh -i 2>&1';
  const child = spawn('script', ['-qfec', line, '/dev/null'], { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => undefined); // the shell may have ended
  const terminal = new Terminal(child);
  return Object.assign(terminal, {
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit');
      child.stdin.end('exit\n');
      child.kill('SIGHUP');
      await gone;
      await rm(cwd, { recursive: true });
    },
  });
}

/** The service of the tour. */
async function serve(home: Home): Promise<AsyncDisposable> {
  const env = { ...home.env, CAISSON_TERMINAL_DOCKER_IMAGE: '' };
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exit;
    },
  };
}

let held: AsyncDisposable;
beforeAll(async () => {
  held = await holdBaseImage('caisson-test/debian:latest');
}, 600_000);
afterAll(() => held[Symbol.asyncDispose]());

const erased = '\r\u001b[K';

/** Without colours, the line of progress and the summary, which only a terminal has. Shells that a service keeps ready are processes too. */
const plain = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split(erased).at(-1) ?? '')
    .join('\n')
    .replaceAll(/\u001b\[[0-9;?]*[a-zA-Z]/g, '')
    .replaceAll(/\d+(?= of 256)/g, 'COUNT')
    .replaceAll(/^\d+ sandbox(?:es)?: .*\n?/gm, '')
    .replaceAll(/^caisson: (?:the service holds it already|needs a restart).*\n?/gm, '');

it('the tour is true beside a service, and a shell works under its deny rule', { timeout: 240_000 }, async () => {
  await using home = await makeHome();
  await using _service = await serve(home);
  await using terminal = await openTerminal(home);
  await terminal.line('true');
  expect(tour.length).toBeGreaterThan(12);
  for (const { command, shown } of tour) {
    const { printed } = await terminal.line(command);
    // Its rows are those of the engine, and are compared without a terminal.
    if (command === 'caisson inspect demo') continue;
    const { seen, wanted } = compared(plain(printed), plain(shown));
    expect(`$ ${command}\n${seen}`).toBe(`$ ${command}\n${wanted}`);
  }

  await terminal.line('caisson create build');
  // What is typed before the shell of the sandbox has given the terminal back is lost with it.
  const shell = 'caisson sh build; echo "le""ft with $?."\n';
  terminal.send(shell);
  const asked = await terminal.until('Choice [');
  expect(asked).toContain('ASKED BY RULE terminal(git push:*): its later input is not judged');
  expect(asked).not.toContain('command -v');
  await terminal.until('/D]: ');
  terminal.send('s\n');
  terminal.send('echo in""side; exit 7\n');
  await terminal.until('inside');
  await terminal.until('left with 7.');

  terminal.send(shell);
  terminal.send('echo once"" more; exit 7\n');
  expect(await terminal.until('once more')).not.toContain('Choice [');
  await terminal.until('left with 7.');
  expect((await terminal.line('caisson exec build -- git push origin main')).code).toBe(126);
  const piped = await terminal.line("echo 'echo piped' | caisson exec -i build -- sh");
  expect([piped.code, piped.printed]).toEqual([0, expect.stringContaining('piped')]);
  expect((await terminal.line('caisson rm build')).code).toBe(0);
});

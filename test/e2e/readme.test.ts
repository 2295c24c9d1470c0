/** Types what the pages show, line by line and in their order, and compares what is printed. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cli, makeHome, type Home } from './home.ts';

interface Typed {
  readonly command: string;
  readonly shown: string;
}

/** Blocks with `$ ` lines; `left` those whose block is not run, with the reason in a comment before it. */
function typedIn(page: string): { readonly typed: readonly Typed[]; readonly left: number } {
  const blocks = [...page.matchAll(/(<!-- not run: [^>]+ -->\n)?```\n([\s\S]*?)```/g)].filter(([, , body]) =>
    /^\$ /m.test(body ?? ''),
  );
  const run = blocks.filter(([, reason]) => reason === undefined);
  return { typed: run.flatMap(([, , body = '']) => linesOf(body)), left: blocks.length - run.length };
}

function linesOf(body: string): readonly Typed[] {
  return body
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...shown] = part.trimEnd().split('\n');
      return { command, shown: shown.join('\n') };
    });
}

/** Amounts, ids and columns differ from run to run; notices of what the engine cannot hold, from machine to machine. */
function comparable(text: string): string {
  return text
    .replaceAll(/^caisson: missing here: .*\n?/gm, '')
    .replaceAll(/\b(exec|sbx)_[a-z0-9-]+/g, '$1_ID')
    .replaceAll(/\d+(?:\.\d+)? (?:ms|s|min|B|KB|MB|GB)\b/g, 'AMOUNT')
    .replaceAll(/\b[0-9T:.-]{19,}Z/g, 'TIME')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/(?<=running )\d+/g, 'PID')
    .replaceAll(/ $/gm, '')
    .trimEnd();
}

/** A line of three dots stands for lines that the page leaves out. */
function compared(printed: string, shown: string): { readonly seen: string; readonly wanted: string } {
  const wanted = comparable(shown)
    .split('\n')
    .filter((line) => line !== '...');
  const lines = comparable(printed).split('\n');
  const isWhole = wanted.length === comparable(shown).split('\n').length;
  const seen = isWhole ? lines : lines.filter((line) => wanted.includes(line));
  return {
    seen: seen.filter((line) => isWhole || line !== '').join('\n'),
    wanted: wanted.filter((line) => isWhole || line !== '').join('\n'),
  };
}

async function terminal(home: Home, typed: readonly Typed[]): Promise<readonly string[]> {
  const program = join(home.path, 'caisson');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  await chmod(program, 0o755);
  const mark = '=== typed ===';
  const script = typed.map(({ command }) => `${command}\ncode=$?\necho '${mark}'\n(exit $code)`).join('\n');
  const env = { ...home.env, PATH: `${home.path}:${home.env['PATH'] ?? ''}`, CAISSON_TERMINAL_DOCKER_IMAGE: '' };
  const cwd = await mkdtemp(join(tmpdir(), 'caisson-typed-'));
  const { stdout } = await promisify(execFile)('bash', ['-c', `exec 2>&1\n${script}\ntrue`], { env, cwd });
  await rm(cwd, { recursive: true });
  return stdout.split(`${mark}\n`);
}

it('README is true when it is typed', async () => {
  await using home = await makeHome();
  const { typed, left } = typedIn(await readFile(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8'));
  expect(typed.length).toBeGreaterThan(15);
  expect(left).toBeLessThanOrEqual(5);
  // The image that `caisson image build base` builds from Debian packages; what is typed needs its shell alone.
  await home.engine(['tag', 'caisson-test/debian:latest', 'caisson/base:latest']);
  try {
    const printed = await terminal(home, typed);
    const pairs = typed.map(({ command, shown }, at) => ({ command, ...compared(printed[at] ?? '', shown) }));
    expect(pairs.map(({ command, seen }) => `$ ${command}\n${seen}`)).toEqual(
      pairs.map(({ command, wanted }) => `$ ${command}\n${wanted}`),
    );
  } finally {
    await home.engine(['rmi', 'caisson/base:latest']);
  }
}, 180_000);

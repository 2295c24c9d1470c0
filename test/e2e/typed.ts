/** Console blocks of a page: what is typed in them, typed for real, and what is printed beside what the page shows. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cli, type Home } from './home.ts';

export interface Typed {
  readonly command: string;
  readonly shown: string;
}

export interface Page {
  readonly typed: readonly Typed[];
  /** Reasons of the blocks that are not run. */
  readonly left: readonly string[];
  /** Blocks without a language that are neither typed nor left out with a reason. */
  readonly unmarked: readonly string[];
}

const block = /(?:<!-- not run: ([^>]+) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm;

/** A block without a language is a console block: its commands stand after `$ `. */
export function pageOf(text: string): Page {
  const consoles = [...text.matchAll(block)].filter(([, , language]) => language === '');
  const left = consoles.flatMap(([, reason]) => (reason === undefined ? [] : [reason]));
  const run = consoles.flatMap(([, reason, , body = '']) => (reason === undefined ? [body] : []));
  return { typed: run.flatMap(linesOf), left, unmarked: run.filter((body) => !body.startsWith('$ ')) };
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

/** What each command printed, on both streams, in one shell and one directory that is empty at the start. */
async function type(home: Home, typed: readonly Typed[]): Promise<readonly string[]> {
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

/** Each command with what it printed, and with what the page shows. */
export async function typedIn(
  home: Home,
  typed: readonly Typed[],
): Promise<{ readonly seen: readonly string[]; readonly wanted: readonly string[] }> {
  const printed = await type(home, typed);
  const pairs = typed.map(({ command, shown }, at) => ({ command, ...compared(printed[at] ?? '', shown) }));
  return {
    seen: pairs.map(({ command, seen }) => `$ ${command}\n${seen}`),
    wanted: pairs.map(({ command, wanted }) => `$ ${command}\n${wanted}`),
  };
}

/**
 * Amounts, ages, counts, ids and columns differ from run to run; notices of what the engine cannot hold, from machine to machine; progress
 * is shown where a step takes long.
 */
function comparable(text: string): string {
  return text
    .replaceAll(/^caisson: missing here: .*\n?/gm, '')
    .replaceAll(/^copying .* \(\d+%\)\n?/gm, '')
    .replaceAll(/\b(exec|sbx)_[a-z0-9-]+/g, '$1_ID')
    .replaceAll(/\d+(?:\.\d+)? (?:ms|s|min|B|KB|MB|GB)\b/g, 'AMOUNT')
    .replaceAll(/\b\d+[smhd]\b/g, 'AGE')
    .replaceAll(/\b[0-9T:.-]{19,}Z/g, 'TIME')
    .replaceAll(/\b\d+ of (?=\d)/g, 'COUNT of ')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/(?<=running )\d+/g, 'PID')
    .replaceAll(/ $/gm, '')
    .trimEnd();
}

/** A line of three dots stands for lines that the page leaves out, three dots in a line for a part of it. */
export function compared(printed: string, shown: string): { readonly seen: string; readonly wanted: string } {
  const all = comparable(shown).split('\n');
  const wanted = all.filter((line) => line !== '...');
  const shortened = (line: string): string => wanted.find((each) => standsFor(each, line)) ?? line;
  const lines = comparable(printed).split('\n').map(shortened);
  const isWhole = wanted.length === all.length;
  const seen = isWhole ? lines : lines.filter((line) => wanted.includes(line));
  const kept = (line: string): boolean => isWhole || line !== '';
  return { seen: seen.filter(kept).join('\n'), wanted: wanted.filter(kept).join('\n') };
}

function standsFor(shown: string, line: string): boolean {
  const parts = shown.split('...');
  if (parts.length === 1) return false;
  const pattern = parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('.+');
  return new RegExp(`^${pattern}$`).test(line);
}

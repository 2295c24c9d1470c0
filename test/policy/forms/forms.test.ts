/** Forms of a command that must not run, by classes. Each runs against a stub first: what ran is asked about or refused. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decide } from '../opened.ts';
import { deleters, target } from './deleters.ts';
import { formOf, type Generate } from './form.ts';
import { programs } from './programs.ts';
import { texts } from './texts.ts';
import { words } from './words.ts';

const count = Number(process.env['CAISSON_LOAD_FORMS'] ?? 10);
const seed = Number(process.env['CAISSON_FORMS_SEED'] ?? 7_301);
const atOnce = 4;
/** Smallest part of a class, in percent, whose forms run when their programs are installed. */
const fewestPercent = 60;
const run = promisify(execFile);

let root = '';
let log = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'caisson-forms-'));
  log = join(root, 'log');
  await mkdir(join(root, 'bin'));
  await writeFile(join(root, 'bin/mkfs.ext4'), `#!/bin/sh\necho "$*" >>${log}\n`);
  await chmod(join(root, 'bin/mkfs.ext4'), 0o755);
});
afterAll(async () => await rm(root, { recursive: true, force: true }));

interface Form {
  readonly number: number;
  readonly text: string;
}

const formsOf = (generate: Generate): readonly Form[] =>
  Array.from({ length: count }, (_, number) => ({ number, text: formOf(generate, seed, number) }));

/** Those that ran what must not run. */
async function ranOf(forms: readonly Form[], ran: (form: Form) => Promise<boolean>): Promise<readonly string[]> {
  const queue = forms.slice();
  const found: string[] = [];
  const worker = async (): Promise<void> => {
    for (let form = queue.shift(); form !== undefined; form = queue.shift()) if (await ran(form)) found.push(form.text);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return found;
}

async function start(text: string, directory: string): Promise<void> {
  await mkdir(directory);
  const env = { PATH: `${join(root, 'bin')}:/usr/bin:/bin:/usr/sbin:/sbin`, HOME: directory, LC_ALL: 'C' };
  const running = run('setsid', ['-w', 'bash', '-c', text], {
    cwd: directory,
    env,
    timeout: 5000,
    killSignal: 'SIGKILL',
  });
  running.child.stdin?.end();
  await running.catch(() => undefined);
}

/** The stub has written the number of the form down. */
async function mentioned({ text, number }: Form, name: string): Promise<boolean> {
  await start(text, join(root, `${name}-${number}`));
  return existsSync(log) && new RegExp(`/nothing${number}(?!\\d)`).test(readFileSync(log, 'utf8'));
}

/** The file below the target is gone, or empty. */
async function emptied({ text, number }: Form): Promise<boolean> {
  const place = join(root, `etc-${number}`);
  await mkdir(place);
  await writeFile(join(place, 'passwd'), 'root:x:0:0::/root:/bin/sh\n'.repeat(9));
  await start(text.replaceAll(target, place), join(root, `deleters-${number}`));
  const left = await stat(join(place, 'passwd')).catch(() => null);
  return left === null || /^[\0]*$/.test(readFileSync(join(place, 'passwd'), 'latin1'));
}

const classes: Readonly<Record<string, Generate>> = { ...texts, ...words, ...programs };
const timeout = 30_000 + count * 1000;

it.each(Object.entries(classes))(
  `%s: of ${count} forms by seed ${seed}, at most 1 in 100 of those that ran passes`,
  { timeout },
  async (name, generate) => {
    await rm(log, { force: true });
    const ran = await ranOf(formsOf(generate), async (form) => await mentioned(form, name.replaceAll(/\W/g, '')));
    check(
      ran,
      ran.filter((text) => decide(text).verdict === 'allow'),
    );
  },
);

it(
  `other deleters: of ${count} forms by seed ${seed}, at most 1 in 100 of those that ran passes`,
  { timeout },
  async () => {
    const ran = await ranOf(formsOf(deleters), emptied);
    check(
      ran,
      ran.filter((text) => decide(text.replaceAll(target, '/etc')).verdict === 'allow'),
    );
  },
);

function check(ran: readonly string[], passed: readonly string[]): void {
  expect(ran.length).toBeGreaterThanOrEqual((count * fewestPercent) / 100);
  expect(passed.length <= ran.length / 100 ? [] : passed.slice(0, 5)).toEqual([]);
}

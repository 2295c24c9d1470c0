/** CP-27: whatever a shell runs of a text, the reader has seen in it. Real shells run generated texts, with a stub that logs. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { analyse } from '../../../src/shell/analyse.ts';
import { loadGrammar } from '../../../src/shell/grammar/load.ts';
import { DecisionTime } from '../../../src/shell/time.ts';
import { textsOf } from './texts.ts';

const count = Number(process.env['CAISSON_LOAD_SHELLS'] ?? 1000);
const seed = Number(process.env['CAISSON_SHELLS_SEED'] ?? 416_992);
const programs = ['env', 'timeout', 'nice', 'stdbuf', 'setsid', 'nohup', 'xargs', 'bash', 'dash', 'sh', 'cat', 'true'];
const beside = (name: string): string => new URL(name, import.meta.url).pathname;

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'caisson-shells-'));
  for (const name of ['bin', 'texts']) await mkdir(join(root, name));
  for (const name of programs) await symlink(join('/usr/bin', name), join(root, 'bin', name));
  await copyFile(beside('mark.sh'), join(root, 'bin/mark'));
  await chmod(join(root, 'bin/mark'), 0o755);
});
afterAll(async () => await rm(root, { recursive: true, force: true }));

/** Numbers of the marks that a shell ran, by the number of the text that has them. */
async function ran(shell: string): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const log = join(root, `${shell}.log`);
  const cwd = join(root, shell);
  await mkdir(cwd);
  const fd = openSync(log, 'w');
  const ignored = Array.from({ length: 9 }, () => 'ignore' as const);
  const env = { PATH: join(root, 'bin'), HOME: cwd };
  const child = spawn(join(root, 'bin', shell), [beside('run.sh'), join(root, 'texts'), cwd], {
    env,
    stdio: [...ignored, fd],
  });
  await once(child, 'close');
  closeSync(fd);
  const found = new Map<number, Set<string>>();
  for (const line of readFileSync(log, 'utf8')
    .split('\n')
    .filter((each) => each !== '')) {
    const [, text = '', number = ''] = /^(\d+) (\d+)/.exec(line) ?? [];
    found.set(Number(text), (found.get(Number(text)) ?? new Set()).add(number));
  }
  return found;
}

it(
  `of ${count} texts by seed ${seed}, bash and dash run nothing that was not seen`,
  { timeout: 60_000 + count * 100 },
  async () => {
    const texts = textsOf(seed, count);
    for (const [at, text] of texts.entries()) await writeFile(join(root, 'texts', String(at).padStart(6, '0')), text);
    const parse = await loadGrammar();
    const logs = await Promise.all(['bash', 'dash'].map(ran));
    const unseen = texts.flatMap((text, at) => {
      const { commands, notes } = analyse(text, { cwd: '/srv' }, { parse, time: new DecisionTime() });
      const known = new Set(commands.flatMap(({ words }) => words.map(({ text: word }) => /^\d*/.exec(word)?.[0])));
      const isAsked = notes.length > 0;
      const missed = logs.flatMap((log) => [...(log.get(at) ?? [])]).filter((number) => !isAsked && !known.has(number));
      return missed.length === 0 ? [] : [{ text, missed: [...new Set(missed)] }];
    });
    expect(logs.map((log) => log.size > count / 4)).toEqual([true, true]);
    expect(unseen.length, `seed ${seed}`).toBe(0);
    expect(unseen.slice(0, 5)).toEqual([]);
  },
);

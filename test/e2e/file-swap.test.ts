/** SEC-F8: a path that leads elsewhere between the judgement of a file tool and its work. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isCode } from '../../src/errors.ts';
import { makeHome } from './home.ts';

const reads = 1000;
const atOnce = 8;
/** Between two steps of the exchange there is nothing, or half of it, at the path. */
const gone = ['not_found', 'failed_precondition', 'invalid_argument'] as const;

/** Exchanges a directory and a link to the denied one, without a pause between. */
const swapping = 'while :; do mv -T a b; mv -T l a; mv -T a l; mv -T b a; done';

it('no read returns the file that a rule denies, and no write reaches it', { timeout: 240_000 }, async () => {
  await using home = await makeHome();
  const rules = 'approvals: {rules: {deny: ["read_file(/workspace/secret/**)", "write_file(/workspace/secret/**)"]}}\n';
  await writeFile(join(home.path, 'config.yaml'), rules, { mode: 0o600 });
  const caisson = await home.open();
  const task = 'work';
  const sh = async (text: string) =>
    await caisson.run({ taskId: task, command: ['sh', '-c', text], cwd: '/workspace' });
  await sh('mkdir a secret; echo plain >a/f; echo denied >secret/f; ln -s secret l');
  const swapper = await caisson.exec({ taskId: task, command: ['sh', '-c', swapping], cwd: '/workspace' });
  swapper.ignore();
  const counts = { plain: 0, refused: 0, elsewhere: 0, missing: 0 };
  const once = async (index: number): Promise<void> => {
    try {
      if (index % 10 === 0) await caisson.files.write({ task, path: '/workspace/a/g', bytes: 'ours' });
      else expect((await caisson.files.read({ task, path: '/workspace/a/f' })).bytes.toString()).toBe('plain\n');
      counts.plain += 1;
    } catch (error) {
      if (isCode(error, 'policy_denied')) counts.refused += 1;
      else if (isCode(error, 'conflict')) counts.elsewhere += 1;
      else if (gone.some((code) => isCode(error, code))) counts.missing += 1;
      else throw error;
    }
  };
  for (let done = 0; done < reads; done += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, at) => once(done + at)));
  await swapper.cancel();
  expect((await sh('ls secret')).stdout.text).toBe('f\n');
  // The race was one: both directories were met.
  expect([counts.plain > 0, counts.refused + counts.elsewhere > 0]).toEqual([true, true]);
});

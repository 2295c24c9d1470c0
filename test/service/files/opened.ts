/** A real service on this host with a project directory, whose questions are answered by the test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Question } from '../../../src/guard/types.ts';
import { openCaisson } from '../../../src/main.ts';
import type { Caisson } from '../../../src/service/caisson.ts';
import type { OpenInput } from '../../../src/service/open.ts';

export const task = 'build';

export interface OpenFiles {
  readonly caisson: Caisson;
  readonly files: Caisson['files'];
  /** The workspace. */
  readonly dir: string;
  readonly asked: readonly Question[];
}

interface FilesInput extends Partial<OpenInput> {
  /** To every question. Absent: no person is there. */
  readonly answer?: string;
  /** Done while the question is open. */
  readonly meanwhile?: (dir: string) => void;
}

export async function openedWith(
  text: string,
  { answer, meanwhile = () => {}, ...more }: FilesInput = {},
): Promise<OpenFiles> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-file-rules-')));
  const [home, dir] = [join(root, 'home'), join(root, 'project')];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(join(dir, 'src'), { recursive: true });
  writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 });
  const asked: Question[] = [];
  const approver = async (question: Question): Promise<string> => {
    asked.push(question);
    meanwhile(dir);
    return await Promise.resolve(answer ?? 'deny');
  };
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, CAISSON_TERMINAL_BACKEND: 'local' };
  const caisson = await openCaisson({ home, env, cwd: dir, ...(answer === undefined ? {} : { approver }), ...more });
  onTestFinished(async () => {
    await caisson.close();
    rmSync(root, { recursive: true });
  });
  await caisson.sandboxes.create({ taskId: task });
  return { caisson, files: caisson.files, dir, asked };
}

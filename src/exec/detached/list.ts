/** What the sandbox says about its detached processes. Hostile text in, checked shapes out. */
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { runScript } from '../../inside/run.ts';
import { processScript } from './scripts.ts';
import type { DetachedProcess } from './types.ts';

/** Where the processes of a sandbox are kept (see `inside.ts`). */
export interface Kept {
  readonly sandbox: Sandbox;
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
}

const form =
  /^(exec_[A-Za-z0-9_-]{1,64}) (\d{1,10}|-) ([yn]) (\d{1,10}|-) ([yn]) (\d{1,12}|-) (\d{1,3}|-) (\d{1,12}|-) ([01]|-) (\d{1,12}|-) (\S{1,4}) ([yn]) ([yn]) (.*)$/;

export async function listProcesses({ sandbox, key, signal }: Kept): Promise<readonly DetachedProcess[]> {
  const { text } = await runScript(sandbox, { name: 'ps', script: processScript('list'), args: [key, ''], signal });
  return text.split('\n').flatMap(parseLine);
}

/** Throws `not_found`. */
export async function findProcess({ sandbox, key, signal }: Kept, id: string): Promise<DetachedProcess> {
  const { text } = await runScript(sandbox, { name: 'ps', script: processScript('list'), args: [key, id], signal });
  const [found] = text.split('\n').flatMap(parseLine);
  if (found?.id === id) return found;
  throw unknownProcess(id);
}

export function unknownProcess(id: string): CaissonError {
  return new CaissonError('not_found', `there is no process ${id.slice(0, 80)}`, {
    remedy: '`caisson ps` lists what there is; ended ones are kept for a while',
  });
}

/** Empty for a line that we did not write. */
export function parseLine(line: string): readonly DetachedProcess[] {
  const [, id, , supervisor, child, childAlive, started, status, ended, open, ticks, cuts, young, input, json] =
    form.exec(line) ?? [];
  if (id === undefined || json === undefined) return [];
  const exitCode = status === undefined || status === '-' ? null : Number(status);
  const alive = supervisor === 'y' || childAlive === 'y' || young === 'y';
  return [
    {
      id,
      pid: child === undefined || child === '-' ? null : Number(child),
      command: commandOf(json),
      state: exitCode !== null ? 'exited' : alive ? 'running' : 'lost',
      startedAt: timeOf(started),
      endedAt: timeOf(ended),
      durationMs: ticks === undefined || ticks === '-' ? null : Number(ticks) * 10,
      exitCode: exitCode !== null && exitCode <= 255 ? exitCode : null,
      supervised: exitCode !== null || supervisor === 'y' || young === 'y',
      truncated: { stdout: cuts?.includes('o') === true, stderr: cuts?.includes('e') === true },
      backgroundOpen: open === '1',
      inputOpen: input === 'y',
    },
  ];
}

function timeOf(epoch: string | undefined): string | null {
  const date = new Date(Number(epoch) * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function commandOf(json: string): readonly string[] {
  try {
    const words: unknown = JSON.parse(json);
    return Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
  } catch {
    return []; // the sandbox changed it; its pid identifies what runs
  }
}

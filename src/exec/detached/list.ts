/** What the sandbox says about its detached processes. Hostile text in, checked shapes out. */
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { runScript } from '../../inside/run.ts';
import { execKeyForm } from '../../values/owner.ts';
import { endOf } from '../../values/outcome.ts';
import { processScript } from './scripts.ts';
import type { DetachedProcess } from './types.ts';

/** Directory inside that keeps the processes of a sandbox (see `inside.ts`). */
export interface ProcessDirectory {
  readonly sandbox: Sandbox;
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
}

const rest =
  / (\d{1,10}|-) ([yn]) (\d{1,10}|-) ([yn]) (\d{1,12}|-) (\d{1,3}|-) (\d{1,12}|-) ([01]|-) (\d{1,12}|-) (\S{1,4}) ([yn]) ([yn]) (.*)$/;
const form = new RegExp(`^(${execKeyForm})${rest.source}`);

export async function listProcesses({ sandbox, key, signal }: ProcessDirectory): Promise<readonly DetachedProcess[]> {
  const { text } = await runScript(sandbox, { name: 'ps', script: processScript('list'), args: [key, ''], signal });
  return text.split('\n').flatMap(parseLine);
}

/** Throws `not_found`. */
export async function findProcess({ sandbox, key, signal }: ProcessDirectory, id: string): Promise<DetachedProcess> {
  const { text } = await runScript(sandbox, { name: 'ps', script: processScript('list'), args: [key, id], signal });
  const [found] = text.split('\n').flatMap(parseLine);
  if (found?.id === id) return found;
  throw unknownProcessError(id);
}

export function unknownProcessError(id: string): CaissonError {
  return new CaissonError('not_found', `there is no process ${id.slice(0, 80)}`, {
    remedy: '`caisson ps` lists what there is; ended ones are kept for a while',
  });
}

/** Empty for a line that we did not write. */
export function parseLine(line: string): readonly DetachedProcess[] {
  const [, id, , supervisor, child, childAlive, started, status, ended, open, ticks, cuts, young, input, json] =
    form.exec(line) ?? [];
  if (id === undefined || json === undefined) return [];
  const recorded = status === undefined || status === '-' ? null : Number(status);
  const alive = supervisor === 'y' || childAlive === 'y' || young === 'y';
  const state = recorded !== null ? 'exited' : alive ? 'running' : 'lost';
  return [
    {
      id,
      pid: child === undefined || child === '-' ? null : Number(child),
      command: parseCommand(json),
      state,
      ...endedAs(state, recorded),
      startedAt: parseTime(started),
      endedAt: parseTime(ended),
      durationMs: ticks === undefined || ticks === '-' ? null : Number(ticks) * 10,
      supervised: recorded !== null || supervisor === 'y' || young === 'y',
      truncated: { stdout: cuts?.includes('o') === true, stderr: cuts?.includes('e') === true },
      backgroundOpen: open === '1',
      inputOpen: input === 'y',
    },
  ];
}

type Ended = Pick<DetachedProcess, 'reason' | 'exitCode' | 'signal' | 'signalGuessed'>;

function endedAs(state: DetachedProcess['state'], recorded: number | null): Ended {
  if (state === 'running') return { reason: null, exitCode: null, signal: null, signalGuessed: false };
  const exitCode = recorded !== null && recorded <= 255 ? recorded : null;
  return endOf(state === 'lost' ? null : { exitCode, signal: null, outOfMemory: false });
}

function parseTime(epoch: string | undefined): string | null {
  const date = new Date(Number(epoch) * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function parseCommand(json: string): readonly string[] {
  try {
    const words: unknown = JSON.parse(json);
    return Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
  } catch {
    return []; // the sandbox changed it; its pid identifies what runs
  }
}

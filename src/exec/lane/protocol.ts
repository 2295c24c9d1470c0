/** What a lane says on its streams, as text and as values. `script.ts` is the other side of it. */
import type { NotStarted, ProcessEnd } from '../../backend.ts';
import type { Opening } from './lane-process.ts';

/** Before the command: `+` it starts, `-` there is no such directory, 126 and 127 there is no such program. */
export const openingForm = /^(?:[+-]|12[67])$/;
/** After it: its status, and the pids of processes that hold a stream of the lane. */
export const statusForm = /^:(\d{1,3}):((?: \??\d{1,10})*)$/;
/** `-`: no lane can be here. */
export const helloForm = /^:(?:-|\d{1,10}\+?)$/;
export const emptyForm = /^$/;
/** Which process stands ready. */
export const readyForm = /^=\d{1,10}$/;

export interface Status {
  readonly exitCode: number;
  /** Processes that were seen holding a stream. */
  readonly seen: readonly number[];
  /** Those, and processes that could not be looked into, which are mostly just ending. */
  readonly suspects: readonly number[];
}

export function readStatus(trailer: string): Status {
  const [, code = '', held = ''] = statusForm.exec(trailer) ?? [];
  const words = held.split(' ').filter(Boolean);
  return {
    exitCode: Number(code),
    seen: words.filter((word) => !word.startsWith('?')).map(Number),
    suspects: words.map((word) => Number(word.replace('?', ''))),
  };
}

/** Whether the end of a command names a process that holds a stream. */
export function namesHolder(trailer: string): boolean {
  return readStatus(trailer).suspects.length > 0;
}

export function readOpening(trailer: string): Opening {
  if (trailer === '+') return 'started';
  if (trailer === '-') return 'no-directory';
  return trailer === '126' ? 'not-executable' : 'not-found';
}

export function endOf(exitCode: number, opening: Opening, outOfMemory: boolean): ProcessEnd {
  const end = { exitCode, signal: null, outOfMemory };
  return isNotStarted(opening) ? { ...end, notStarted: opening } : end;
}

export function isNotStarted(opening: Opening): opening is NotStarted {
  return opening === 'not-found' || opening === 'not-executable';
}

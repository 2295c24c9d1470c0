/** The first process of a sandbox that keeps a lane on its own streams, so that the first command needs no exec at all. */
import { scriptOf } from '../../inside/script.ts';
import { tailAndHead } from './halves.ts';

/** It stands in the arguments of pid 1, which are short. */
const noticeLength = 14;

export function guardianCommand(nonce: string): readonly [string, ...string[]] {
  return ['sh', '-c', scriptOf('lanes/guardian'), 'caisson-init', ...tailAndHead(deathNotice(nonce))];
}

/** What it prints when its program is gone. */
export function deathNotice(nonce: string): string {
  return nonce.slice(0, noticeLength);
}

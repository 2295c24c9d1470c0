/** Attacks on the memory of the service. */
import { type Attack, newExecId } from '../attacker.ts';

const kilobyte = 1024;

/** A megabyte of text in the heap for each kilobyte that is sent, were there no bound on how much a file grows. */
const patches: Attack = {
  atOnce: 75,
  prepare: (attacker) =>
    attacker.exec('build', [
      'sh',
      '-c',
      'i=0; while [ $i -lt 80 ]; do head -c 1000 /dev/zero | tr "\\0" a > f$i; i=$((i+1)); done',
    ]),
  strike: (attacker, turn) =>
    attacker.ask('/v1/sandboxes/build/files', {
      method: 'PATCH',
      body: { path: `/workspace/f${turn % 80}`, edits: [{ find: 'a', replace: 'a'.repeat(67_000), all: true }] },
    }),
};

/** The most edits that a request may have, each over all that the others left. */
const edits: Attack = {
  atOnce: 8,
  prepare: (attacker) => attacker.exec('build', ['sh', '-c', 'yes a | tr -d "\\n" | head -c 8000000 > edited']),
  strike: (attacker) =>
    attacker.ask('/v1/sandboxes/build/files', {
      method: 'PATCH',
      body: {
        path: '/workspace/edited',
        edits: Array.from({ length: 1000 }, (_, at) => ({
          find: at % 2 === 0 ? 'a' : 'b',
          replace: at % 2 === 0 ? 'b' : 'a',
          all: true,
        })),
      },
    }),
};

/** Parts of a file, for clients that read nothing. */
const readers: Attack = {
  atOnce: 60,
  prepare: (attacker) => attacker.exec('build', ['sh', '-c', 'head -c 16777216 /dev/zero > big']),
  strike: async (attacker) => {
    const path = '/v1/sandboxes/build/files?path=/workspace/big&offset=0&length=16777216';
    const socket = await attacker.unread([`GET ${path} HTTP/1.1`, attacker.authorization]);
    await attacker.hold(socket);
  },
};

/** The largest bodies that there may be: too many commands, and too many levels. */
const bodies: Attack = {
  atOnce: 16,
  strike: (attacker, turn) =>
    turn % 2 === 0
      ? attacker.ask('/v1/policy/check', { body: { commands: Array.from({ length: 250_000 }, () => 'ls') } })
      : attacker.ask('/v1/sandboxes', { json: `{"taskId":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}` }),
};

const input: Attack = {
  atOnce: 8,
  strike: (attacker, turn) =>
    attacker.exec('build', ['wc', '-c'], {
      input: 'x'.repeat(turn % 2 === 0 ? 1020 * kilobyte : 1900 * kilobyte),
      execId: newExecId(),
    }),
};

export const memory = { patches, edits, readers, bodies, input };

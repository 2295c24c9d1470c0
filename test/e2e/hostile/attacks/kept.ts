/** Attacks on what is kept: records, events, archives. */
import { type Attack, newExecId } from '../attacker.ts';

const records: Attack = {
  atOnce: 4,
  strike: (attacker) => attacker.exec('build', ['sh', '-c', 'head -c 400000 /dev/urandom']),
};

/** Two events for each. */
const events: Attack = { atOnce: 8, strike: (attacker) => attacker.exec('build', ['true'], { execId: newExecId() }) };

/** What clients leave before it has begun. */
const leavers: Attack = {
  atOnce: 16,
  strike: async (attacker) => {
    const body = JSON.stringify({ command: ['sleep', '5'] });
    const socket = await attacker.unread(
      [
        'POST /v1/sandboxes/build/execs HTTP/1.1',
        attacker.authorization,
        `Content-Length: ${body.length}`,
        'Content-Type: application/json',
      ],
      body,
    );
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.destroy();
  },
};

const archives: Attack = {
  atOnce: 4,
  prepare: (attacker) =>
    attacker.exec('build', [
      'sh',
      '-c',
      'mkdir -p tree; cd tree; i=0; while [ $i -lt 3000 ]; do echo $i > $i; i=$((i+1)); done',
    ]),
  strike: (attacker) => attacker.ask('/v1/sandboxes/build/files/archive?path=/workspace/tree'),
};

export const kept = { records, events, leavers, archives };

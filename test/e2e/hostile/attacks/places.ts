/** Attacks on what there is a number of: places, questions, descriptors, connections, lookups. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, newExecId } from '../attacker.ts';

/** Commands that a rule asks about, of which one does not wait for its answer. */
const questions: Attack = {
  atOnce: 16,
  strike: (attacker, turn) =>
    attacker.exec('build', ['touch', String(turn)], { execId: newExecId(), waitForApproval: turn % 64 === 63 }),
};

/** Names that no server answers, from a sandbox with a way out. */
const names: Attack = {
  atOnce: 4,
  prepare: (attacker) => attacker.ask('/v1/sandboxes', { body: { taskId: 'slow', network: 'filtered' } }),
  strike: (attacker, turn) =>
    attacker.exec('slow', [
      'sh',
      '-c',
      'i=0; while [ $i -lt 16 ]; do wget -q -T 5 -O /dev/null "http://n$1-$i.slow.example/" & i=$((i+1)); done; wait',
      'sh',
      String(turn),
    ]),
};

/** Each holds a connection here, one to the engine, and a script inside. */
const opens: Attack = {
  atOnce: 200,
  strike: async (attacker, turn) => {
    const paths = [
      '/v1/sandboxes/build/files/watch?path=/workspace&intervalMs=200',
      '/v1/events',
      '/v1/audit?follow=true',
    ];
    const socket = await attacker.unread([`GET ${paths[turn % paths.length]} HTTP/1.1`, attacker.authorization]);
    await attacker.hold(socket);
  },
};

const upload = 'Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked';

/** Bytes that stay on the disk of the service, for a sandbox that is there and for one that is not. */
const uploads: Attack = {
  atOnce: 12,
  strike: async (attacker, turn) => {
    const task = turn % 4 === 0 ? 'none' : 'build';
    const path = `/v1/sandboxes/${task}/files?path=/workspace/up${turn}`;
    const socket = await attacker.unread([`PUT ${path} HTTP/1.1`, attacker.authorization, upload]);
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(2 ** 20, 65), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 48 && !socket.destroyed && !attacker.signal.aborted; sent++) {
      socket.write(chunk);
      await sleep(20);
    }
    await attacker.hold(socket);
  },
};

/** Bodies that come byte by byte, without a token. */
const slow: Attack = {
  atOnce: 400,
  strike: async (attacker) => {
    const path = '/approvals/apr_000000000000000000000000';
    const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 4000';
    const socket = await attacker.unread([`POST ${path} HTTP/1.1`, type], 'token=');
    const drip = setInterval(() => socket.write('a'), 2000);
    await attacker.hold(socket);
    clearInterval(drip);
  },
};

/** Connections that come and go without a request. */
const knocks: Attack = {
  atOnce: 32,
  strike: async (attacker) => {
    const socket = await attacker.unread(['GET /healthz HTTP/1.1']);
    await sleep(20);
    socket.destroy();
  },
};

const sandboxes: Attack = {
  atOnce: 8,
  strike: async (attacker, turn) => {
    const taskId = `made-${turn % 8}`;
    await attacker.ask('/v1/sandboxes', { body: { taskId } });
    await attacker.ask(`/v1/sandboxes/${taskId}`, { method: 'DELETE' });
  },
};

const sessions: Attack = {
  atOnce: 8,
  strike: async (attacker, turn) => {
    const path = '/v1/sandboxes/build/sessions';
    await attacker.ask(path, { body: { name: `s${turn}` } });
    await attacker.ask(`${path}/s${turn}/execs`, { body: { text: 'seq 1 100000' } });
    await attacker.ask(`${path}/s${turn}`, { method: 'DELETE' });
  },
};

const processes: Attack = {
  atOnce: 8,
  strike: async (attacker) => {
    const execId = newExecId();
    await attacker.ask('/v1/sandboxes/build/processes', { body: { command: ['sleep', '1'], execId } });
    await attacker.ask('/v1/processes');
  },
};

export const places = { questions, names, opens, uploads, slow, knocks, sandboxes, sessions, processes };

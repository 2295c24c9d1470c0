/** Attacks on the processor time of the service: each request is small, and costs much. */
import { type Attack, newExecId } from '../attacker.ts';

const doubling = 'eval "$a $a"; a="$a $a";'.repeat(40);
const evil = (): string => `a=${newExecId()};${doubling}`;

/** Texts that take the reader of commands long, at most as many as a request may have. */
const policy: Attack = {
  atOnce: 4,
  strike: (attacker, turn) =>
    attacker.ask('/v1/policy/check', {
      body: { commands: Array.from({ length: 60 }, evil), backend: turn % 2 === 0 ? 'docker' : 'local' },
    }),
};

const wrappers = ['ssh h ', 'ssh h xargs ', 'ssh h find . -exec ', 'env -S ', 'sudo -u x sh -c '];

const wrapped: Attack = {
  atOnce: 4,
  strike: (attacker, turn) =>
    attacker.ask('/v1/policy/check', {
      body: { commands: [(wrappers[turn % wrappers.length] ?? '').repeat(60)], backend: 'local' },
    }),
};

const shells: Attack = { atOnce: 8, strike: (attacker) => attacker.exec('build', ['sh', '-c', evil()]) };

/** Those that took the redactor longest. */
const outputs = ['TOKEN=a', '{"password":"', '\\033\\n', 'export A_TOKEN=', 'ghp_', '-----BEGIN PRIVATE KEY-----'];

const secrets: Attack = {
  atOnce: 4,
  strike: (attacker, turn) => {
    const line = outputs[turn % outputs.length] ?? '';
    return attacker.exec('build', ['sh', '-c', 'yes "$(printf "%b" "$1")" | head -c 4194304', 'sh', line]);
  },
};

/** Records of all that the owner has run, and of what is not there. */
const lists: Attack = {
  atOnce: 16,
  strike: (attacker, turn) => {
    const paths = [
      '/v1/execs?task=none&limit=100',
      '/v1/execs?limit=1000',
      `/v1/execs/${newExecId()}`,
      '/v1/sandboxes/build/execs?limit=1000',
    ];
    return attacker.ask(paths[turn % paths.length] ?? '');
  },
};

const trails: Attack = {
  atOnce: 8,
  strike: (attacker, turn) => {
    const paths = ['/v1/audit?count=100000', '/v1/events?follow=false&after=0', '/v1/sandboxes/build/logs?tail=100000'];
    return attacker.ask(paths[turn % paths.length] ?? '');
  },
};

const searches: Attack = {
  atOnce: 4,
  prepare: (attacker) =>
    attacker.exec('build', [
      'sh',
      '-c',
      'mkdir -p many; cd many; i=0; while [ $i -lt 2000 ]; do echo $i > $i; i=$((i+1)); done',
    ]),
  strike: (attacker) =>
    attacker.ask('/v1/sandboxes/build/files/search', {
      body: { path: '/workspace/many', pattern: '[0-9]*', regex: true, most: 10_000 },
    }),
};

/** Guesses of tokens, from an address that others use too. */
const guesses: Attack = {
  atOnce: 16,
  strike: (attacker) => attacker.ask('/v1/sandboxes', { token: `caisson_${newExecId()}` }),
};

export const time = { policy, wrapped, shells, secrets, lists, trails, searches, guesses };

/** Defects in how sandboxes are made, found and kept, and in what is promised of them. */
import type { Backend, Enforcement, Guarantees, Sandbox } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { plainSpec } from '../spec.ts';
import { type Defect, doneAtOnce, each } from './defect.ts';

export const placeDefects: readonly Defect[] = [
  {
    about: 'forgets to destroy',
    found: [
      'lifecycle.attach-gone',
      'lifecycle.exec-gone',
      'lifecycle.destroy-running',
      'lifecycle.destroy-twice',
      'leftovers.resources',
    ],
    sandbox: () => ({ destroy: async () => undefined }),
  },
  {
    about: 'stops nothing',
    found: ['power.stop', 'power.listed', 'power.processes'],
    sandbox: () => ({ power: { stop: async () => undefined, start: async () => undefined } }),
  },
  {
    about: 'makes a new resource each time',
    found: ['naming.same', 'naming.race', 'naming.conflict', 'naming.replace'],
    create: ({ name }) => ({ name: `${name}-${performance.now()}` }),
  },
  {
    about: 'lists nothing',
    found: ['lifecycle.labels', 'naming.same', 'naming.replace', 'power.listed'],
    backend: () => ({ list: async () => [] }),
  },
  {
    about: 'tells a deadline as canceled',
    found: ['abort.deadline'],
    backend: (sound) => ({
      create: async (spec, options) => {
        if (options.signal?.aborted) throw new CaissonError('canceled', 'canceled', { cause: options.signal.reason });
        return await sound.create(spec, options);
      },
    }),
  },
  {
    about: 'makes the resource although creation was aborted',
    found: ['abort.create'],
    backend: (sound) => ({
      create: async (spec, { signal, ...options }) => {
        const sandbox = await sound.create(spec, options);
        if (signal === undefined) return sandbox;
        throw new CaissonError('canceled', 'canceled');
      },
    }),
  },
  {
    about: 'finds nothing again',
    found: each('lifecycle', 'attach exec-gone destroy-twice close-twice'),
    backend: () => ({ attach: () => Promise.reject(new CaissonError('not_found', 'it is gone')) }),
  },
  { about: 'takes its sandboxes along when it closes', found: ['lifecycle.close-twice'], backend: closingAll },
  { about: 'makes one sandbox for all', found: ['lifecycle.parallel', 'lifecycle.labels'], backend: onlyOne },
  {
    about: 'starts what is gone',
    found: ['power.gone'],
    sandbox: ({ power }) => (power === undefined ? {} : { power: { ...power, start: async () => undefined } }),
  },
  { about: 'stops once only', found: ['power.twice'], sandbox: stopsOnce },
  {
    about: 'has abilities on an attached sandbox that it did not have on the new one',
    found: ['terminal.absent', 'facets.stats-absent', 'users.absent'],
    backend: (sound) => ({
      attach: async (ref, options) =>
        Object.assign(await sound.attach(ref, options), { pty: noTerminal, stats: noStats, users: sameUser }),
    }),
  },
  {
    about: 'has abilities that do nothing',
    found: [
      ...each('terminal', 'size resize one-stream interrupt end-of-file kill raw'),
      ...each('facets', 'stats stats-gone'),
    ],
    sandbox: () => ({ pty: noTerminal, stats: noStats }),
  },
  {
    about: 'takes a user and runs every command as its own',
    found: each('users', 'promised number missing directory beside'),
    sandbox: (sandbox) => ({ users: { as: () => ({ exec: (command, options) => sandbox.exec(command, options) }) } }),
  },
  {
    about: 'promises what it cannot hold',
    found: [
      ...each('limits', 'pids memory memory-not-guessed cpu disk'),
      ...each('mounts', 'read-only file read-write read-only-root shm'),
      'persistence.ephemeral',
      'network.none',
      'kill.tree',
      'facets.memory',
    ],
    sandbox: () => ({ memory: { kills: () => 0 } }),
    backend: (sound) => ({ guarantees: async () => ({ ...(await sound.guarantees()), ...everything }) }),
  },
  {
    about: 'takes every spec, whatever it asks for',
    found: each(
      'promises',
      'refuses-cpuCores refuses-memoryBytes refuses-diskBytes refuses-pids refuses-network-none refuses-mounts refuses-read-only-root refuses-shm refuses-unknown-runtime',
    ),
    backend: (sound) => ({
      create: ({ backend, cwd, persistent }, options) => sound.create(plainSpec(backend, { cwd, persistent }), options),
    }),
  },
  {
    about: 'tells other promises each time',
    found: ['promises.stable'],
    backend: forgetful,
  },
  {
    about: 'says not why it holds no limit, is never ready, and looks when no caller waits any more',
    found: ['promises.limits', 'promises.check', 'promises.aborted'],
    backend: (sound) => ({
      guarantees: async () => ({ ...(await sound.guarantees()), limits: silent }),
      check: async () => ({ ...(await sound.check()), status: 'unhealthy' }),
    }),
  },
];

const held = { enforced: true, by: 'a promise' } as const;
const silent = mapLimits({ enforced: false, reason: '' });

const everything: Partial<Guarantees> = {
  limits: mapLimits(held),
  network: ['open', 'none'],
  persistence: 'directory',
  ephemeral: true,
  kill: 'tree',
  mounts: 'read-write',
  hardening: { readOnlyRoot: true, seccomp: true, runtimes: ['runsc'], shm: true, hostUser: true },
};

function mapLimits(value: Enforcement): Guarantees['limits'] {
  return { cpuCores: value, memoryBytes: value, diskBytes: value, pids: value };
}

const noTerminal: NonNullable<Sandbox['pty']> = {
  exec: async () => ({ ...doneAtOnce(null), resize: async () => undefined }),
};

const sameUser: NonNullable<Sandbox['users']> = {
  as: () => ({ exec: async () => doneAtOnce(null) }),
};

const noStats: NonNullable<Sandbox['stats']> = {
  read: async () => ({
    cpuNanos: -1,
    memoryBytes: Number.NaN,
    memoryLimitBytes: null,
    pids: null,
    pidsLimit: null,
    networkReceivedBytes: null,
    networkSentBytes: null,
  }),
};

function stopsOnce({ power }: Sandbox): Partial<Sandbox> {
  if (power === undefined) return {};
  let isStopped = false;
  const stop: typeof power.stop = async (options) => {
    if (isStopped) throw new CaissonError('failed_precondition', 'it is stopped already');
    isStopped = true;
    await power.stop(options);
  };
  return { power: { ...power, stop } };
}

function closingAll(sound: Backend): Partial<Backend> {
  let instance = '';
  return {
    create: (spec, options) => {
      ({ instance } = options.labels);
      return sound.create(spec, options);
    },
    close: async () => {
      for (const { ref } of await sound.list({ instance })) await (await sound.attach(ref)).destroy();
    },
  };
}

function forgetful(sound: Backend): Partial<Backend> {
  let times = 0;
  return {
    guarantees: async () => {
      times += 1;
      return { ...(await sound.guarantees()), network: times % 2 === 0 ? [] : ['open'] };
    },
  };
}

function onlyOne(sound: Backend): Partial<Backend> {
  let only: Promise<Sandbox> | null = null;
  return { create: (spec, options) => (only ??= sound.create(spec, options)) };
}

/** The backend of docs/writing-a-backend.md, by the contract's own cases. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/backend.ts';
import { open } from '../../examples/backend/backend.ts';
import { sh } from './command.ts';
import { Place } from './place.ts';
import { plainSpec } from './spec.ts';
import { casesOf, testBackend } from './suite.ts';

const directory = mkdtempSync(join(tmpdir(), 'caisson-example-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Node gives a child sockets, which cannot be opened by their path (ENXIO, open(2)). */
const reason = 'its streams are sockets, which have no path';
const deviations = {
  'shell.reopened': {
    reason,
    instead: async (place: Place) => {
      expect((await sh(await place.sandbox(), 'echo out >/dev/stdout')).exitCode).not.toBe(0);
    },
  },
  'stdin.reopened': {
    reason,
    instead: async (place: Place) => {
      expect((await sh(await place.sandbox(), 'cat </dev/stdin', { stdin: 'by path' })).exitCode).not.toBe(0);
    },
  },
};

const subject = {
  name: 'example',
  open: (instance: string) => open({ env: {}, instance, settings: { directory } }),
  spec: plainSpec('directory', { cwd: directory, persistent: true }),
  deviations,
};

await testBackend(subject);

/** Long enough for a sound backend; a case that hangs has failed. */
const timeoutMs = 40_000;

describe('a broken variant fails the cases of what it breaks, and no other', { timeout: 300_000 }, () => {
  it.each<[string, (backend: Backend) => Partial<Backend>, readonly string[]]>([
    [
      'lists nothing of its instance',
      (sound) => ({ list: async (options) => await sound.list({ ...options, instance: 'other' }) }),
      ['lifecycle.labels', 'lifecycle.parallel', 'naming.same', 'naming.race', 'naming.replace'],
    ],
    [
      'takes any spec',
      (sound) => ({ create: async (_spec, options) => await sound.create(subject.spec, options) }),
      [
        ...['cpuCores', 'memoryBytes', 'diskBytes', 'pids', 'network-none', 'mounts', 'read-only-root', 'shm'],
        'unknown-runtime',
      ].map((control) => `promises.refuses-${control}`),
    ],
  ])('%s', async (_about, variant, failing) => {
    const broken = (instance: string): Backend => {
      const backend = subject.open(instance);
      const sound = {
        name: backend.name,
        guarantees: backend.guarantees.bind(backend),
        check: backend.check.bind(backend),
        create: backend.create.bind(backend),
        attach: backend.attach.bind(backend),
        list: backend.list.bind(backend),
        close: backend.close.bind(backend),
      };
      return { ...sound, ...variant(sound) };
    };
    const place = await Place.open({ ...subject, open: broken });
    const failed: string[] = [];
    for (const { meta, body } of casesOf(place)) {
      const passed = body(place).then(
        () => true,
        () => false,
      );
      if (!(await Promise.race([passed, sleep(timeoutMs, false)]))) failed.push(meta.id);
    }
    expect(failed).toEqual(failing);
  });
});

/** Every case must be able to fail: the suite is run on backends that are known to be broken. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { open as openLocal } from '../../backends/local/backend.ts';
import type { Backend, Sandbox } from '../../src/backend.ts';
import { isCode } from '../../src/errors.ts';
import { beyondDefects, defects } from './defects/all.ts';
import type { Defect } from './defects/defect.ts';
import { runsNothing } from './defects/processes.ts';
import { core } from './core/all.ts';
import { Place } from './place.ts';
import { plainSpec } from './spec.ts';
import { casesOf } from './suite.ts';

const temporary = mkdtempSync(join(tmpdir(), 'caisson-defects-'));
afterAll(() => rmSync(temporary, { recursive: true }));

/** A case that neither passes nor fails by then hangs, which is a way of failing. */
const timeoutMs = 4000;
const soundTimeoutMs = 60_000;

const sound = (instance: string): Backend => openLocal({ env: { ...process.env, TMPDIR: temporary }, instance });

describe('the suite finds a backend that', () => {
  for (const defect of defects) {
    test(defect.about, { timeout: 60_000 }, async () => {
      expect(await missed(defect, defect.found)).toEqual([]);
    });
  }

  test(`${runsNothing.about}, by every case that finds no other`, { timeout: 300_000 }, async () => {
    const others = new Set([...defects.flatMap(({ found }) => found), ...Object.keys(beyondDefects)]);
    const rest = (await soundIds()).filter((id) => !others.has(id));
    expect(rest).toContain('lifecycle.create');
    expect(await missed(runsNothing, rest)).toEqual([]);
  });
});

describe('the suite finds nothing wrong', () => {
  test('with a sound backend behind the same wrapper', { timeout: 300_000 }, async () => {
    const place = await open(sane);
    const named = new Set(defects.flatMap(({ found }) => found));
    const failed: string[] = [];
    try {
      for (const id of (await soundIds()).filter((each) => named.has(each)))
        if (!(await passes(place, id, soundTimeoutMs))) failed.push(id);
    } finally {
      await sweep(place.instance);
    }
    expect(failed).toEqual([]);
  });
});

const sane: Defect = { about: 'none', found: [] };

async function open(defect: Defect): Promise<Place> {
  return await Place.open(
    {
      name: 'defective',
      open: (instance) => broken(sound(instance), defect),
      spec: plainSpec('local', { cwd: temporary, persistent: true }),
    },
    core.init,
  );
}

async function soundIds(): Promise<readonly string[]> {
  const place = await open(sane);
  const ids = casesOf(place, core).map(({ meta }) => meta.id);
  await sweep(place.instance);
  return ids;
}

/** Those of the cases that do not see the defect. */
async function missed(defect: Defect, ids: readonly string[]): Promise<readonly string[]> {
  const place = await open(defect);
  const passed: string[] = [];
  try {
    for (const id of ids) if (await passes(place, id)) passed.push(id);
  } finally {
    await sweep(place.instance);
  }
  return passed;
}

async function passes(place: Place, id: string, waitMs = timeoutMs): Promise<boolean> {
  const found = casesOf(place, core).find(({ meta }) => meta.id === id);
  if (found === undefined) throw new Error(`there is no case ${id}`);
  const run = found.body(place).then(
    () => true,
    () => false,
  );
  return await Promise.race([run, sleep(waitMs, false)]);
}

/** Through a sound backend: the broken one may not destroy. A case that is over by its time may still remove its own. */
async function sweep(instance: string): Promise<void> {
  const backend = sound(instance);
  for (const { ref } of await backend.list({ instance }))
    await backend.attach(ref).then(
      async (sandbox) => await sandbox.destroy(),
      (error: unknown) => {
        if (!isCode(error, 'not_found')) throw error;
      },
    );
  await backend.close();
}

function broken(backend: Backend, defect: Defect): Backend {
  return {
    name: backend.name,
    guarantees: (options) => backend.guarantees(options),
    check: (options) => backend.check(options),
    create: async (spec, options) =>
      damaged(await backend.create(spec, { ...options, ...defect.create?.(options) }), defect),
    attach: async (ref, options) => damaged(await backend.attach(ref, options), defect),
    list: (options) => backend.list(options),
    close: () => backend.close(),
    ...defect.backend?.(backend),
  };
}

function damaged(sandbox: Sandbox, defect: Defect): Sandbox {
  const exec: Sandbox['exec'] = (command, options) => sandbox.exec(command, options);
  return {
    ref: sandbox.ref,
    place: sandbox.place,
    get state() {
      return sandbox.state;
    },
    ...(sandbox.power === undefined ? {} : { power: sandbox.power }),
    destroy: (options) => sandbox.destroy(options),
    exec: (command, options) => defect.exec?.(exec, command, options) ?? exec(command, options),
    ...defect.sandbox?.(sandbox),
  };
}

/** Every case must be able to fail: the suite is run on backends that are known to be broken. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { open } from '../../backends/local/backend.ts';
import type { Backend, Sandbox } from '../../src/backend.ts';
import { type Defect, defects } from './defects.ts';
import { Place } from './place.ts';
import { plainSpec } from './spec.ts';
import { casesOf } from './suite.ts';

const temporary = mkdtempSync(join(tmpdir(), 'caisson-defects-'));
afterAll(() => rmSync(temporary, { recursive: true }));

/** A case that neither passes nor fails by then hangs, which is a way of failing. */
const patienceMs = 4000;

const sound = (instance: string): Backend => open({ env: { ...process.env, TMPDIR: temporary }, instance });

describe('the suite finds a backend that', () => {
  for (const defect of defects) {
    test(defect.about, { timeout: 60_000 }, async () => {
      const place = await Place.open({
        name: 'defective',
        open: (instance) => broken(sound(instance), defect),
        spec: plainSpec('local', { cwd: temporary, persistent: true }),
      });
      try {
        for (const id of defect.found) expect({ id, passed: await passes(place, id) }).toEqual({ id, passed: false });
      } finally {
        await sweep(place.instance);
      }
    });
  }
});

describe('the suite finds nothing wrong', () => {
  test('with a sound backend behind the same wrapper', { timeout: 120_000 }, async () => {
    const about: Defect = { about: 'none', found: [] };
    const spec = plainSpec('local', { cwd: temporary, persistent: true });
    const place = await Place.open({ name: 'sound', open: (instance) => broken(sound(instance), about), spec });
    const ids = new Set(defects.flatMap(({ found }) => found));
    try {
      for (const id of ids) expect({ id, passed: await passes(place, id) }).toEqual({ id, passed: true });
    } finally {
      await sweep(place.instance);
    }
  });
});

async function passes(place: Place, id: string): Promise<boolean> {
  const found = casesOf(place).find(({ meta }) => meta.id === id);
  if (found === undefined) throw new Error(`there is no case ${id}`);
  const run = found.body(place).then(
    () => true,
    () => false,
  );
  return await Promise.race([run, sleep(patienceMs, false)]);
}

/** Through a sound backend: the broken one may not destroy. */
async function sweep(instance: string): Promise<void> {
  const backend = sound(instance);
  for (const { ref } of await backend.list({ instance })) await (await backend.attach(ref)).destroy();
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
    list: defect.list ?? ((options) => backend.list(options)),
    close: () => backend.close(),
    ...(defect.createInstead === undefined ? {} : { create: defect.createInstead(backend) }),
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

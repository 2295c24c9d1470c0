/** What the documents print about serverless backends, down to what the backend is asked to make. */
import { noWayOut } from './no-way-out.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { auditIn } from '../../src/audit/log.ts';
import { loadConfig } from '../../src/config/load.ts';
import { known } from '../config/known.ts';
import { openCaisson } from '../../src/main.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import type { Context } from '../../src/sandbox/context.ts';
import { LaneTally } from '../../src/exec/lane/tally.ts';
import { Budgets } from '../../src/budget/budgets.ts';
import { noClaims } from './no-claims.ts';
import { Gate } from '../../src/sandbox/gate.ts';
import { Plans } from '../../src/sandbox/plan.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { fakeBackend } from '../fixtures/fake-backend/backend.ts';
import { FakePlace } from '../fixtures/fake-backend/place.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Uses } from '../../src/sandbox/use.ts';

const documented = `terminal:
  backend: "modal"
  modal_image: "nikolaik/python-nodejs:python3.11-nodejs20"
  container_persistent: true
`;

function homeWith(text: string): string {
  const root = mkdtempSync(join(tmpdir(), 'caisson-image-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 });
  return home;
}

/** A place called modal that keeps files as the real one does. */
async function placeFor(home: string): Promise<{ readonly context: Context; readonly place: FakePlace }> {
  const place = new FakePlace();
  const backend = fakeBackend({ name: 'modal', place, guarantees: { isolation: 'container', persistence: 'place' } });
  const { store } = await openStore(join(home, 'caisson.db'));
  onTestFinished(async () => {
    await store.close();
    await place.dispose();
  });
  const context = {
    home,
    store,
    clock: systemClock,
    uses: new Uses(store, systemClock),
    audit: auditIn(join(home, 'audit'), { storeBytes: 1e6, fileBytes: 1e6, holder: store.holderId }),
    backend: (name: string) =>
      name === 'modal' ? Promise.resolve(backend) : Promise.reject(new Error(`asked for ${name}`)),
    wayOut: noWayOut(() => Promise.resolve(backend)),
    gate: new Gate(1),
    claims: noClaims,
    budgets: new Budgets(() => ({})),
    live: new Map(),
    measuring: new Map(),
    env: {},
    lanes: true,
    laneTally: new LaneTally(),
    requirePatchedRuntime: false,
    allowed: () => ({}),
    registries: { registries: {}, owners: {} },
  };
  return { context, place };
}

it.each([
  [documented, 'nikolaik/python-nodejs:python3.11-nodejs20', true],
  [documented.replace('nikolaik/python-nodejs:python3.11-nodejs20', 'debian:12'), 'debian:12', true],
  [documented.replace('true', 'false'), 'nikolaik/python-nodejs:python3.11-nodejs20', false],
])('a sandbox under %j has that image and that persistence', async (text, image, persistent) => {
  const home = homeWith(text);
  const { context, place } = await placeFor(home);
  const loaded = await loadConfig({ backends: known, home, env: {}, cwd: home });
  const plan = await new Plans(context, { loaded, cwd: home }).planFor({ taskId: 'demo' }, {});
  const { row } = await acquire(context, plan, {});
  expect(row.backend).toBe('modal');
  expect([...place.resources.values()].map(({ spec }) => [spec.image, spec.persistent])).toEqual([[image, persistent]]);
});

it('a backend that cannot be used says what is missing, and nothing is made elsewhere', async () => {
  const home = homeWith(documented.replace('backend: "modal"', 'backend: "daytona"'));
  const caisson = await openCaisson({ home, env: { HOME: home }, cwd: home });
  onTestFinished(async () => await caisson.close());
  await expect(caisson.sandboxes.create({ taskId: 'demo' })).rejects.toMatchObject({
    code: 'failed_precondition',
    remedy: expect.stringContaining('DAYTONA_API_KEY'),
  });
  expect((await caisson.sandboxes.list()).items).toEqual([]);
});

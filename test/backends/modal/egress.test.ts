/** What the service gets of a filtered network: at the creation, while it runs, and when it is started anew. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { open } from '../../../backends/modal/backend.ts';
import type { Backend, Ref, Sandbox, Spec } from '../../../src/backend.ts';
import { type ModalEmulator, startModal } from '../../../emulators/modal/emulator.ts';
import { sh } from '../../conformance/command.ts';
import { plainSpec } from '../../conformance/spec.ts';
import { whyNoModal } from '../../engines/modal.ts';
import { optionsFor } from './place.ts';

const instance = 'egress';
const plain: Spec = plainSpec('modal', { image: 'debian:12', cwd: '/root', persistent: true });
const spec: Spec = { ...plain, network: 'filtered', filteredBy: 'place' };

let modal: ModalEmulator;
let backend: Backend;
const list = (...domains: readonly string[]) => ({ cidrs: [], domains });

async function networks(): Promise<readonly unknown[]> {
  const { sandboxes } = await modal.orders.state();
  return sandboxes.filter(({ status }) => status === null).map(({ network }) => network);
}

/** The ref that core would have stored. */
async function power(sandbox: Sandbox, verb: 'stop' | 'start', egress?: readonly string[]): Promise<Ref> {
  let { ref } = sandbox;
  await sandbox.power?.[verb]({ onRef: async (next) => void (ref = next), egress });
  return ref;
}

describe.skipIf(whyNoModal !== null)('a filtered network at Modal', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    modal = await startModal({ unsafe: false });
    backend = open({ env: modal.environment, instance, settings: {} });
  });
  afterEach(async () => {
    await backend.close();
    await modal.close();
  });

  it('is an allow list of names without a single address', async () => {
    const egress = ['*.a.example', 'b.example'];
    const sandbox = await backend.create(spec, optionsFor(instance, 'one', { egress }));
    expect(await networks()).toEqual([list('*.a.example', 'b.example')]);
    expect(String((await sh(sandbox, 'tail -n +2 /proc/net/route; echo end')).stdout)).toBe('end\n');
  });

  it.each([[[]], [undefined]])('lets nothing out where no names are given (%j)', async (egress) => {
    await backend.create(spec, optionsFor(instance, 'none', { egress }));
    expect(await networks()).toEqual([list()]);
  });

  it('has other names while it runs, also for a process that finds it later', async () => {
    const made = await backend.create(spec, optionsFor(instance, 'live', { egress: ['a.example'] }));
    await made.egress?.replace(['b.example']);
    expect(await networks()).toEqual([list('b.example')]);
    await (await backend.attach(made.ref)).egress?.replace([]);
    expect(await networks()).toEqual([list()]);
  });

  it('is changed also with a token that has expired meanwhile, and over a service that was away', async () => {
    const made = await backend.create(spec, optionsFor(instance, 'token', { egress: ['a.example'] }));
    await modal.orders['expire-tokens']();
    await made.egress?.replace(['b.example']);
    await modal.orders.fault({ kind: 'lose', method: 'TaskSetNetworkAccess', times: 1 });
    await made.egress?.replace(['c.example']);
    expect(await networks()).toEqual([list('c.example')]);
  });

  it('of a sandbox that has ended is not found', async () => {
    const made = await backend.create({ ...spec, persistent: false }, optionsFor(instance, 'gone', { egress: [] }));
    await modal.orders.end({ sandbox: made.ref['id'] });
    await expect(made.egress?.replace(['b.example'])).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is what it is by now when it is started, and nothing where nothing is said', async () => {
    const made = await backend.create(spec, optionsFor(instance, 'again', { egress: ['a.example'] }));
    const stopped = await backend.attach(await power(made, 'stop'));
    await expect(stopped.egress?.replace(['b.example'])).rejects.toMatchObject({ code: 'failed_precondition' });
    const started = await backend.attach(await power(stopped, 'start', ['c.example']));
    expect(await networks()).toEqual([list('c.example')]);
    await power(await backend.attach(await power(started, 'stop')), 'start');
    expect(await networks()).toEqual([list()]);
  });

  it('is that of now in what a lost answer has left behind', async () => {
    const options = (egress: readonly string[]) => optionsFor(instance, 'lost', { egress });
    const first = await backend.create(spec, options(['a.example']));
    const second = await backend.create(spec, { ...options(['b.example']) });
    expect([second.ref['id'], await networks()]).toEqual([first.ref['id'], [list('b.example')]]);
  });

  it('is known by the tags of a sandbox whose ref is lost', async () => {
    await backend.create(spec, optionsFor(instance, 'tags', { egress: ['a.example'] }));
    const [listed] = await backend.list({ instance });
    expect(listed?.ref).toMatchObject({ network: 'filtered' });
  });

  it('is no list at all where the network is open or blocked', async () => {
    await backend.create({ ...plain, network: 'open' }, optionsFor(instance, 'open'));
    await backend.create({ ...plain, network: 'none' }, optionsFor(instance, 'blocked'));
    expect(await networks()).toEqual(['blocked', 'open']);
  });
});

/** What the suite cannot see: requests, their order, and what is left at the service. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { open } from '../../../backends/modal/backend.ts';
import type { Backend, Ref, Sandbox, Spec } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { type ModalEmulator, startModal } from '../../../emulators/modal/emulator.ts';
import { eventually, finish, sh, start } from '../../conformance/command.ts';
import { plainSpec } from '../../conformance/spec.ts';
import { whyNoModal } from '../../engines/modal.ts';
import { optionsFor } from './place.ts';

const instance = 'unit';
const spec: Spec = plainSpec('modal', { image: 'debian:12', cwd: '/root', persistent: true });

interface Request {
  readonly method: string;
  readonly request: unknown;
}

let modal: ModalEmulator;
let seen: (Request | 'stored')[] = [];
const opened: Backend[] = [];

function openBackend(settings: Readonly<Record<string, unknown>> = {}, env = modal.environment): Backend {
  const backend = open({ env, instance, settings });
  opened.push(backend);
  return backend;
}

const state = async () => await modal.orders.state();
const running = async () => (await state()).sandboxes.filter(({ status }) => status === null);
const orderOf = (...names: readonly string[]): readonly string[] =>
  seen.map((entry) => (entry === 'stored' ? entry : entry.method)).filter((name) => names.includes(name));

/** Stops or starts a sandbox and stores its refs like core. */
async function power(sandbox: Sandbox, verb: 'stop' | 'start'): Promise<Ref> {
  let { ref } = sandbox;
  await sandbox.power?.[verb]({
    onRef: async (next) => {
      seen.push('stored');
      ref = next;
    },
  });
  return ref;
}

describe.skipIf(whyNoModal !== null)('the modal backend', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    seen = [];
    modal = await startModal({ unsafe: false, onCall: ({ method, request }) => void seen.push({ method, request }) });
  });
  afterEach(async () => {
    for (const backend of opened.splice(0)) await backend.close();
    await modal.close();
  });

  it('makes a sandbox with tags, limits, lifetimes and its network in one request', async () => {
    const limits = { ...spec.limits, cpuCores: 0.5, memoryBytes: 100_000_000 };
    const settings = { lifetime_seconds: 3600, idle_seconds: 120 };
    await openBackend(settings).create({ ...spec, limits, network: 'none' }, optionsFor(instance, 'one'));
    const [created] = seen.flatMap((entry) =>
      entry !== 'stored' && entry.method === 'SandboxCreateV2' ? [entry] : [],
    );
    expect(created?.request).toMatchObject({
      tags: expect.arrayContaining([{ tagName: 'caisson-sandbox', tagValue: 'sbx_one' }]),
      definition: {
        name: 'caisson-unit-one',
        timeoutSecs: 3600,
        idleTimeoutSecs: 120,
        networkAccess: { networkAccessType: 2 },
        resources: { milliCpu: 500, milliCpuMax: 500, memoryMb: 96, memoryMbMax: 96 },
        experimentalOptionsV2: { enable_exit_snapshot: expect.any(String) },
      },
    });
  });

  it('stores the snapshot before the sandbox ends, and deletes an older one after a newer one is stored', async () => {
    const backend = openBackend();
    const first = await backend.create(spec, optionsFor(instance, 'order'));
    const again = await backend.attach(await power(await backend.attach(await power(first, 'stop')), 'start'));
    seen = [];
    const ref = await power(again, 'stop');
    expect(orderOf('TaskSnapshotFilesystem', 'stored', 'SandboxTerminateV2', 'ImageDelete').slice(0, 3)).toEqual([
      'TaskSnapshotFilesystem',
      'stored',
      'SandboxTerminateV2',
    ]);
    const { images } = await state();
    expect(images.filter((id) => id === ref['image'])).toHaveLength(1);
    // That of the reference, and the snapshot.
    expect(images).toHaveLength(2);
    await (await backend.attach(ref)).destroy();
    expect((await state()).images).toHaveLength(1);
  });

  it('leaves the sandbox as it is, and no snapshot, when the new ref cannot be stored', async () => {
    const sandbox = await openBackend().create(spec, optionsFor(instance, 'refused'));
    const onRef = async (): Promise<void> => await Promise.reject(new CaissonError('unavailable', 'the disk is full'));
    await expect(sandbox.power?.stop({ onRef })).rejects.toThrow('the disk is full');
    expect((await sh(sandbox, 'echo alive')).stdout.toString()).toBe('alive\n');
    expect((await state()).images).toHaveLength(1);
  });

  it('goes on with a stop that was cut off after the ref was stored', async () => {
    const backend = openBackend();
    const sandbox = await backend.create(spec, optionsFor(instance, 'cut'));
    await sh(sandbox, 'echo kept >note', { cwd: '/root' });
    let ref: Ref | null = null;
    const onRef = async (next: Ref): Promise<void> => {
      ref = next;
      await modal.orders.fault({ kind: 'fail', method: 'SandboxTerminateV2', times: 100, code: 'PERMISSION_DENIED' });
    };
    await expect(sandbox.power?.stop({ onRef })).rejects.toMatchObject({ code: 'permission_denied' });
    await modal.orders.clear();
    expect(await running()).toHaveLength(1);
    const again = await backend.attach(await power(await backend.attach(ref ?? sandbox.ref), 'start'));
    expect(await running()).toHaveLength(1);
    expect((await sh(again, 'cat note', { cwd: '/root' })).stdout.toString()).toBe('kept\n');
  });

  it('says since when files are missing where the service made no snapshot at the end', async () => {
    const backend = openBackend();
    const first = await backend.create(spec, optionsFor(instance, 'lost'));
    const again = await backend.attach(await power(await backend.attach(await power(first, 'stop')), 'start'));
    await modal.orders.end({ sandbox: again.place.resource });
    await modal.orders.advance({ ms: 31 * 24 * 3_600_000 });
    const stopped = await backend.attach(again.ref);
    expect([stopped.state, stopped.lost]).toEqual(['stopped', { since: again.ref['taken'] }]);
    expect((await backend.attach(await power(stopped, 'start'))).lost).toBeUndefined();
  });

  it('refuses one more sandbox than the ceiling, with the names of those that run', async () => {
    const backend = openBackend({ max_sandboxes: 1 });
    const first = await backend.create(spec, optionsFor(instance, 'first'));
    await expect(backend.create(spec, optionsFor(instance, 'second'))).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { running: ['caisson-unit-first'] },
    });
    // A sandbox that is created again does not count once more.
    expect((await backend.create(spec, optionsFor(instance, 'first', {}))).place).toEqual(first.place);
    expect(await running()).toHaveLength(1);
  });

  it('lists what runs in the account, also what is not of Caisson', async () => {
    const backend = openBackend();
    await backend.create(spec, optionsFor(instance, 'ours'));
    const entries = await backend.account?.list();
    expect(entries).toEqual([
      expect.objectContaining({
        name: 'caisson-unit-ours',
        state: 'running',
        labels: expect.objectContaining({ instance }),
      }),
    ]);
  });

  it('takes an error of authorization for no end of a sandbox', async () => {
    const { ref } = await openBackend().create(spec, optionsFor(instance, 'guarded'));
    const wrong = openBackend({}, { ...modal.environment, MODAL_TOKEN_SECRET: 'as-wrong' });
    await expect(wrong.attach(ref)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(wrong.list({ instance })).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await wrong.check()).toMatchObject({ status: 'missing', remedy: expect.stringContaining('MODAL_TOKEN_ID') });
  });

  it('sends credentials to no address with plain http but this machine', async () => {
    const backend = openBackend({}, { ...modal.environment, MODAL_SERVER_URL: 'http://modal.example:8080' });
    await expect(backend.guarantees()).rejects.toMatchObject({
      code: 'failed_precondition',
      details: { host: 'modal.example:8080' },
    });
  });

  it('resumes a stream that breaks in the middle, at the byte where it broke', async () => {
    const sandbox = await openBackend().create(spec, optionsFor(instance, 'stream'));
    const text = 'i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); sleep 0.005; done; exit 7';
    const process = await start(sandbox, ['sh', '-c', text]);
    const ended = finish(process);
    for (let cut = 0; cut < 4; cut += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await modal.orders.drop();
    }
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(7);
    expect(stdout.toString()).toBe(Array.from({ length: 400 }, (_, at) => `line ${at}\n`).join(''));
  });

  it('waits as long as the service says when it is asked too often', async () => {
    const backend = openBackend();
    await backend.guarantees();
    await modal.orders.fault({ kind: 'throttle', method: 'SandboxCreateV2', times: 3, retryAfterSecs: 0.2 });
    await backend.create(spec, optionsFor(instance, 'throttled'));
    expect(await running()).toHaveLength(1);
  });

  it('leaves no sandbox when its directory cannot be made', async () => {
    const making = openBackend().create({ ...spec, cwd: '/proc/nowhere' }, optionsFor(instance, 'nowhere'));
    await expect(making).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(await eventually(async () => (await running()).length === 0)).toBe(true);
  });
});

/**
 * What the facts about Modal leave open, asked of the service itself: needs an account and costs a little money. Set
 * CAISSON_LIVE_MODAL=1 beside MODAL_TOKEN_ID and MODAL_TOKEN_SECRET.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { open } from '../../backends/modal/backend.ts';
import type { Ref, Sandbox } from '../../src/backend.ts';
import { sh } from '../conformance/command.ts';
import { plainSpec } from '../conformance/spec.ts';
import { optionsFor } from '../backends/modal/place.ts';

const { CAISSON_LIVE_MODAL, MODAL_TOKEN_ID, MODAL_TOKEN_SECRET } = process.env;
const why =
  CAISSON_LIVE_MODAL === '1' && MODAL_TOKEN_ID !== undefined && MODAL_TOKEN_SECRET !== undefined
    ? null
    : 'CAISSON_LIVE_MODAL=1, MODAL_TOKEN_ID and MODAL_TOKEN_SECRET are not set';

if (why !== null) console.warn(`NOT RUN: live suite of modal: ${why}`);

const instance = `live${randomBytes(4).toString('hex')}`;
const backend = open({ env: process.env, instance, settings: { app: 'caisson-live', idle_seconds: 120 } });
afterAll(() => backend.close());
const spec = { ...plainSpec('modal', { image: 'debian:12', cwd: '/workspace', persistent: true }) };

describe('modal, live', { timeout: 600_000 }, () => {
  beforeEach(({ skip }) => {
    if (why !== null) skip(`NOT RUN: live suite of modal: ${why}`);
  });

  const made = async (patch: Partial<typeof spec>, id: string): Promise<Sandbox> =>
    await backend.create({ ...spec, ...patch }, optionsFor(instance, id));

  it('starts a command as the leader of its own group, which a signal then reaches', async () => {
    const sandbox = await made({}, 'group');
    const { stdout } = await sh(sandbox, 'read -r stat </proc/$$/stat; set -- ${stat##*) }; echo "$$ $3"');
    const [pid, group] = stdout.toString().trim().split(' ');
    expect(group).toBe(pid);
    await sandbox.destroy();
  });

  it('has no way out with the network none', async () => {
    const sandbox = await made({ network: 'none' }, 'none');
    expect((await sh(sandbox, 'timeout 5 sh -c "exec 3<>/dev/tcp/1.1.1.1/443" 2>&1')).exitCode).not.toBe(0);
    await sandbox.destroy();
  });

  it('ends a command that takes more memory than the limit', async () => {
    const limits = { ...spec.limits, memoryBytes: 256 * 2 ** 20 };
    const sandbox = await made({ limits }, 'memory');
    expect((await sh(sandbox, 'head -c 600000000 /dev/zero | tail -c 1')).exitCode).not.toBe(0);
    await sandbox.destroy();
  });

  it('keeps files through stop and start', async () => {
    const sandbox = await made({}, 'files');
    let { ref } = sandbox;
    const onRef = async (next: Ref): Promise<void> => void (ref = next);
    await sh(sandbox, 'echo kept >/workspace/note');
    await sandbox.power?.stop({ onRef });
    await (await backend.attach(ref)).power?.start({ onRef });
    const again = await backend.attach(ref);
    expect((await sh(again, 'cat /workspace/note')).stdout.toString()).toBe('kept\n');
    await again.destroy();
  });

  it('leaves a snapshot of the end of a sandbox that it ends for being idle', async () => {
    const sandbox = await made({}, 'idle');
    await sh(sandbox, 'echo kept >/workspace/note');
    await new Promise((resolve) => setTimeout(resolve, 200_000));
    const stopped = await backend.attach(sandbox.ref);
    expect([stopped.state, stopped.lost]).toEqual(['stopped', undefined]);
    await stopped.destroy();
  });

  it('answers not_found for a sandbox that was destroyed', async () => {
    const sandbox = await made({}, 'gone');
    await sandbox.destroy();
    await expect(backend.attach(sandbox.ref)).rejects.toMatchObject({ code: 'not_found' });
  });
});

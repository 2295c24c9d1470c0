/**
 * What the facts about Daytona leave open, asked of the service itself: needs an account and costs a little money. Set
 * CAISSON_LIVE_DAYTONA=1 beside DAYTONA_API_KEY.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { open } from '../../backends/daytona/backend.ts';
import type { CreateOptions, Spec } from '../../src/backend.ts';
import { run, sh } from '../conformance/command.ts';
import { plainSpec } from '../conformance/spec.ts';

const { CAISSON_LIVE_DAYTONA, DAYTONA_API_KEY } = process.env;
const why =
  CAISSON_LIVE_DAYTONA === '1' && DAYTONA_API_KEY !== undefined
    ? null
    : 'CAISSON_LIVE_DAYTONA=1 and DAYTONA_API_KEY are not set';
if (why !== null) console.warn(`NOT RUN: live suite of daytona: ${why}`);

const instance = `live${randomBytes(4).toString('hex')}`;
const backend = open({ env: process.env, instance, settings: { idle_minutes: 5 } });
const spec = plainSpec('daytona', { image: 'debian:12', cwd: '/workspace', persistent: true });
const options = (id: string): CreateOptions => ({
  name: `caisson-${instance}-${id}`,
  labels: {
    instance,
    sandbox: `sbx_${id}`,
    task: id,
    fingerprint: 'f',
    created: new Date().toISOString(),
    schema: '1',
  },
  directory: null,
  credentials: null,
  init: ['sh'],
});
const made = (id: string, patch: Partial<Spec> = {}) => backend.create({ ...spec, ...patch }, options(id));

afterAll(async () => {
  if (why !== null) return;
  for (const { ref } of await backend.list({ instance })) await (await backend.attach(ref)).destroy();
  await backend.close();
}, 120_000);

describe.skipIf(why !== null)(`daytona, live${why === null ? '' : `: NOT RUN: ${why}`}`, { timeout: 900_000 }, () => {
  it('carries every byte both ways, through the login shell that the service starts', async () => {
    const sandbox = await made('bytes');
    const sent = randomBytes(2 ** 20);
    const { exitCode, stdout } = await run(sandbox, ['cat'], { stdin: sent });
    expect({ exitCode, same: stdout.equals(sent) }).toEqual({ exitCode: 0, same: true });
    await sandbox.destroy();
  });

  it('keeps a terminal while no connection is attached to it', async () => {
    const sandbox = await made('silent');
    expect((await sh(sandbox, 'sleep 100; echo late')).stdout.toString()).toBe('late\n');
    await sandbox.destroy();
  });

  it('has no way out with the network none, and says so in its record', async () => {
    const sandbox = await made('none', { network: 'none' });
    expect((await sh(sandbox, 'timeout 5 bash -c "exec 3<>/dev/tcp/1.1.1.1/443" 2>&1')).exitCode).not.toBe(0);
    await sandbox.destroy();
  });

  it('keeps files through stop and start', async () => {
    const sandbox = await made('files');
    const stay = { onRef: async () => undefined };
    await sh(sandbox, 'echo kept >/workspace/note');
    await sandbox.power?.stop(stay);
    await sandbox.power?.start(stay);
    expect((await sh(sandbox, 'cat /workspace/note')).stdout.toString()).toBe('kept\n');
    await sandbox.destroy();
  });
});

import { afterAll, describe, expect, it } from 'vitest';
import { daytonaImage, startDaytonaHere, whyNoDaytona } from '../../engines/daytona.ts';
import { backendOn, instance, options, spec } from './place.ts';

const why = whyNoDaytona();
const emulator = why === null ? await startDaytonaHere() : null;
const backend = emulator === null ? null : backendOn(emulator);
afterAll(async () => {
  await backend?.close();
  await emulator?.close();
});

describe.skipIf(why !== null)('an account at Daytona', { timeout: 60_000 }, () => {
  it('is shown with all that runs in it, also what is not of Caisson', async () => {
    const made = await backend?.create(spec, options('shown'));
    const { environment } = emulator ?? expect.fail('no emulator');
    const headers = { authorization: `Bearer ${environment['DAYTONA_API_KEY'] ?? ''}` };
    const body = JSON.stringify({ name: 'of-others' });
    await fetch(`${environment['DAYTONA_API_URL'] ?? ''}/sandbox`, { method: 'POST', headers, body });
    const entries = await backend?.account?.list();
    expect(entries?.find(({ labels }) => labels?.sandbox === 'sbx_shown')).toMatchObject({
      state: 'running',
      labels: { instance, task: 'task-shown' },
    });
    expect(entries?.find(({ name }) => name === 'of-others')).toMatchObject({ labels: null });
    expect((await backend?.list({ instance }))?.map(({ labels }) => labels.sandbox)).toEqual(['sbx_shown']);
    await made?.destroy();
  });

  it('refuses one sandbox more than the ceiling, with the names of those that run, and makes nothing', async () => {
    const full = backendOn(emulator ?? expect.fail('no emulator'), { max_sandboxes: 1 });
    await expect(full.create(spec, options('beyond'))).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { running: ['of-others'], limit: 1 },
    });
    expect(emulator?.count()).toBe(1);
    await full.close();
  });

  it('whose key has expired loses no sandbox, and says what is wrong', async () => {
    const made = await backend?.create({ ...spec, image: daytonaImage }, options('expired'));
    await emulator?.inject({ fault: 'expire-token' });
    const again = backendOn(emulator ?? expect.fail('no emulator'));
    await expect(again.attach(made?.ref ?? { v: 1 })).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(made?.destroy()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await again.check()).toMatchObject({
      status: 'unhealthy',
      remedy: expect.stringContaining('DAYTONA_API_KEY'),
    });
    await emulator?.inject({ fault: 'renew-token' });
    expect((await again.attach(made?.ref ?? { v: 1 })).state).toBe('running');
    await made?.destroy();
    await again.close();
  });

  it('stops an idle sandbox by itself, which is stopped then and starts again with its files', async () => {
    const made = await backend?.create(spec, options('idle'));
    await emulator?.inject({ fault: 'advance-clock', ms: 31 * 60_000 });
    const state = async () => (await backend?.attach(made?.ref ?? { v: 1 }))?.state;
    await expect.poll(state, { timeout: 20_000 }).toBe('stopped');
    await emulator?.inject({ fault: 'advance-clock', ms: 31 * 24 * 3_600_000 });
    await made?.power?.start({ onRef: async () => undefined });
    expect(await state()).toBe('running');
    await made?.destroy();
  });
});

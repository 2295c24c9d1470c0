/** The end of Caisson beside a place that does not answer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Backend, Sandbox } from '../../src/backend.ts';
import { openCaisson } from '../../src/main.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { fakeBackend } from '../fixtures/fake-backend/backend.ts';
import { FakePlace } from '../fixtures/fake-backend/place.ts';

let root = '';
let place: FakePlace;
let closed: number;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'caisson-close-'));
  place = new FakePlace();
  closed = 0;
});
afterEach(async () => {
  await place.dispose();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

const never = new Promise<never>(() => undefined);

/** A backend whose sandboxes are not removed, or which does not close. */
function stuck(what: 'destroy' | 'close'): Backend {
  const backend = fakeBackend({ place });
  const make = backend.create.bind(backend);
  backend.create = async (spec, options) => {
    const sandbox: Sandbox = await make(spec, options);
    return what === 'destroy' ? Object.assign(sandbox, { destroy: () => never }) : sandbox;
  };
  backend.close = async () => {
    closed += 1;
    if (what === 'close') await never;
  };
  return backend;
}

async function opened(what: 'destroy' | 'close'): Promise<Caisson> {
  const module = { isolation: 'none', open: () => stuck(what) } as const;
  const env = { PATH: process.env['PATH'], HOME: root, CAISSON_TERMINAL_BACKEND: 'stuck' };
  return await openCaisson({
    home: join(root, 'home'),
    env,
    cwd: root,
    backends: { stuck: () => Promise.resolve(module) },
  });
}

describe('close', () => {
  it('names the sandbox that its place does not remove, and ends the rest', async () => {
    const caisson = await opened('destroy');
    const running = await caisson.exec({ command: ['true'] });
    running.ignore();
    await running.exit;
    const waiting: (readonly string[])[] = [];
    const onWaiting = (what: readonly string[]): void => void waiting.push(what);
    const { sandboxId } = running.where;
    await expect(caisson.close({ patienceMs: 2000, onWaiting })).rejects.toMatchObject({
      code: 'timed_out',
      message: expect.stringContaining(`what ${running.id} leaves in ${sandboxId}`),
    });
    expect(waiting.flat().join()).toContain(sandboxId);
    expect(closed).toBe(1);
    await expect(caisson.sandboxes.list()).rejects.toMatchObject({ code: 'failed_precondition' });
  });

  it('names a backend that does not close, and lets go of the state directory', async () => {
    const caisson = await opened('close');
    await caisson.run({ taskId: 'kept', command: ['true'] });
    await expect(caisson.close({ patienceMs: 2000 })).rejects.toMatchObject({
      details: { waitedFor: ['the backend stuck'] },
    });
    await expect(caisson.sandboxes.list()).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});

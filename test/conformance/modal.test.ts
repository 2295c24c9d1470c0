import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { open } from '../../backends/modal/backend.ts';
import { startModalService, whyNoModal } from '../engines/modal.ts';
import { core } from './core/all.ts';
import { eventually, sh, start } from './command.ts';
import type { Deviation } from './place.ts';
import { plainSpec } from './spec.ts';
import { testBackend } from './suite.ts';

const modal = whyNoModal === null ? await startModalService() : null;
afterAll(() => modal?.stop());

const mebibyte = 2 ** 20;

/** Bytes in buffers, counted twice as in the suite: `external` includes `arrayBuffers`. */
function buffered(): number {
  const { arrayBuffers, external } = process.memoryUsage();
  return arrayBuffers + external;
}

const deviations: Readonly<Record<string, Deviation>> = {
  'limits.memory': {
    reason: 'Modal ends a command that takes too much memory, and does not report that this was why',
    instead: async (place) => {
      const limits = { ...place.subject.spec.limits, memoryBytes: 64 * mebibyte };
      const sandbox = await place.create({ spec: { limits } });
      const greedy = await sh(sandbox, 'dd if=/dev/zero of=/dev/null bs=200M count=1');
      expect(greedy).toMatchObject({ exitCode: 137, outOfMemory: false });
      expect((await sh(sandbox, 'echo alive')).stdout.toString()).toBe('alive\n');
      await place.destroy(sandbox);
    },
  },
  'pressure.held': {
    reason: 'Modal keeps output that is not read yet, so that the command goes on',
    instead: async (place) => {
      const sandbox = await place.create();
      const process = await start(sandbox, ['sh', '-c', 'head -c 67108864 /dev/zero; echo done >&2']);
      expect((await process.wait()).exitCode).toBe(0);
      let bytes = 0;
      for await (const chunk of process.stdout) bytes += chunk.length;
      expect(bytes).toBe(64 * mebibyte);
      process.release();
      await place.destroy(sandbox);
    },
  },
  'pressure.endless': {
    reason: 'the SDK grants the service 64 MiB of a stream before its reader takes a byte',
    instead: async (place) => {
      const sandbox = await place.create();
      const process = await start(sandbox, ['sh', '-c', 'exec yes']);
      const before = buffered();
      // How soon depends on the machine.
      expect(await eventually(() => buffered() - before > 16 * mebibyte, 30_000)).toBe(true);
      await sleep(1_000);
      expect(buffered() - before).toBeLessThan(160 * mebibyte);
      await process.kill('SIGKILL');
      process.release();
      expect((await process.wait()).exitCode).not.toBe(0);
      await place.destroy(sandbox);
    },
  },
  'power.listed': {
    reason: 'a stopped sandbox is a snapshot, which Modal lists nowhere: its ref alone finds it',
    instead: async (place) => {
      const stopped = await place.stop(await place.create());
      const all = await place.listed();
      expect(all.find(({ labels }) => labels.sandbox === stopped.ref['sandbox'])).toBeUndefined();
      expect((await place.backend.attach(stopped.ref)).state).toBe('stopped');
    },
  },
};

await testBackend(
  {
    name: 'modal',
    open: (instance) => open({ env: modal?.env ?? {}, instance, settings: { max_sandboxes: null } }),
    spec: plainSpec('modal', { image: 'debian:12', cwd: '/root', persistent: false }),
    unavailable: whyNoModal,
    deviations,
  },
  core,
);

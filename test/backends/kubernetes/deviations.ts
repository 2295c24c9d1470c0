/** Cases of the suite that Kubernetes cannot pass, and what it does instead. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { start } from '../../conformance/command.ts';
import type { Deviation } from '../../conformance/place.ts';

const mebibyte = 2 ** 20;

export const kubernetesDeviations: Readonly<Record<string, Deviation>> = {
  'stdin.held': {
    reason: 'the API server, the node and its runtime keep input on the way, more than 16 MiB of it',
    instead: async (place) => {
      const sandbox = await place.create();
      const process = await start(sandbox, ['sleep', '60'], { keepStdin: true });
      let isWritten = false;
      process.stdin?.on('error', () => undefined);
      process.stdin?.write(Buffer.alloc(128 * mebibyte, 'x'), (error) => (isWritten = !(error instanceof Error)));
      await sleep(3000);
      expect(isWritten).toBe(false);
      await process.kill('SIGKILL');
      await process.wait();
      process.release();
      await place.destroy(sandbox);
    },
  },
};

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { startModalService, whyNoModal } from '../../engines/modal.ts';

const service = whyNoModal === null ? await startModalService() : null;
afterAll(() => service?.stop());

it.skipIf(whyNoModal !== null)(
  'a program for the official SDK alone runs against `caisson emulate modal`',
  async () => {
    const program = fileURLToPath(new URL('../../../examples/modal-sdk/main.mjs', import.meta.url));
    const env = { ...process.env, ...service?.env };
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
    expect(stdout).toBe('hello, world\nexit code 0\nkept: hello, world\n');
    expect((await service?.state())?.sandboxes).toEqual([
      expect.objectContaining({ status: 3 }),
      expect.objectContaining({ status: 3 }),
    ]);
  },
);

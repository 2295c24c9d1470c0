/** The Python example against a service, as a reader runs it, also over connections that break. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { cuttingProxy } from '../fixtures/cutting-proxy.ts';
import { makeHome } from './home.ts';
import { openOn, type Service } from './http-service.ts';

const execute = promisify(execFile);
const folder = fileURLToPath(new URL('../../examples/python', import.meta.url));
const lines = 2000;

async function python(args: readonly string[], service: Service, port = Number(new URL(service.url).port)) {
  const own = { CAISSON_URL: `http://127.0.0.1:${port}`, CAISSON_TOKEN: service.token };
  const env = { PATH: process.env['PATH'] ?? '', PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1', ...own };
  return await execute('python3', args, { env, maxBuffer: 2 ** 24 });
}

/** Prints what the command wrote, and how it ended. */
const driver = `
import sys
from caisson_service import from_environment
end = from_environment().run('build', ['sh', '-c', sys.argv[1]], on_output=lambda s, data: sys.stdout.buffer.write(data))
print(end['reason'], end['exitCode'])
`;
const command = `echo ran >> runs; i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo line-$i; done; cat runs; exit 7`;

describe.each(['docker', 'local'])('the Python example on %s', (backend) => {
  it('writes, runs, reads and removes', async () => {
    await using home = await makeHome(dockerHost());
    const service = await openOn(home, backend);
    try {
      const { stdout, stderr } = await python([join(folder, 'main.py')], service);
      expect({ stdout, stderr }).toEqual({ stdout: 'counted\nwords: 3\n', stderr: '' });
      expect((await home.cli(['ls', '-q'])).stdout).not.toContain('python-example');
    } finally {
      await service.stop();
    }
  });

  it('has each byte once and runs the command once where every connection breaks', async () => {
    await using home = await makeHome(dockerHost());
    const service = await openOn(home, backend);
    try {
      let passed = 1500;
      await using proxy = await cuttingProxy(Number(new URL(service.url).port), () => (passed += 4000));
      const { stdout } = await python(['-c', driver, command], service, proxy.port);
      const written = Array.from({ length: lines }, (_, index) => `line-${index + 1}\n`).join('');
      expect(stdout).toBe(`${written}ran\nexited 7\n`);
      expect(proxy.cuts()).toBeGreaterThan(1);
    } finally {
      await service.stop();
    }
  }, 60_000);
});

it('shows the remedy of a refusal', async () => {
  await using home = await makeHome(dockerHost());
  const service = await openOn(home, 'local');
  try {
    const refused = python([join(folder, 'main.py')], { ...service, token: 'csn_wrong' });
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/unauthenticated\)\n {2}try: /),
    });
  } finally {
    await service.stop();
  }
});

/** SEC-F9 and SEC-F13: a sandbox whose programs lie to file tools. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTool } from '../../../src/files/tools/run.ts';
import { readFile } from '../../../src/files/tools/tools.ts';
import { sync } from '../../../src/files/sync/sync.ts';
import { processSandbox } from '../process-sandbox.ts';
import { scratch } from '../scratch.ts';

const digest = 'a'.repeat(64);
const maxMemory = 64 * 2 ** 20;

/** A sandbox where these programs stand before the real ones. */
function lying(programs: Readonly<Record<string, string>>) {
  const root = scratch();
  const [bin, inside, host] = ['bin', 'inside', 'host'].map((name) => join(root, name)) as [string, string, string];
  for (const directory of [bin, inside, host]) mkdirSync(directory);
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  writeFileSync(join(inside, 'f'), 'small');
  const place = { home: join(root, 'home'), sandboxId: 'sbx_1', host, inside };
  const sandbox = processSandbox(`${bin}:/usr/bin:/bin`);
  const out = async () =>
    await sync(sandbox, { ...place, direction: 'out', overwrite: false, untrusted: [], withheld: null, vet: () => {} });
  return { inside, host, sandbox, out };
}

/** What the memory of this process grew by at most, meanwhile. */
async function grown(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let max = before;
  const timer = setInterval(() => (max = Math.max(max, process.memoryUsage().rss)), 5);
  await work().finally(() => clearInterval(timer));
  return max - before;
}

describe('a sandbox that lies', () => {
  it('gives a read no more than was asked for', async () => {
    const { inside, sandbox } = lying({ wc: 'echo 9000000000', head: 'exec /usr/bin/head -c 31000000 /dev/zero' });
    const run: Parameters<typeof readFile>[0] = async (tool) =>
      await runTool(sandbox, { ...tool, args: [...tool.args, ''] });
    const reading = async () => await readFile(run, { path: join(inside, 'f'), length: 10 });
    const used = await grown(async () => await expect(reading()).rejects.toMatchObject({ code: 'resource_exhausted' }));
    expect(used).toBeLessThan(maxMemory);
  });

  it('is not read into memory by a sync', async () => {
    const head = 'case $2 in [0-9]*) exec /usr/bin/head -c "$2" /dev/zero;; esac; exec /usr/bin/head "$@"';
    const { host, out } = lying({ wc: 'echo 9000000000', head });
    const used = await grown(async () => await expect(out()).rejects.toMatchObject({ code: 'unavailable' }));
    expect(used).toBeLessThan(maxMemory);
    expect(readdirSync(host)).toEqual([]);
  });

  it.each(['./x', 'x/', '.caisson-copy-1-0000000000000000/x', 'a//b', '/etc/x', '../x'])(
    'has no file %s',
    async (name) => {
      const { host, out } = lying({ sha256sum: `echo "${digest}  ./${name}"` });
      expect(await out()).toMatchObject({ files: 0 });
      expect(readdirSync(host)).toEqual([]);
      expect(existsSync(join(host, '..', 'x'))).toBe(false);
    },
  );
});

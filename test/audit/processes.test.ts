import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { entry, place, tailed } from './audits.ts';

const program = fileURLToPath(new URL('writer.process.ts', import.meta.url));

async function writer(directory: string, storeBytes: number, count: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, directory, String(storeBytes), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

describe('several processes on one audit', () => {
  it('lose nothing, and the chain holds over their files', async () => {
    using here = place();
    const writers = await Promise.all(Array.from({ length: 4 }, () => writer(here.path, 2e6, 500)));
    await Promise.all(writers.map(ended));
    const audit = here.open(2e6);
    const records = await tailed(audit, 10_000);
    expect(records.filter(({ type }) => type === 'run')).toHaveLength(2000);
    expect(new Set(records.map(({ execId }) => execId)).size).toBe(2000);
    expect(await audit.verify()).toMatchObject({ intact: true, torn: 0 });
    audit.close();
  }, 60_000);

  it('leave it intact when they are killed while they write, again and again', async () => {
    using here = place();
    const audit = here.open(200_000);
    for (let round = 0; round < 6; round += 1) {
      const writers = await Promise.all([writer(here.path, 200_000, 1e6), writer(here.path, 200_000, 1e6)]);
      await new Promise((resolve) => setTimeout(resolve, 40));
      for (const each of writers) each.kill('SIGKILL');
      await Promise.all(writers.map(ended));
      await audit.record(entry(round));
      expect(await audit.verify()).toMatchObject({ intact: true, broken: null });
    }
    audit.close();
  }, 60_000);
});

/** `node scripts/load.ts [NAME...]`: the tests under load and faults, with their full counts. Some hours for all of them. */
import { spawn } from 'node:child_process';

interface Load {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

const loads: Readonly<Record<string, Load>> = {
  outputs: {
    file: 'test/e2e/complete-output.test.ts',
    env: { CAISSON_LOAD_OUTPUTS: '400', CAISSON_LOAD_SANDBOXES: '50', CAISSON_LOAD_ROUNDS: '5' },
  },
  faults: { file: 'test/e2e/faults.test.ts', env: { CAISSON_LOAD_FAULTS: '500', CAISSON_LOAD_SSH_FAULTS: '200' } },
  filtered: { file: 'test/e2e/egress-scale.test.ts', env: { CAISSON_LOAD_FILTERED: '200' } },
  fresh: { file: 'test/e2e/fresh-lanes.test.ts', env: { CAISSON_LOAD_FRESH: '200' } },
  idle: { file: 'test/e2e/idle.test.ts', env: { CAISSON_LOAD_IDLE: '50', CAISSON_LOAD_COPY_MB: '2048' } },
  killed: { file: 'test/e2e/killed-service.test.ts', env: { CAISSON_LOAD_KILLED: '50' } },
  readers: { file: 'test/e2e/slow-readers.test.ts', env: { CAISSON_LOAD_STOPPED_SECONDS: '60' } },
  owners: { file: 'test/e2e/owners-random.test.ts', env: { CAISSON_LOAD_OWNERS_SECONDS: '120' } },
  transfers: { file: 'test/e2e/transfer-memory.test.ts', env: { CAISSON_LOAD_TRANSFER_MB: '1024' } },
  crashes: { file: 'test/e2e/failpoints.test.ts', env: { CAISSON_LOAD_CRASHES: '10' } },
};

const names = process.argv.slice(2);
for (const name of names.length === 0 ? Object.keys(loads) : names) {
  const load = loads[name];
  if (load === undefined) throw new Error(`there is no load ${name}; there are: ${Object.keys(loads).join(', ')}`);
  const args = ['node_modules/vitest/vitest.mjs', 'run', load.file, '--testTimeout', String(4 * 3_600_000)];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...load.env } });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) process.exitCode = 1;
}

/**
 * `node scripts/load.ts [NAME...]`: the tests under load and faults, with their full counts. Some hours for all of them, one after
 * the other (`npm run soak`). Each ends with one line of JSON on stdout: its outcome, and what its cases counted.
 */
import { runTests } from './tests.ts';

interface Load {
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const loads: Readonly<Record<string, Load>> = {
  outputs: {
    files: ['test/e2e/complete-output.test.ts'],
    env: {
      CAISSON_LOAD_OUTPUTS: '400',
      CAISSON_LOAD_SANDBOXES: '50',
      CAISSON_LOAD_ROUNDS: '5',
      CAISSON_LOAD_LARGE: '200',
      CAISSON_LOAD_BUSY: '4',
    },
  },
  binary: { files: ['test/e2e/binary-output.test.ts'], env: { CAISSON_LOAD_BINARY: '200' } },
  faults: {
    files: ['test/e2e/faults.test.ts', 'test/e2e/kubernetes-others.test.ts'],
    env: { CAISSON_LOAD_FAULTS: '500', CAISSON_LOAD_SSH_FAULTS: '200', CAISSON_LOAD_KUBERNETES_FAULTS: '200' },
  },
  filtered: { files: ['test/e2e/egress-scale.test.ts'], env: { CAISSON_LOAD_FILTERED: '200' } },
  fresh: { files: ['test/e2e/fresh-lanes.test.ts'], env: { CAISSON_LOAD_FRESH: '200' } },
  fuzz: { files: ['test/http/fuzz'], env: { CAISSON_LOAD_FUZZ: '100000' } },
  hostile: { files: ['test/e2e/hostile'], env: { CAISSON_LOAD_HOSTILE_SECONDS: '60' } },
  idle: { files: ['test/e2e/idle.test.ts'], env: { CAISSON_LOAD_IDLE: '50', CAISSON_LOAD_COPY_MB: '2048' } },
  killed: { files: ['test/e2e/killed-service.test.ts'], env: { CAISSON_LOAD_KILLED: '50' } },
  readers: { files: ['test/e2e/slow-readers.test.ts'], env: { CAISSON_LOAD_STOPPED_SECONDS: '60' } },
  owners: { files: ['test/e2e/owners-random.test.ts'], env: { CAISSON_LOAD_OWNERS_SECONDS: '120' } },
  pool: {
    files: ['test/e2e/pool-load.test.ts'],
    env: { CAISSON_LOAD_POOL: '20x200x8', CAISSON_LOAD_POOL_BURST: '30x60', CAISSON_LOAD_POOL_SECONDS: '60' },
  },
  transfers: { files: ['test/e2e/transfer-memory.test.ts'], env: { CAISSON_LOAD_TRANSFER_MB: '1024' } },
  oracle: { files: ['test/oracle/oracle.test.ts'], env: { CAISSON_LOAD_ORACLE: '1' } },
  shells: { files: ['test/policy/shells/shells.test.ts'], env: { CAISSON_LOAD_SHELLS: '20000' } },
  forms: { files: ['test/policy/forms/forms.test.ts'], env: { CAISSON_LOAD_FORMS: '200' } },
  records: { files: ['test/journal/grown'], env: { CAISSON_LOAD_RECORDS: '10000,100000,1000000' } },
  acts: { files: ['test/store/grown-history.test.ts'], env: { CAISSON_LOAD_ACTS: '1000000' } },
  moments: { files: ['test/e2e/crash.test.ts'], env: { CAISSON_LOAD_MOMENTS: '50' } },
  adoptions: {
    files: ['test/e2e/adoption.test.ts', 'test/e2e/detached.test.ts'],
    env: { CAISSON_LOAD_ADOPTIONS: '50' },
  },
  places: {
    files: ['test/backends/modal/faults.test.ts', 'test/backends/daytona/faults.test.ts'],
    env: { CAISSON_LOAD_PLACE_FAULTS: '200' },
  },
  calls: { files: ['test/e2e/killed-under-commands.test.ts'], env: { CAISSON_LOAD_KILLED_CALLS: '500' } },
  talk: { files: ['test/e2e/cross-talk.test.ts'], env: { CAISSON_LOAD_CROSS_TALK: '10000' } },
  whole: { files: ['test/'], env: { CAISSON_TEST_PACKED: '1' } },
  variants: { files: ['test/e2e/policy-variants.test.ts'], env: { CAISSON_LOAD_VARIANTS: '500' } },
  crashes: { files: ['test/e2e/failpoints'], env: { CAISSON_LOAD_CRASHES: '10', CAISSON_LOAD_CRASH_MOMENTS: '50' } },
};

const longestCaseMs = 4 * 3_600_000;

function chosen(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => loads[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`there is no load ${unknown.join(', ')}; there are: ${Object.keys(loads).join(', ')}`);
  return names.length === 0 ? Object.keys(loads) : names;
}

async function run(name: string, { files: given, env }: Load): Promise<boolean> {
  const files = [...given, '--testTimeout', String(longestCaseMs)];
  const projects = ['unit', 'processes', 'conformance', 'e2e'] as const;
  const { ok, durationMs, tally, times } = await runTests({ name, projects, files, env, live: true });
  const counts = times.cases.flatMap((each) => (each.counts ?? []).map((figures) => ({ case: each.name, ...figures })));
  console.log(JSON.stringify({ load: name, ok, durationMs: Math.round(durationMs), ...tally, counts }));
  return ok;
}

for (const name of chosen(process.argv.slice(2))) {
  const load = loads[name];
  if (load !== undefined && !(await run(name, load))) process.exitCode = 1;
}

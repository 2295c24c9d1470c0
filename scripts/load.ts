/**
 * `node scripts/load.ts [NAME...]`: the tests under load and faults, with their full counts. Some hours for all of them, one after
 * the other (`npm run soak`). Each ends with one line of JSON on stdout: its outcome, and what its cases counted.
 */
import { runTests } from './tests.ts';

interface Load {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

const loads: Readonly<Record<string, Load>> = {
  outputs: {
    file: 'test/e2e/complete-output.test.ts',
    env: {
      CAISSON_LOAD_OUTPUTS: '400',
      CAISSON_LOAD_SANDBOXES: '50',
      CAISSON_LOAD_ROUNDS: '5',
      CAISSON_LOAD_LARGE: '200',
      CAISSON_LOAD_BUSY: '4',
    },
  },
  binary: { file: 'test/e2e/binary-output.test.ts', env: { CAISSON_LOAD_BINARY: '200' } },
  faults: { file: 'test/e2e/faults.test.ts', env: { CAISSON_LOAD_FAULTS: '500', CAISSON_LOAD_SSH_FAULTS: '200' } },
  filtered: { file: 'test/e2e/egress-scale.test.ts', env: { CAISSON_LOAD_FILTERED: '200' } },
  fresh: { file: 'test/e2e/fresh-lanes.test.ts', env: { CAISSON_LOAD_FRESH: '200' } },
  fuzz: { file: 'test/http/fuzz', env: { CAISSON_LOAD_FUZZ: '100000' } },
  idle: { file: 'test/e2e/idle.test.ts', env: { CAISSON_LOAD_IDLE: '50', CAISSON_LOAD_COPY_MB: '2048' } },
  killed: { file: 'test/e2e/killed-service.test.ts', env: { CAISSON_LOAD_KILLED: '50' } },
  readers: { file: 'test/e2e/slow-readers.test.ts', env: { CAISSON_LOAD_STOPPED_SECONDS: '60' } },
  owners: { file: 'test/e2e/owners-random.test.ts', env: { CAISSON_LOAD_OWNERS_SECONDS: '120' } },
  transfers: { file: 'test/e2e/transfer-memory.test.ts', env: { CAISSON_LOAD_TRANSFER_MB: '1024' } },
  oracle: { file: 'test/oracle/oracle.test.ts', env: { CAISSON_LOAD_ORACLE: '1' } },
  shells: { file: 'test/policy/shells/shells.test.ts', env: { CAISSON_LOAD_SHELLS: '20000' } },
  forms: { file: 'test/policy/forms/forms.test.ts', env: { CAISSON_LOAD_FORMS: '200' } },
  records: { file: 'test/journal/many-records.test.ts', env: { CAISSON_LOAD_RECORDS: '10000,100000,1000000' } },
  crashes: { file: 'test/e2e/failpoints', env: { CAISSON_LOAD_CRASHES: '10' } },
};

const longestCaseMs = 4 * 3_600_000;

function chosen(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => loads[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`there is no load ${unknown.join(', ')}; there are: ${Object.keys(loads).join(', ')}`);
  return names.length === 0 ? Object.keys(loads) : names;
}

async function run(name: string, { file, env }: Load): Promise<boolean> {
  const files = [file, '--testTimeout', String(longestCaseMs)];
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

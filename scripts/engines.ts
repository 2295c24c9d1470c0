/**
 * `npm run engines [-- --check]`: gives this machine what tests with real engines need. Idempotent; says what it did.
 * With `--check` it only tells what is missing, and exits with 1 when something is.
 * `npm run engines -- kubernetes` builds the programs of the test cluster, which takes five minutes and is done only when it is named.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { agentsImage } from '../test/engines/agents-image.ts';
import { connect } from '../test/engines/engine-api.ts';
import { apptainerCache, fetchApptainer } from '../test/engines/apptainer.ts';
import { startEngine, whyNoEngine, type EngineKind } from '../test/engines/engine.ts';
import { archiveOf, importImages, makeArchive, testImages } from '../test/engines/images.ts';
import { install, installCommand, missingForTests } from '../test/engines/packages.ts';
import { type Fixture, installedAt, installFixture } from '../test/engines/installed.ts';
import { buildKubernetes, kubernetesPrograms } from '../test/engines/kubernetes/programs.ts';
import { engineCache } from '../test/engines/places.ts';
import { keepSeen, wasSeen } from '../test/engines/seen.ts';
import { toolsImage } from '../test/engines/tools-image.ts';

/** Does its part and says what it did; throws what a person must do. */
interface Part {
  readonly name: string;
  readonly missing: () => Promise<readonly string[]>;
  readonly remedy: (missing: readonly string[]) => string;
  readonly make: (missing: readonly string[]) => Promise<string>;
}

const images = [...testImages, agentsImage, toolsImage];

const parts: readonly Part[] = [
  {
    name: 'packages',
    missing: missingForTests,
    remedy: installCommand,
    make: async (missing) => {
      await install(missing);
      return `installed ${missing.join(' ')}`;
    },
  },
  {
    name: 'images',
    missing: async () => images.filter((image) => !existsSync(archiveOf(image))).map(({ reference }) => reference),
    remedy: () => 'npm run engines',
    make: async (missing) => {
      for (const image of images) await makeArchive(image);
      return `made ${missing.join(' ')} in ${engineCache()}`;
    },
  },
  {
    name: 'Apptainer',
    missing: async () => (existsSync(apptainerCache()) ? [] : ['apptainer']),
    remedy: () => 'npm run engines',
    make: async () => {
      await fetchApptainer();
      return `unpacked in ${apptainerCache()}`;
    },
  },
  tools('tools for OpenAPI', 'openapi-client'),
  tools('inspector of MCP', 'mcp-inspector'),
  tools('Bun and Deno', 'runtimes'),
  tools('frameworks of agents', 'adapters'),
];

const cluster: Part = {
  name: 'Kubernetes',
  missing: async () => (existsSync(kubernetesPrograms()) ? [] : ['kubernetes']),
  remedy: () => 'npm run engines -- kubernetes',
  make: async () => {
    await buildKubernetes();
    return `built in ${kubernetesPrograms()}`;
  },
};

function tools(name: string, fixture: Fixture): Part {
  return {
    name,
    missing: async () => (existsSync(installedAt(fixture)) ? [] : [fixture]),
    remedy: () => 'npm run engines',
    make: async () => {
      await installFixture(fixture);
      return `installed in ${installedAt(fixture)}`;
    },
  };
}

async function say(name: string, work: () => Promise<string>): Promise<boolean> {
  const startedAt = performance.now();
  try {
    console.log(`ok    ${name}: ${await work()} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    return true;
  } catch (error) {
    console.error(`FAIL  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function part({ name, missing, make, remedy }: Part, checkOnly: boolean): Promise<boolean> {
  return await say(name, async () => {
    const absent = await missing();
    if (absent.length === 0) return 'there';
    if (checkOnly) throw new Error(`missing ${absent.join(' ')}. To get them: ${remedy(absent)}`);
    return await make(absent);
  });
}

/** An engine that was never seen to start is not there. Also fills its data root, so that no test pays for it. */
async function engine(kind: EngineKind, checkOnly: boolean): Promise<string> {
  const why = await whyNoEngine(kind);
  if (why !== null) throw new Error(why);
  if (checkOnly) return 'can be started';
  if (wasSeen(kind)) return 'was seen to start since this machine did';
  const started = await startEngine(kind);
  try {
    await importImages(started.host);
  } finally {
    await started.stop();
  }
  keepSeen(kind);
  return 'starts, has the test images, stops';
}

async function givenEngine(host: string, checkOnly: boolean): Promise<string> {
  await connect(host).ping();
  if (checkOnly) return 'answers';
  await importImages(host);
  return 'has the test images';
}

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const { check } = values;
const unknown = positionals.filter((name) => name !== 'kubernetes');
if (unknown.length > 0) throw new Error(`there is no engine ${unknown.join(', ')} to be named; there is: kubernetes`);
const given = process.env['CAISSON_TEST_DOCKER_HOST'];
const steps: readonly (() => Promise<boolean>)[] = [
  ...(positionals.length > 0 ? [cluster] : parts).map((each) => () => part(each, check)),
  ...(positionals.length > 0
    ? []
    : given
      ? [() => say(`Docker engine at ${given}`, () => givenEngine(given, check))]
      : [
          () => say('Docker engine', () => engine('plain', check)),
          () => say('Docker engine with disk limits', () => engine('btrfs', check)),
        ]),
];

// Each needs the one before. A check goes on, to tell all that is missing.
for (const step of steps) {
  if (await step()) continue;
  process.exitCode = 1;
  if (!check) break;
}

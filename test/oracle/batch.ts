/** Runs many commands in one place, by the raw engine or on one path of Caisson, each in a directory of its own. */
import { readFileSync } from 'node:fs';
import PQueue from 'p-queue';
import type { Case } from './case.ts';
import { filesIn, isWhole } from './files.ts';
import type { Answer, Run } from './ours.ts';
import type { Outcome, Ran } from './outcome.ts';
import { type Path, together } from './path.ts';
import type { OraclePlace } from './place.ts';
import { stdinOf } from './stdin.ts';

/** `raw`: the engine on pipes. `raw terminal`: the engine on a terminal. */
export type Side = Path | 'raw' | 'raw terminal';

const scripts = { fixture: script('fixture.sh'), prepare: script('prepare.sh'), manifest: script('manifest.sh') };
const rawTogether = 3;
let batches = 0;
/** Between two commands, for a child to stand ready. */
const readyMs = 4;

function script(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}

export async function makeFixture(place: OraclePlace): Promise<void> {
  await runScript(place, 'fixture', [place.root]);
}

async function runScript(place: OraclePlace, name: keyof typeof scripts, args: readonly string[]): Promise<string> {
  const words = args.map((each) => `'${each}'`).join(' ');
  const text = `exec bash -s ${words}`;
  return await place.raw.text(place.bash(text, { stdin: scripts[name], tty: false, directory: '/' }));
}

const maxManifests = 5;

async function manifestOf(place: OraclePlace, directory: string): Promise<string> {
  for (let tries = 0; tries < maxManifests; tries += 1) {
    const manifest = await runScript(place, 'manifest', [directory]);
    if (isWhole(manifest)) return manifest;
  }
  throw new Error(`the list of the files in ${directory} did not arrive whole`);
}

export async function runBatch(
  place: OraclePlace,
  side: Side,
  cases: readonly Case[],
): Promise<ReadonlyMap<string, Ran>> {
  if (cases.length === 0) return new Map();
  batches += 1;
  const batch = `batch-${String(batches).padStart(5, '0')}`;
  const runs = cases.map((each, index) => ({ case: each, directory: `${place.root}/${batch}/${nameOf(each, index)}` }));
  await runScript(place, 'prepare', [place.root, batch, ...cases.map(nameOf)]);
  const answers = await answersOf(place, side, runs);
  const files = filesIn(await manifestOf(place, `${place.root}/${batch}`));
  await place.raw.text(place.bash(`rm -rf ${place.root}/${batch}`, { stdin: null, tty: false, directory: '/' }));
  return new Map(
    runs.map(({ case: { id }, directory }, index) => {
      const outcome: Outcome = {
        ...(answers[index] ?? unknown),
        files: files.get(directory.replace(/^.*\//, '')) ?? '',
      };
      return [id, { directory, outcome }];
    }),
  );
}

const unknown: Answer = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), code: null, fault: 'it was not run' };

const nameOf = ({ group }: Case, index: number): string =>
  `${group === 'git' ? 'git' : 'plain'}-${String(index).padStart(6, '0')}`;

async function answersOf(place: OraclePlace, side: Side, runs: readonly Run[]): Promise<readonly Answer[]> {
  const queue = new PQueue({ concurrency: isRaw(side) ? rawTogether : together[side] });
  const pause = side === 'ready' ? readyMs : 0;
  return await Promise.all(
    runs.map((run) =>
      queue.add(async () => {
        const answer = await answerOf(place, side, run);
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
        return answer;
      }),
    ),
  );
}

async function answerOf(place: OraclePlace, side: Side, run: Run): Promise<Answer> {
  if (isRaw(side)) return await rawAnswer(place, side, run);
  try {
    return await place.run(side, run);
  } catch (error) {
    return { ...unknown, fault: error instanceof Error ? error.message : String(error) };
  }
}

const isRaw = (side: Side): side is 'raw' | 'raw terminal' => side === 'raw' || side === 'raw terminal';

async function rawAnswer(
  place: OraclePlace,
  side: 'raw' | 'raw terminal',
  { case: { steps, stdin }, directory }: Run,
): Promise<Answer> {
  const input = stdin === null ? null : stdinOf(stdin);
  const command = place.bash(steps.join('\n'), { stdin: input, tty: side === 'raw terminal', directory });
  return { ...(await place.raw.run(command)), fault: null };
}

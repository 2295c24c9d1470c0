/** Loads the grammar and reads a file while no descriptor is left, and again when some are. Prints what came of it. */
import { closeSync, openSync } from 'node:fs';
import { readOwnFile } from '../../src/config/home.ts';
import { isCode } from '../../src/errors.ts';
import { isGrammarLost, loadGrammar } from '../../src/shell/grammar/load.ts';

function useUp(): number[] {
  const used: number[] = [];
  try {
    for (;;) used.push(openSync('/dev/null', 'r'));
  } catch {
    return used;
  }
}

const outcome = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => 'done',
    (error: unknown) => (isCode(error, 'unavailable') ? `unavailable, ${error.remedy}` : String(error)),
  );

const used = useUp();
const short = [
  await outcome(loadGrammar()),
  await outcome(readOwnFile('/etc/hosts', { forbidden: 0, limitBytes: 1e6 })),
];
for (const each of used) closeSync(each);
const lost = await isGrammarLost();
process.stdout.write(JSON.stringify({ short, lost, after: await outcome(loadGrammar()) }));

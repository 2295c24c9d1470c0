/** A place of an opened Caisson, ready for batches. */
import { makeFixture } from '../batch.ts';
import type { OraclePlace } from '../place.ts';
import { probe } from '../programs.ts';
import { RawRunner } from '../raw.ts';

export type Engine = Pick<OraclePlace, 'name' | 'root' | 'bash' | 'hasTerminals'>;

/** `end` takes away what stands around the sandbox. */
export async function placeOf(
  engine: Engine,
  { run, end }: Pick<OraclePlace, 'run'> & { readonly end: () => Promise<void> },
): Promise<OraclePlace> {
  const raw = new RawRunner();
  const { root, bash } = engine;
  const programs = await raw.text(bash(probe, { stdin: null, tty: false, directory: '/' }));
  const place: OraclePlace = {
    ...engine,
    raw,
    run,
    programs: new Set(programs.split('\n')),
    [Symbol.asyncDispose]: async () => {
      await raw.text(bash(`rm -rf ${root}`, { stdin: null, tty: false, directory: '/' }));
      await raw[Symbol.asyncDispose]();
      await end();
    },
  };
  await makeFixture(place);
  return place;
}

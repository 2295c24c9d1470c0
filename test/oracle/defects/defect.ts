/** A defect that is planted into Caisson: what of its answers is wrong, and commands that the oracle must find it by. */
import type { SessionInput } from '../../../src/service/api.ts';
import type { Library, Ours, OracleProcess } from '../ours.ts';
import type { Path } from '../path.ts';

export type Damage = (sound: Ours) => Ours;

export interface Defect {
  readonly about: string;
  /** Lines of commands. Each must differ. */
  readonly found: readonly string[];
  readonly path: Path;
  readonly damage: Damage;
}

type Sessions = Ours['library']['sessions'];

/** Changes what the library gives for every command that it starts. */
export function onStart(change: (started: OracleProcess) => Partial<OracleProcess>): Damage {
  return (sound) => ({ ...sound, library: withStart(sound.library, change) });
}

export function withStart(library: Library, change: (started: OracleProcess) => Partial<OracleProcess>): Library {
  const { execs, sessions, processes } = library;
  const start: Library['execs']['start'] = async (...args) => {
    const { stdin, stdout, stderr, exit } = await execs.start(...args);
    const started = { stdin, stdout, stderr, exit };
    return { ...started, ...change(started) };
  };
  return { execs: { start, logs: (...args) => execs.logs(...args) }, sessions, processes };
}

export function onSessions(exec: (sessions: Sessions, input: SessionInput) => ReturnType<Sessions['exec']>): Damage {
  return (sound) => {
    const { execs, sessions, processes } = sound.library;
    const damaged: Sessions = {
      exec: (input: SessionInput) => exec(sessions, input),
      close: (...args) => sessions.close(...args),
    };
    return { ...sound, library: { execs, processes, sessions: damaged } };
  };
}

/** All of a stream, changed as one. */
export async function* whole(
  stream: AsyncIterable<Uint8Array>,
  change: (bytes: Buffer) => Buffer,
): AsyncIterable<Uint8Array> {
  yield change(Buffer.concat(await Array.fromAsync(stream)));
}

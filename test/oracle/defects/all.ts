/** One defect or more in each part between a command and its result. */
import type { Exit } from '../../../src/service/api.ts';
import type { OracleProcess } from '../ours.ts';
import { type Defect, onSessions, onStart, whole, withStart } from './defect.ts';

const scanner: readonly Defect[] = [
  {
    about: 'the scanner takes a text like a mark for the mark',
    found: ["echo 'nonce: 0123456789abcdef0123456789abcdef:0'"],
    path: 'lane',
    damage: onStart(({ stdout }) => ({ stdout: whole(stdout, before(/[0-9a-f]{32}:/)) })),
  },
  {
    about: 'the scanner holds back what could begin a mark, and forgets it',
    found: ['printf x', "printf 'no newline at the end'", "cat /proc/self/cmdline | tr '\\0' ' '"],
    path: 'lane',
    damage: onStart(({ stdout }) => ({
      stdout: whole(stdout, (bytes) => bytes.subarray(0, bytes.lastIndexOf(10) + 1)),
    })),
  },
  {
    about: 'the scanner ends a stream at the first list of processes',
    found: ['ps axww; echo end of list', "cat /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; echo; echo end of list"],
    path: 'lane',
    damage: onStart(({ stdout }) => ({ stdout: whole(stdout, before(/caisson/)) })),
  },
  {
    about: 'the scanner loses a byte between two parts',
    found: ['seq 1 2 200000', "head -c 65537 /dev/zero | tr '\\0' '\\377'"],
    path: 'lane',
    damage: onStart(({ stdout }) => ({ stdout: whole(stdout, holed) })),
  },
];

const redactor: readonly Defect[] = [
  {
    about: 'the redactor takes sums for secrets',
    found: ['sha256sum words numbers', 'git rev-parse HEAD'],
    path: 'lane',
    damage: onStart(({ stdout }) => ({
      stdout: whole(
        stdout,
        asLatin1((text) => text.replace(/[0-9a-f]{40,}/g, '***')),
      ),
    })),
  },
  {
    about: 'the redactor makes text of bytes',
    found: ['cat ./blob', "printf 'cut \\303'", 'gzip -nc words'],
    path: 'lane',
    damage: onStart(({ stdout }) => ({ stdout: whole(stdout, (bytes) => Buffer.from(bytes.toString())) })),
  },
  {
    about: 'the redactor drops zeros',
    found: ["printf 'a\\0b\\0c'", 'head -c 1 /dev/zero'],
    path: 'lane',
    damage: onStart(({ stdout }) => ({
      stdout: whole(
        stdout,
        asLatin1((text) => text.replaceAll('\0', '')),
      ),
    })),
  },
];

const drain: readonly Defect[] = [
  {
    about: 'the drain ends with the first part',
    found: ['seq 1 2 200000', 'head -c 1M /dev/zero'],
    path: 'direct',
    damage: (sound) => ({ ...sound, direct: withStart(sound.direct, firstPart) }),
  },
  {
    about: 'the drain does not wait for stderr',
    found: ['echo out; echo err >&2; echo again', 'ls nothing'],
    path: 'lane',
    damage: onStart(({ stderr }) => ({ stderr: whole(stderr, () => Buffer.alloc(0)) })),
  },
  {
    about: 'the drain puts both streams into one',
    found: ['{ echo out; echo err >&2; } >/dev/null', 'printf e >&2'],
    path: 'lane',
    damage: onStart(({ stderr }) => ({ stdout: stderr, stderr: whole(stderr, () => Buffer.alloc(0)) })),
  },
];

const exits: readonly Defect[] = [
  {
    about: 'every end is a success',
    found: ['false', 'x=7; exit $x', 'grep pattern nowhere'],
    path: 'lane',
    damage: onStart(ending(() => ({ exitCode: 0, signal: null }))),
  },
  {
    about: 'a signal is reported as code 1',
    found: ['kill -9 $$; echo never', 'kill -TERM $$', 'timeout -s KILL 0.2 sleep 5; exit $?'],
    path: 'lane',
    damage: onStart(
      ending(({ exitCode, signal }) => (exitCode !== null && exitCode <= 128 ? {} : { exitCode: 1, signal })),
    ),
  },
  {
    about: 'codes wrap at 128',
    found: ['! true; exit 255', 'exit -1'],
    path: 'lane',
    damage: onStart(ending(({ exitCode }) => ({ exitCode: exitCode === null ? null : exitCode % 128 }))),
  },
  {
    about: 'a missing program is an end that is not known',
    found: ['nothing-like-this', './tree'],
    path: 'lane',
    damage: onStart(ending(({ exitCode }) => (exitCode === 126 || exitCode === 127 ? { reason: 'lost' } : {}))),
  },
];

const state: readonly Defect[] = [
  {
    about: 'a session forgets all between two texts',
    found: ['x=kept⏭echo $x', 'f() { echo from f; }⏭f'],
    path: 'session',
    damage: onSessions(async (sessions, input) => {
      await sessions.close(input);
      return await sessions.exec(input);
    }),
  },
  {
    about: 'a session forgets its directory',
    found: ['ls -R tree', 'cd tree⏭ls one'],
    path: 'session',
    damage: onSessions((sessions, input) => sessions.exec({ ...input, text: `cd /\n${String(input.text)}` })),
  },
  {
    about: 'a session runs each text in a shell below it',
    found: ['x=kept⏭echo $x', "export A=1⏭sh -c 'echo $A'"],
    path: 'session',
    damage: onSessions((sessions, input) => sessions.exec({ ...input, text: below(String(input.text)) })),
  },
  {
    about: 'a session gives every text the status 0',
    found: ['false⏭echo $?'],
    path: 'session',
    damage: onSessions((sessions, input) => sessions.exec({ ...input, text: `true\n${String(input.text)}` })),
  },
];

export const defects: readonly Defect[] = [...scanner, ...redactor, ...drain, ...exits, ...state];

/** The first text of the oracle goes to the directory of the run. */
const below = (text: string): string => (text.startsWith("cd '/") ? text : `(${text}\n)`);

const asLatin1 = (change: (text: string) => string) => (bytes: Buffer) =>
  Buffer.from(change(bytes.toString('latin1')), 'latin1');

/** What stands before the first such text. */
const before = (mark: RegExp): ((bytes: Buffer) => Buffer) => asLatin1((text) => text.split(mark, 1)[0] ?? '');

const partBytes = 65_536;

const holed = (bytes: Buffer): Buffer =>
  bytes.length > partBytes ? Buffer.concat([bytes.subarray(0, partBytes), bytes.subarray(partBytes + 1)]) : bytes;

function firstPart({ stdout }: OracleProcess): Partial<OracleProcess> {
  return { stdout: whole(stdout, (bytes) => bytes.subarray(0, partBytes)) };
}

function ending(change: (exit: Exit) => Partial<Exit>): (started: OracleProcess) => Partial<OracleProcess> {
  return ({ exit }) => ({ exit: exit.then((end) => ({ ...end, ...change(end) })) });
}

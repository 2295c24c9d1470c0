/** What is about to run, as the guard sees it: exactly what will be started, and nothing that could change meanwhile. */
import { isUtf8 } from 'node:buffer';
import { createHmac, hash, randomBytes } from 'node:crypto';
import { masked } from '../audit/facts.ts';
import type { Guarantees } from '../backend.ts';
import type { Language } from '../exec/code.ts';
import type { ShellState } from '../exec/session/look.ts';
import type { ExecRequest } from '../exec/types.ts';
import type { Touched } from '../files/tools/touched.ts';
import { given } from '../lib/given.ts';
import { shownInput } from '../policy/approval/input.ts';
import { reachOf } from '../policy/reach.ts';
import type { Reach } from '../policy/types.ts';
import type { CommandContext } from '../shell/types.ts';
import type { Redaction } from '../redact/redactor.ts';
import { isShellStarter } from '../values/shell-starter.ts';

type Values = Readonly<Record<string, string>>;

/** A program with its arguments, text for a shell, a program's text, or a file tool. What was admitted is what is run. */
export type Subject =
  | FileSubject
  | { readonly kind: 'argv'; readonly argv: readonly [string, ...string[]] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly language: Language; readonly text: string; readonly bytes: string | Buffer };

export interface FileSubject {
  readonly kind: 'file';
  /** Name of the tool in rules: `read_file`. */
  readonly tool: string;
  /** Other names by which rules may mean it. */
  readonly also: readonly string[];
  /** Paths as the caller gave them. */
  readonly paths: readonly [string, ...string[]];
  /** SHA-256 of the content to write: another content is another call. */
  readonly digest: () => string | null;
  /** Asks the sandbox, once. `project`: where relative patterns of rules start, links followed. */
  readonly touched: () => Promise<Touched & { readonly project: string }>;
  /** What a write would change. Asks the sandbox, once, and never fails for what the file is. Absent: it writes no single file. */
  readonly preview?: () => Promise<Preview>;
}

export interface Preview {
  /** For people: bounded, without secrets and characters that are not seen. */
  readonly diff: string;
  /** SHA-256 of the file that it was made from; `none`: the file does not exist yet; `null`: not known. */
  readonly before: string | null;
}

type CodeSubject = Extract<Subject, { readonly kind: 'code' }>;

export interface Call {
  /** `null`: the call is not a command. */
  readonly execId: string | null;
  readonly taskId: string;
  readonly backend: string;
  readonly reach: Reach;
  readonly subject: Subject;
  /** Absolute, in the sandbox. */
  readonly cwd: string;
  /** User of the sandbox that would run it. Absent: the one that runs all its commands. */
  readonly user?: string;
  /** Names only: values may be secrets. */
  readonly envNames: readonly string[];
  /** HMAC of names and values with a key of this process: an answer for one value does not hold for another. */
  readonly envDigest?: string;
  /** What the request sets otherwise than the command would have it. For the policy alone: it is never shown. */
  readonly variables?: readonly { readonly name: string; readonly value: string }[];
  /** Takes out of a word what is a value of its environment or another secret, for records. */
  readonly masked?: (word: string) => string;
  /** Whether it reads input that was not judged. */
  readonly stdin: boolean;
  /** That input, where its request brings all of it. Absent: it comes later, or the command reads nothing. */
  readonly input?: Input;
  /** Asks the shell that will run it, where that lives already. */
  readonly look?: Look;
  /** The answer of that shell, and the text for which it was asked; `null` without an answer. */
  readonly seen?: { readonly subject: Subject; readonly known: ShellState | null };
}

/** What a living shell has made of its directory, and of some names. */
export type Look = (names: readonly string[]) => Promise<ShellState | null>;

export interface Input {
  /** SHA-256. */
  readonly digest: () => string;
  /** For people: bounded, without secrets and characters that are not seen. */
  readonly shown: () => string;
}

interface Program {
  readonly language: Language;
  readonly text: string | Uint8Array;
}

/** What is asked for, as far as it decides about the command. */
export interface CallInput {
  readonly plan: {
    readonly taskId: string;
    readonly spec: { readonly backend: string; readonly mounts: readonly unknown[] };
    readonly guarantees: Pick<Guarantees, 'isolation'>;
  };
  readonly request: Pick<ExecRequest, 'execId' | 'cwd' | 'user' | 'env' | 'stdin'>;
  readonly subject: Subject;
  /** What knows the secrets of this process. Absent or `null`: forms of secrets are taken out of records all the same. */
  readonly redaction?: Redaction | null;
  /** Variables that the caller sets, and those that the command would have without. */
  readonly variables?: { readonly set: Values; readonly anyway: Readonly<Record<string, string | undefined>> };
  readonly look?: Look | undefined;
  /** All of its stdin. Absent: that comes later, or the command reads nothing. */
  readonly input?: string | Uint8Array | undefined;
}

export function callOf({ plan, request, subject, redaction = null, look, variables, input }: CallInput): Call {
  const { execId, cwd, user, env, stdin } = request;
  const mask = (word: string): string => masked(word, env, redaction);
  return {
    execId,
    taskId: plan.taskId,
    backend: plan.spec.backend,
    reach: reachOf(plan.guarantees.isolation, plan.spec.mounts.length > 0),
    subject,
    cwd,
    ...given({ user }),
    envNames: Object.keys(env).toSorted(),
    envDigest: digestOf(env),
    variables: changed(variables),
    masked: mask,
    stdin: stdin && subject.kind === 'argv',
    ...(input === undefined
      ? {}
      : { input: { digest: () => hash('sha256', input), shown: () => shownInput(input, mask) } }),
    ...(look === undefined ? {} : { look }),
  };
}

const key = randomBytes(32);

/** Without variables it is the same in every process, so that an answer for the session holds in the next one. */
function digestOf(env: Values): string {
  if (Object.keys(env).length === 0) return '';
  const pairs = Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHmac('sha256', key).update(JSON.stringify(pairs)).digest('hex');
}

function changed(variables: CallInput['variables']): NonNullable<Call['variables']> {
  return Object.entries(variables?.set ?? {}).flatMap(([name, value]) =>
    variables?.anyway[name] === value ? [] : [{ name, value }],
  );
}

/** The directory, shell and names that policy reads a command with. `home`: the home directory of the account on this host. */
export function placeOf({ cwd, seen, stdin, reach, variables = [] }: Call, home: string): CommandContext {
  const set = reach === 'container' || variables.length === 0 ? {} : { environment: variables };
  const account = { ...(reach === 'host' ? { home, stdin } : { stdin }), ...set };
  if (seen === undefined) return { cwd, ...account };
  return seen.known === null
    ? { cwd: null, definitions: [], unclear: true, ...account }
    : { ...seen.known, ...account };
}

const shellPrograms = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash)$/;

/**
 * What the policy reads. An argument vector that only hands one text to a shell (`sh -c TEXT`) is that text: it
 * is how shell text is run through this interface, and not one shell in another.
 */
export function readable(subject: Subject): string | readonly [string, ...string[]] {
  if (subject.kind === 'file') return [subject.tool, ...subject.paths];
  if (subject.kind !== 'argv') return subject.text;
  const [program, flag, text] = subject.argv;
  const isText = subject.argv.length === 3 && shellPrograms.test(program) && flag === '-c';
  return isText && text !== undefined ? text : subject.argv;
}

/** The command as a person would have typed it. */
export function typed(subject: Subject): string | readonly [string, ...string[]] {
  return subject.kind === 'argv' && isShellStarter(subject.argv) ? [subject.argv[0]] : readable(subject);
}

/** Copies the text, since the judged text must be the one that runs; a NUL at its end marks bytes that are not UTF-8. */
export function codeSubject({ language, text }: Program): CodeSubject {
  if (typeof text === 'string') return { kind: 'code', language, text, bytes: text };
  const bytes = Buffer.from(text);
  return { kind: 'code', language, text: isUtf8(bytes) ? bytes.toString() : `${bytes.toString()}\0`, bytes };
}

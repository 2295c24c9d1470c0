/** What a skill says in the front matter of its SKILL.md about the variables and credential files it needs. */
import { constants } from 'node:fs';
import { access, open } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { CaissonError } from '../errors.ts';
import { credentialPathProblem } from '../values/credential-path.ts';
import { forwardProblem } from '../values/env.ts';

export interface SkillNeeds {
  /** Named by the skill and set here. */
  readonly set: readonly string[];
  /** Named by the skill and not set: they are not passed on, not even empty. */
  readonly missing: readonly string[];
  /** Credential files, as paths below the state directory. Whether they are there is looked at before each command. */
  readonly files: readonly string[];
  /** What a person should know about its files; absent when there is nothing. */
  readonly cautions?: readonly string[];
}

export interface SkillSurroundings {
  /** Directories that are searched for a skill by its name alone, when it is not in `cwd`. */
  readonly directories?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a variable has a source of its own, which is asked at the time of use. */
  readonly sourced?: (name: string) => boolean;
  /** Judges a skill by its SKILL.md, which has this text, before it is used. Throws to refuse it; answers cautions. */
  readonly admit?: (file: string, text: string) => Promise<readonly string[]>;
}

const maxBytes = 256 * 1024;
const maxEntries = 64;
const fileName = 'SKILL.md';

/**
 * `path` is a SKILL.md or its directory. Throws `invalid_argument` for a file that is not a skill or declares a path
 * that is not one, and `permission_denied` for a variable that is never passed on.
 */
export async function skillNeeds(path: string, surroundings: SkillSurroundings): Promise<SkillNeeds> {
  const { env, sourced = () => false, admit } = surroundings;
  const file = await find(path, surroundings);
  const text = await read(file);
  const matter = await frontMatter(text, file);
  const names = entriesIn(matter, variables, file);
  const files = entriesIn(matter, { list: 'required_credential_files', fields: ['path', 'name'] }, file);
  for (const name of names) refuseUnpassable(name, file);
  for (const path of files) refuseUndeclarable(path, file);
  const cautions = (await admit?.(file, text)) ?? [];
  const isSet = (name: string): boolean => sourced(name) || (Object.hasOwn(env, name) && env[name] !== undefined);
  const needs = { set: names.filter(isSet), missing: names.filter((name) => !isSet(name)), files };
  return cautions.length === 0 ? needs : { ...needs, cautions };
}

const variables = { list: 'required_environment_variables', fields: ['name'] } as const;

/** Names of variables in the front matter of a SKILL.md; empty when it cannot be read. */
export async function declaredVariables(text: string): Promise<readonly string[]> {
  try {
    return entriesIn(await frontMatter(text, fileName), variables, fileName);
  } catch {
    return []; // loading it reports the error
  }
}

async function find(path: string, { cwd, directories = [] }: SkillSurroundings): Promise<string> {
  const here = resolve(cwd, basename(path) === fileName ? path : join(path, fileName));
  const named = path.includes('/') ? [] : directories.map((directory) => join(directory, path, fileName));
  for (const file of [here, ...named])
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file;
  return here; // the read reports that it is not there
}

function refuseUnpassable(name: string, file: string): void {
  const problem = forwardProblem(name);
  if (problem === null) return;
  const shown = JSON.stringify(name.slice(0, 64));
  throw new CaissonError(
    'permission_denied',
    `${file} wants the variable ${shown}, which is never passed on: ${problem}`,
  );
}

function refuseUndeclarable(path: string, file: string): void {
  const problem = credentialPathProblem(path);
  if (problem === null) return;
  throw skillError(file, `the credential file ${JSON.stringify(path.slice(0, 64))} is refused: ${problem}`);
}

async function frontMatter(text: string, file: string): Promise<unknown> {
  const [, yaml] = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)/.exec(text) ?? [];
  if (yaml === undefined) return null;
  const { parseDocument } = await import('yaml');
  const document = parseDocument(yaml);
  const [error] = document.errors;
  if (error !== undefined)
    throw skillError(file, `its front matter is no YAML (line ${(error.linePos?.[0].line ?? 0) + 1})`);
  return document.toJS({ maxAliasCount: 10 });
}

async function read(file: string): Promise<string> {
  // Without O_NONBLOCK a named pipe in this place would keep us waiting for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw skillError(file, 'it cannot be read', error);
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw skillError(file, 'it is no regular file');
    if (found.size > maxBytes) throw skillError(file, `it is larger than ${maxBytes} bytes`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Entries are names, or objects with one of the fields; what else stands in them is for people. */
function entriesIn(
  matter: unknown,
  { list, fields }: { readonly list: string; readonly fields: readonly string[] },
  file: string,
): readonly string[] {
  const listed = field(matter, list);
  if (listed === undefined || listed === null) return [];
  if (!Array.isArray(listed) || listed.length > maxEntries)
    throw skillError(file, `${list} must be a list of at most ${maxEntries}`);
  const names = listed.map((entry: unknown) =>
    typeof entry === 'string' ? entry : fields.map((name) => field(entry, name)).find((name) => name !== undefined),
  );
  if (!names.every((name) => typeof name === 'string'))
    throw skillError(file, `each of ${list} must be a ${fields[0]}, or have one`);
  return [...new Set(names)];
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function skillError(file: string, why: string, cause?: unknown): CaissonError {
  return new CaissonError('invalid_argument', `${file} cannot be used as a skill: ${why}`, { cause });
}

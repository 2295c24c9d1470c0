/**
 * What the command line says with a request beside what any client may: rules, YOLO, its project and skills, all of which a Caisson
 * of its own would have been opened with. They stand in the body, or in the query where a request has no body of JSON, and are
 * taken out before the schema of the route, which refuses them from everybody else.
 */
import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import type { Options } from '../../service/api.ts';
import { readJson } from '../hooks/body.ts';
import { invalidRequestError } from '../invalid.ts';
import { answerHeader } from './tokens.ts';
import type { Bearer } from '../types.ts';
import { given } from '../../lib/given.ts';

export interface SaidInput {
  readonly query: unknown;
  readonly body: unknown;
  /** Fields that the route takes. */
  readonly names: readonly SaidName[];
}

export interface CallerInput {
  readonly query: unknown;
  readonly body: unknown;
  readonly said: Pick<Options, 'said'>;
  readonly skills: { readonly skills?: readonly string[] };
}

const rule = z.array(z.string().max(4096)).max(1000).exactOptional();
const hostPath = z
  .string()
  .max(4096)
  .regex(/^\/[^\0]*$/, 'an absolute path of this host');
const fields = {
  rules: z.strictObject({ allow: rule, ask: rule, deny: rule }).exactOptional(),
  yolo: z.boolean().exactOptional(),
  project: hostPath.exactOptional(),
  skills: z.array(hostPath).max(64).exactOptional(),
};
const schema = z.object(fields);

export type SaidName = keyof typeof fields;

/** Throws `invalid_argument` for what is not as it should be, `permission_denied` for rules without the answer token. */
export function takeSaid({ query, body, names }: SaidInput, bearer: Bearer): CallerInput {
  const { commandLine } = bearer;
  if (commandLine === undefined) return { query, body, said: {}, skills: {} };
  const place = isObject(body) ? 'body' : 'query';
  const { taken, rest } = split(place === 'body' ? body : query, names);
  const read = schema.safeParse(place === 'body' ? taken : ofQuery(taken));
  const fine = z.unknown().safeParse(null);
  if (!read.success) throw invalidRequestError({ params: fine, query: fine, body: fine, [place]: read });
  const { rules, yolo, project, skills } = read.data;
  if ((rules !== undefined || yolo === true) && !commandLine.decides) throw undecidedError();
  const said = {
    ...given({ rules, yolo, directory: project }),
  };
  return {
    query,
    body,
    [place]: rest,
    said: Object.keys(said).length === 0 ? {} : { said },
    skills: given({ skills }),
  };
}

function split(from: unknown, names: readonly string[]) {
  if (!isObject(from)) return { taken: {}, rest: from };
  const entries = Object.entries(from);
  const isTaken = ([name]: readonly [string, unknown]): boolean => names.includes(name);
  return {
    taken: Object.fromEntries(entries.filter(isTaken)),
    rest: Object.fromEntries(entries.filter((each) => !isTaken(each))),
  };
}

/** `rules` as JSON, `yolo` as a word, `skills` once or more often. */
function ofQuery({ rules, yolo, skills, ...rest }: Readonly<Record<string, unknown>>): object {
  return {
    ...rest,
    ...(typeof rules === 'string' ? { rules: readJson(rules) } : given({ rules })),
    ...(yolo === undefined ? {} : { yolo: yolo === 'true' || (yolo === 'false' ? false : yolo) }),
    ...(skills === undefined ? {} : { skills: Array.isArray(skills) ? skills : [skills] }),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('pipe' in value);

const undecidedError = (): CaissonError =>
  new CaissonError(
    'permission_denied',
    'rules and yolo decide for the person who answers, and need the token of that person',
    {
      remedy: `send the token of service.answer in the header ${answerHeader}`,
    },
  );

/** A request that its schemas refuse: one error that names every problem by its place. */
import type { z } from 'zod';
import { CaissonError } from '../errors.ts';

const maxProblems = 20;
const maxTextUnits = 200;

export interface Fault {
  /** RFC 6901, from `/params`, `/query` or `/body`. */
  readonly pointer: string;
  readonly detail: string;
}

/** A fault that the library has words for. */
interface KnownFault {
  readonly message: string;
  readonly remedy: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

interface ExplainedFault extends Fault {
  readonly known: KnownFault | null;
}

export class InvalidRequest extends CaissonError {
  readonly errors: readonly Fault[];

  constructor(found: readonly ExplainedFault[]) {
    const { message, remedy, details = {} } = wordsOf(found);
    super('invalid_argument', message, { remedy: remedy ?? 'GET /openapi.json says what each route takes', details });
    this.errors = found.map(({ pointer, detail }) => ({ pointer, detail }));
  }
}

function wordsOf(found: readonly ExplainedFault[]): KnownFault {
  const [first] = found;
  if (found.length === 1 && first?.known != null) return first.known;
  const message = first === undefined ? 'the request is invalid' : `${first.pointer}: ${first.detail}`;
  return { message, remedy: undefined, details: undefined };
}

type ParsedRequest = Readonly<Record<'params' | 'query' | 'body', z.ZodSafeParseResult<unknown>>>;

export function invalidRequestError(parts: ParsedRequest): InvalidRequest {
  const faults = Object.entries(parts).flatMap(([part, result]) =>
    result.success ? [] : result.error.issues.flatMap((issue) => faultsOf(part, issue)),
  );
  return new InvalidRequest(faults.slice(0, maxProblems));
}

function faultsOf(part: string, issue: z.core.$ZodIssue): readonly ExplainedFault[] {
  const pointer = ['', part, ...issue.path.map(escaped)].join('/').slice(0, maxTextUnits);
  if (issue.code === 'invalid_union') return unionFaults(part, issue);
  if (issue.code !== 'unrecognized_keys')
    return [{ pointer, detail: issue.message.slice(0, maxTextUnits), known: knownIn(issue) }];
  return issue.keys.slice(0, maxProblems).map((key) => ({
    pointer: `${pointer}/${escaped(key)}`.slice(0, maxTextUnits),
    detail: 'there is no such key',
    known: null,
  }));
}

function knownIn(issue: z.core.$ZodIssue): KnownFault | null {
  if (issue.code !== 'custom' || typeof issue.params?.['remedy'] !== 'string') return null;
  const { remedy } = issue.params;
  const details: unknown = issue.params['details'];
  return { message: issue.message, remedy, details: typeof details === 'object' ? { ...details } : {} };
}

/** Finds the faults of the first alternative, which is the usual one. */
function unionFaults(part: string, issue: z.core.$ZodIssueInvalidUnion): readonly ExplainedFault[] {
  const [first = []] = issue.errors;
  const inner = first.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
  if (inner.length > 0) return inner.flatMap((each) => faultsOf(part, each));
  const pointer = ['', part, ...issue.path.map(escaped)].join('/');
  return [{ pointer, detail: issue.message.slice(0, maxTextUnits), known: null }];
}

const escaped = (part: PropertyKey): string => String(part).replaceAll('~', '~0').replaceAll('/', '~1');

/** A request that its schemas refuse: one error that names every problem by its place. */
import type { z } from 'zod';
import { CaissonError } from '../errors.ts';

const mostProblems = 20;
const mostTextUnits = 200;

export interface Fault {
  /** RFC 6901, from `/params`, `/query` or `/body`. */
  readonly pointer: string;
  readonly detail: string;
}

export class InvalidRequest extends CaissonError {
  readonly errors: readonly Fault[];

  constructor(errors: readonly Fault[]) {
    const [first] = errors;
    super('invalid_argument', first === undefined ? 'the request is invalid' : `${first.pointer}: ${first.detail}`, {
      remedy: 'GET /openapi.json says what each route takes',
    });
    this.errors = errors;
  }
}

type Parts = Readonly<Record<'params' | 'query' | 'body', z.ZodSafeParseResult<unknown>>>;

export function invalid(parts: Parts): InvalidRequest {
  const faults = Object.entries(parts).flatMap(([part, result]) =>
    result.success ? [] : result.error.issues.flatMap((issue) => faultsOf(part, issue)),
  );
  return new InvalidRequest(faults.slice(0, mostProblems));
}

function faultsOf(part: string, issue: z.core.$ZodIssue): readonly Fault[] {
  const pointer = ['', part, ...issue.path.map(escaped)].join('/').slice(0, mostTextUnits);
  if (issue.code === 'invalid_union') return unionFaults(part, issue);
  if (issue.code !== 'unrecognized_keys') return [{ pointer, detail: issue.message.slice(0, mostTextUnits) }];
  return issue.keys.slice(0, mostProblems).map((key) => ({
    pointer: `${pointer}/${escaped(key)}`.slice(0, mostTextUnits),
    detail: 'there is no such key',
  }));
}

/** Of the first alternative, which is the usual one. */
function unionFaults(part: string, issue: z.core.$ZodIssueInvalidUnion): readonly Fault[] {
  const [first = []] = issue.errors;
  const inner = first.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
  if (inner.length > 0) return inner.flatMap((each) => faultsOf(part, each));
  return [{ pointer: ['', part, ...issue.path.map(escaped)].join('/'), detail: issue.message.slice(0, mostTextUnits) }];
}

const escaped = (part: PropertyKey): string => String(part).replaceAll('~', '~0').replaceAll('/', '~1');

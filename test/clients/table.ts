/** The table of cases of the Python client against one place: each case is a test of its own, the table runs once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Home } from '../api/subjects/embedded.ts';
import { byField, python } from './python.ts';
import { foreignService, type ForeignService } from './service.ts';

const tableMs = 240_000;
/** Image for tasks of frameworks that name one. */
const image = 'caisson-test/debian:latest';

export interface TableInput {
  readonly name: string;
  readonly backend: string;
  readonly flavour: 'blocking' | 'asyncio';
  readonly ids: readonly string[];
  readonly home: () => Home;
  /** Why there is nothing to test on this machine. */
  readonly unavailable?: string | null;
}

export function pythonTable({ name, backend, flavour, ids, home, unavailable }: TableInput): void {
  if (typeof unavailable === 'string') return notRun(`${name} on ${backend}`, unavailable);
  describe(`${name} on ${backend}`, () => {
    let service: ForeignService;
    let found: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
    beforeAll(async () => {
      service = await foreignService(home());
      const env = { ...service.env, CAISSON_PLACE: backend, CAISSON_IMAGE: image };
      found = byField(await python(['table.py', flavour, ...ids], env), 'id');
    }, tableMs);
    afterAll(() => service[Symbol.asyncDispose](), 60_000);
    test.each(ids)('%s', (id) => {
      expect(found.get(id) ?? { error: 'it did not run' }).toMatchObject({ error: null });
    });
  });
}

/** Loud on a laptop, a failure where engines are required. */
function notRun(name: string, reason: string): void {
  test(`NOT RUN: ${name}: ${reason}`, ({ skip }) => {
    if (process.env['CAISSON_REQUIRE_ENGINES'] === '1') throw new Error(reason);
    skip(reason);
  });
}

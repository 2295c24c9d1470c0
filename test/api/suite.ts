/**
 * One suite for the API of the package: embedded, and through client and service. A case is called by the verb that it shows and
 * by what it shows of it, `execs.run.timeout`, and fails when it does not call that verb.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cases } from './cases/all.ts';
import { Place } from './place.ts';
import type { CaseMeta } from './results.ts';
import type { Subject } from './subject.ts';

type Body = (place: Place) => Promise<void>;

export interface Case {
  readonly meta: CaseMeta;
  readonly verb: string;
  readonly title: string;
  readonly body: Body;
}

const caseTimeoutMs = 180_000;
const openTimeoutMs = 120_000;

/** What a file of cases registers with. */
export class Suite {
  readonly #subject: Subject;
  readonly #found: Case[] = [];
  /** Those that the subject does without included. */
  readonly #ids = new Set<string>();

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** A case that shows the API and not the place: a subject that is `placeOnly` does without it. */
  test(id: string, title: string, body: Body): void {
    this.#ids.add(id);
    if (this.#subject.placeOnly !== true) this.placeTest(id, title, body);
  }

  /**
   * A case whose result depends on the place where commands run, so that every subject has it. `id` is the verb and what is shown
   * of it; a deviation names it.
   */
  placeTest(id: string, title: string, body: Body): void {
    this.#ids.add(id);
    if (this.#found.some(({ meta }) => meta.id === id)) throw new Error(`two cases are called ${id}`);
    const deviation = this.#subject.deviations?.[id];
    const verb = id.slice(0, id.lastIndexOf('.'));
    const subject = this.#subject.name;
    if (deviation === undefined) this.#found.push({ meta: { subject, id, kind: 'case' }, verb, title, body });
    else {
      const { reason, instead } = deviation;
      const meta = { subject, id, kind: 'deviation', reason } as const;
      this.#found.push({ meta, verb, title: `deviates: ${title} (${reason})`, body: instead });
    }
  }

  /** In the order in which they run. A deviation from a case that does not exist would hide nothing and explain nothing. */
  cases(): readonly Case[] {
    const unknown = Object.keys(this.#subject.deviations ?? {}).filter((id) => !this.#ids.has(id));
    if (unknown.length > 0) throw new Error(`deviations from cases that are not there: ${unknown.join(', ')}`);
    return this.#found;
  }
}

export function casesOf(subject: Subject): readonly Case[] {
  const suite = new Suite(subject);
  for (const register of cases) register(suite);
  return suite.cases();
}

export function apiSuite(subject: Subject): void {
  if (typeof subject.unavailable === 'string') {
    notRun(subject.name, subject.unavailable);
    return;
  }
  describe(`the API, ${subject.name}`, () => {
    let place: Place;
    beforeAll(async () => void (place = await Place.open(subject)), openTimeoutMs);
    afterAll(() => place.close(), openTimeoutMs);
    for (const { meta, verb, title, body } of casesOf(subject)) {
      test(`${meta.id}: ${title}`, { timeout: caseTimeoutMs }, async ({ task }) => {
        task.meta.api = meta;
        place.called.clear();
        await body(place);
        expect([...place.called]).toContain(verb);
      });
    }
  });
}

/** Loud on a laptop, a failure where engines are required. */
function notRun(subject: string, reason: string): void {
  console.warn(`NOT RUN: the API, ${subject}: ${reason}`);
  test(`NOT RUN: the API, ${subject}: ${reason}`, ({ task, skip }) => {
    task.meta.api = { subject, id: 'suite', kind: 'not-run', reason };
    if (process.env['CAISSON_REQUIRE_ENGINES'] === '1') throw new Error(reason);
    skip(reason);
  });
}

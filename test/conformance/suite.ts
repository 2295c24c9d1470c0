/**
 * One suite for every backend. It reads guarantees and facets itself and never asks for a backend's name: where an
 * ability is there, its behaviour is tested; where it is absent, that asking for it fails properly.
 */
import { afterAll, describe, test } from 'vitest';
import { cases } from './cases/all.ts';
import { Place, type Subject } from './place.ts';
import type { CaseMeta } from './results.ts';

type Body = (place: Place) => Promise<void>;

export interface Case {
  readonly meta: CaseMeta;
  readonly title: string;
  readonly body: Body;
}

const caseTimeoutMs = 60_000;

/** What a file of cases registers with. */
export class Suite {
  readonly place: Place;
  readonly #add: (each: Case) => void;
  readonly #ids = new Set<string>();

  constructor(place: Place, add: (each: Case) => void) {
    this.place = place;
    this.#add = add;
  }

  /** `id` is `concern.behaviour`; a deviation names it. */
  test(id: string, title: string, body: Body): void {
    const deviation = this.place.subject.deviations?.[id];
    if (deviation === undefined) this.#register({ id, kind: 'case' }, title, body);
    else
      this.#register(
        { id, kind: 'deviation', reason: deviation.reason },
        `deviates: ${title} (${deviation.reason})`,
        deviation.instead,
      );
  }

  /** The case of an ability that the place lacks. */
  absent(id: string, title: string, body: Body): void {
    this.#register({ id, kind: 'absent' }, `absent: ${title}`, body);
  }

  /** A deviation from a case that does not exist would hide nothing and explain nothing. */
  checkDeviations(): void {
    const unknown = Object.keys(this.place.subject.deviations ?? {}).filter((id) => !this.#ids.has(id));
    if (unknown.length > 0) throw new Error(`deviations from cases that are not there: ${unknown.join(', ')}`);
  }

  #register(meta: Omit<CaseMeta, 'backend'>, title: string, body: Body): void {
    if (this.#ids.has(meta.id)) throw new Error(`two cases are called ${meta.id}`);
    this.#ids.add(meta.id);
    this.#add({ meta: { backend: this.place.subject.name, ...meta }, title, body });
  }
}

/** All cases of a place, in the order in which they run. */
export function casesOf(place: Place): readonly Case[] {
  const found: Case[] = [];
  const suite = new Suite(place, (each) => found.push(each));
  for (const register of cases) register(suite);
  suite.checkDeviations();
  return found;
}

export async function testBackend(subject: Subject): Promise<void> {
  if (typeof subject.unavailable === 'string') {
    notRun(subject.name, subject.unavailable);
    return;
  }
  const place = await Place.open(subject);
  describe(`the ${subject.name} backend keeps the contract`, () => {
    afterAll(() => place.close(), caseTimeoutMs);
    for (const { meta, title, body } of casesOf(place)) {
      test(`${meta.id}: ${title}`, { timeout: caseTimeoutMs }, async ({ task }) => {
        task.meta.conformance = meta;
        await body(place);
      });
    }
  });
}

/** Loud on a laptop, a failure where engines are required. */
function notRun(backend: string, reason: string): void {
  const meta: CaseMeta = { backend, id: 'suite', kind: 'not-run', reason };
  console.warn(`NOT RUN: conformance of ${backend}: ${reason}`);
  test(`NOT RUN: conformance of ${backend}: ${reason}`, ({ task, skip }) => {
    task.meta.conformance = meta;
    if (process.env['CAISSON_REQUIRE_ENGINES'] === '1') throw new Error(reason);
    skip(reason);
  });
}

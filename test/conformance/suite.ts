/**
 * One suite for every backend. It reads guarantees and facets itself and never asks for a backend's name: where an
 * ability is there, its behaviour is tested; where it is absent, that asking for it fails properly.
 */
import { afterAll, describe, test } from 'vitest';
import { cases, leftoverCases } from './cases/all.ts';
import { type Argv, Place, type Subject } from './place.ts';
import type { CaseMeta } from './results.ts';

/** Cases beyond the contract. */
export interface More {
  readonly cases: readonly ((suite: Suite) => void)[];
  /** What the first process of a sandbox runs in them; see `CreateOptions.init`. */
  readonly init: Argv;
}

type Body = (place: Place) => Promise<void>;

export interface Case {
  readonly meta: CaseMeta;
  readonly title: string;
  readonly body: Body;
}

const caseTimeoutMs = 180_000;

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
export function casesOf(place: Place, more: More | null = null): readonly Case[] {
  const found: Case[] = [];
  const suite = new Suite(place, (each) => found.push(each));
  for (const register of [...cases, ...(more?.cases ?? []), leftoverCases]) register(suite);
  suite.checkDeviations();
  return found;
}

export async function testBackend(subject: Subject, more: More | null = null): Promise<void> {
  if (typeof subject.unavailable === 'string') {
    notRun(subject.name, subject.unavailable);
    return;
  }
  const place = await Place.open(subject, more?.init);
  describe(`the ${subject.name} backend keeps the contract`, () => {
    afterAll(() => place.close(), caseTimeoutMs);
    for (const { meta, title, body } of casesOf(place, more)) {
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

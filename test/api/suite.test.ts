/** What the suite covers, and that its runs are the same. */
import { expect, it } from 'vitest';
import { table } from '../../src/http/table.ts';
import { serviceDeviations } from './subjects/deviations.ts';
import { casesOf } from './suite.ts';
import type { Subject } from './subject.ts';

const subject: Subject = {
  name: 'none',
  backend: 'local',
  hasStats: false,
  hasTerminals: false,
  isContained: false,
  open: () => Promise.reject(new Error('only its cases are looked at')),
};

it('every verb of the API has a case, and every case a verb', () => {
  const verbs = new Set(casesOf(subject).map(({ verb }) => verb));
  expect([...verbs].toSorted()).toEqual(Object.keys(table).toSorted());
});

it('the cases are the same embedded, and through a service but for what no client does', () => {
  const embedded = casesOf(subject).map(({ meta }) => meta.id);
  const through = casesOf({ ...subject, deviations: serviceDeviations });
  expect(through.map(({ meta }) => meta.id)).toEqual(embedded);
  expect(embedded.length).toBeGreaterThanOrEqual(300);
  const deviating = through.flatMap(({ meta }) => (meta.kind === 'deviation' ? [meta.id] : []));
  expect(deviating.toSorted()).toEqual(Object.keys(serviceDeviations).toSorted());
});

it('a subject that is placeOnly has the cases that depend on the place, in their order', () => {
  const all = casesOf(subject).map(({ meta }) => meta.id);
  const placed = casesOf({ ...subject, placeOnly: true }).map(({ meta }) => meta.id);
  expect(placed.length).toBeGreaterThanOrEqual(80);
  expect(placed.length).toBeLessThan(all.length / 2);
  expect(all.filter((id) => placed.includes(id))).toEqual(placed);
});

it('every verb that no route serves deviates through a service, with what it does instead', () => {
  const unserved = Object.entries(table).flatMap(([verb, entry]) => ('none' in entry ? [verb] : []));
  const through = casesOf({ ...subject, deviations: serviceDeviations });
  const shorts = new Set(['run', 'exec', 'close']);
  for (const verb of unserved.filter((each) => !shorts.has(each)))
    expect([verb, through.filter((each) => each.verb === verb).map(({ meta }) => meta.kind)]).toEqual([
      verb,
      ['deviation'],
    ]);
});

it('a deviation from a case that is not there is an error, and so are two cases of one name', () => {
  const instead = () => Promise.resolve();
  expect(() => casesOf({ ...subject, deviations: { 'run.nothing': { reason: 'x', instead } } })).toThrow(
    'deviations from cases that are not there: run.nothing',
  );
});

/** The cases of the API, by both clients of Python, on this host. */
import { expect, it } from 'vitest';
import { homeFor } from '../api/subjects/embedded.ts';
import { settings } from '../api/settings.ts';
import { casesOf } from '../api/suite.ts';
import { tableIds } from './python.ts';
import { pythonTable } from './table.ts';

const all = tableIds();
const ids = all.filter((id) => !id.startsWith('adapter.'));
const ofSuite = ids.filter((id) => !id.startsWith('python.'));
const home = () => homeFor('{backend: local}', {}, settings);

pythonTable({ name: 'the Python client, blocking,', backend: 'local', flavour: 'blocking', ids, home });
pythonTable({ name: 'the Python client, asyncio,', backend: 'local', flavour: 'asyncio', ids, home });
const adapters = all.filter((id) => id.startsWith('adapter.'));
pythonTable({ name: 'adapters of Python frameworks', backend: 'local', flavour: 'asyncio', ids: adapters, home });

it('has at least 80 cases of the suite of the API, each under its id there', () => {
  const subject = { name: 'ids', backend: 'local', hasStats: false, hasTerminals: false, isContained: false };
  const known = casesOf({ ...subject, open: () => Promise.reject(new Error('not opened')) }).map(({ meta }) => meta.id);
  expect(ofSuite.filter((id) => !known.includes(id))).toEqual([]);
  expect(ofSuite.length).toBeGreaterThanOrEqual(80);
});

/** Whether an edit of the file is seen. */
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Freshness } from '../../src/config/freshness.ts';
import { sourceOf } from '../../src/config/source.ts';
import { newHome } from './home.ts';

it('an edit is seen, also with the size and times as before, and one that was taken is not seen again', async () => {
  await using home = await newHome();
  const file = join(home.path, 'config.yaml');
  writeFileSync(file, 'a: 1\n');
  const freshness = new Freshness(home.path, sourceOf('a: 1\n'));
  expect(freshness.isStale()).toBe(false);
  writeFileSync(file, 'a: 2\n');
  utimesSync(file, 1, 1);
  expect(freshness.isStale()).toBe(true);
  freshness.took(freshness.look());
  expect(freshness.isStale()).toBe(false);
  writeFileSync(file, 'a: 3\n');
  utimesSync(file, 1, 1);
  expect(freshness.isStale()).toBe(true);
});

it('a file that is made, and one that is removed, are edits', async () => {
  await using home = await newHome();
  const file = join(home.path, 'config.yaml');
  const freshness = new Freshness(home.path, sourceOf(null));
  expect(freshness.isStale()).toBe(false);
  writeFileSync(file, 'a: 1\n');
  expect(freshness.isStale()).toBe(true);
  freshness.took(freshness.look());
  rmSync(file);
  expect(freshness.isStale()).toBe(true);
});

it('an edit while the file is read is seen afterwards', async () => {
  await using home = await newHome();
  const file = join(home.path, 'config.yaml');
  writeFileSync(file, 'a: 1\n');
  const freshness = new Freshness(home.path, sourceOf(null));
  const look = freshness.look();
  writeFileSync(file, 'a: 2\n');
  freshness.took(look);
  expect(freshness.isStale()).toBe(true);
});

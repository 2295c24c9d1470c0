import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseRegistration, type Registration } from '../../../backends/local/registration.ts';
import { isOurs, Registry } from '../../../backends/shared/registry.ts';

const kind = { name: 'local', parse: parseRegistration };
let temporary = '';
let registry = new Registry('/nowhere', kind);
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'caisson-registry-'));
  registry = new Registry(temporary, kind);
});
afterEach(() => rmSync(temporary, { recursive: true }));

function registration(name: string, instance = 'inst'): Registration {
  const labels = {
    instance,
    sandbox: 'sbx_1',
    task: 't',
    fingerprint: 'f',
    created: '2026-01-01T00:00:00Z',
    schema: '1',
  };
  return { v: 1, name, labels, state: 'running' };
}

test('keeps a registration, for this account only', async () => {
  const file = registry.file('inst', 'name');
  expect(await registry.insert(file, registration('name'))).toBe(true);
  expect(await registry.read(file)).toEqual(registration('name'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(registry.root).mode & 0o777).toBe(0o700);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(file))).toEqual(['name.json']);
});

test('gives a name once, also to two at the same time', async () => {
  const file = registry.file('inst', 'name');
  const tries = await Promise.all(Array.from({ length: 8 }, () => registry.insert(file, registration('name'))));
  expect(tries.filter((won) => won)).toHaveLength(1);
});

test('keeps any name and instance apart, inside its own directory', async () => {
  const text = fc.oneof(
    fc.constantFrom('.', '..', '../x', 'a/b', '%2E', '%2e.', 'A', 'a'),
    fc.string({ minLength: 1, maxLength: 20 }).filter((word) => word.isWellFormed()),
  );
  fc.assert(
    fc.property(text, text, text, text, (instanceA, nameA, instanceB, nameB) => {
      const [a, b] = [registry.file(instanceA, nameA), registry.file(instanceB, nameB)];
      expect(dirname(dirname(dirname(a)))).toBe(registry.root);
      expect(a === b).toBe(instanceA === instanceB && nameA === nameB);
    }),
  );
});

test('lists one instance, and leaves out what it did not write', async () => {
  await registry.insert(registry.file('inst', 'one'), registration('one'));
  await registry.insert(registry.file('other', 'two'), registration('two', 'other'));
  const directory = dirname(registry.file('inst', 'one'));
  writeFileSync(join(directory, 'foreign.json'), '{"v":2}');
  writeFileSync(join(directory, 'torn.json'), '{"v":1,"na');
  expect((await registry.all('inst')).map(({ registration: found }) => found.name)).toEqual(['one']);
  expect(await registry.all('third')).toEqual([]);
});

test('tells a file that it did not write as a conflict, and removes idempotently', async () => {
  const file = registry.file('inst', 'name');
  await registry.insert(file, registration('name'));
  writeFileSync(file, '[]');
  await expect(registry.read(file)).rejects.toMatchObject({ code: 'conflict' });
  await registry.remove(file);
  await registry.remove(file);
  expect(await registry.read(file)).toBeNull();
});

test('does not trust a directory that others can write, or a link', async () => {
  expect(await isOurs(registry.root)).toBe(false);
  mkdirSync(registry.root);
  chmodSync(registry.root, 0o777);
  await expect(registry.all('inst')).rejects.toMatchObject({ code: 'failed_precondition' });
  await expect(registry.insert(registry.file('inst', 'name'), registration('name'))).rejects.toMatchObject({
    code: 'failed_precondition',
  });
  rmSync(registry.root, { recursive: true });
  const elsewhere = join(temporary, `elsewhere-${userInfo().uid}`);
  mkdirSync(elsewhere, { mode: 0o700 });
  symlinkSync(elsewhere, registry.root);
  await expect(registry.all('inst')).rejects.toMatchObject({ code: 'failed_precondition' });
});

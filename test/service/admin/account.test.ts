/** What runs in the account of a service: asked by the facet, distinguished by labels, and bounded. */
import { expect, it } from 'vitest';
import type { AccountEntry } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { readAccounts } from '../../../src/service/admin/account.ts';
import type { Context } from '../../../src/sandbox/context.ts';
import { afresh } from '../../sandbox/service.ts';

const { service } = afresh();

const entry = { state: 'running', since: '2026-01-02T03:04:05Z', cpuCores: 1, memoryBytes: 1024 } as const;

/** `by`: what each backend has of an account. */
async function withAccounts(by: Readonly<Record<string, (() => Promise<readonly AccountEntry[]>) | null>>) {
  const context = await service();
  const backend: Context['backend'] = async (name) => {
    const list = by[name] ?? null;
    return { ...(await context.backend(name)), name, ...(list === null ? {} : { account: { list } }) };
  };
  return { ...context, backend };
}

it('tells own sandboxes from those of another home and from what others run', async () => {
  const context: Context = await withAccounts({
    plain: null,
    cloud: async () => [
      { ...entry, name: 'a', labels: { instance: context.store.instance, sandbox: 'sbx_a', task: 'build' } },
      { ...entry, name: 'b', labels: { instance: 'another', sandbox: 'sbx_b', task: 'theirs' } },
      { ...entry, name: 'c', labels: null },
    ],
  });
  const [view, ...others] = await readAccounts(context, ['plain', 'cloud'], {});
  expect(others).toEqual([]);
  expect(view?.items.map(({ name, owner, taskId }) => [name, owner, taskId])).toEqual([
    ['a', 'this', 'build'],
    ['b', 'other', 'theirs'],
    ['c', 'none', null],
  ]);
  expect(view).toMatchObject({ backend: 'cloud', error: null, items: [{ since: '2026-01-02T03:04:05.000Z' }, {}, {}] });
});

it('bounds what the service says, and keeps a service that does not answer apart', async () => {
  const context = await withAccounts({
    silent: () => Promise.reject(new CaissonError('unavailable', 'the service is away')),
    loud: async () =>
      Array.from({ length: 10_001 }, () => ({ ...entry, name: 'x'.repeat(9_000), since: 'then', labels: null })),
  });
  const [silent, loud] = await readAccounts(context, ['silent', 'loud'], {});
  expect(silent).toEqual({ backend: 'silent', items: [], error: 'the service is away' });
  expect(loud?.items).toHaveLength(10_000);
  expect(loud?.items[0]).toMatchObject({ name: 'x'.repeat(200), since: null });
});

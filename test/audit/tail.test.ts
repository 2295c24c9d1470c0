/** Tails of an audit of many records over several files. */
import { expect, it } from 'vitest';
import type { AuditRecord } from '../../src/audit/types.ts';
import { entry, place } from './audits.ts';

const owners = ['ann', 'bob', 'carol'] as const;
const count = 3000;

/** Words of several bytes a character, so that blocks end within them. */
const words = (n: number): readonly string[] => ['echo', `${n}`, 'ä€\u{1f600}'.repeat(n % 50)];

async function filled() {
  const here = place();
  const audit = here.open(null, 100_000);
  await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const owner = n === 5 ? 'dora' : owners[n % owners.length];
      return audit.record(entry(n, { owner: owner ?? 'ann', command: words(n) }));
    }),
  );
  return { here, audit };
}

const idsOf = (records: readonly AuditRecord[]): readonly unknown[] => records.map(({ execId }) => execId);

it('the last records of one owner are given in their order, over all files', async () => {
  const { here, audit } = await filled();
  using _ = here;
  const bob = await Array.fromAsync(audit.tail({ count: 700, follow: false, owner: 'bob' }));
  const wanted = Array.from({ length: count }, (_each, n) => n).filter((n) => n % 3 === 1);
  expect(idsOf(bob)).toEqual(wanted.slice(-700).map((n) => `exec_${n}`));
  expect(bob.map(({ command }) => command)).toEqual(wanted.slice(-700).map(words));
  const dora = await Array.fromAsync(audit.tail({ count: 20, follow: false, owner: 'dora' }));
  expect(idsOf(dora)).toEqual(['exec_5']);
  expect(await Array.fromAsync(audit.tail({ count: 20, follow: false, owner: 'none' }))).toEqual([]);
  expect(await Array.fromAsync(audit.tail({ count: count * 2, follow: false }))).toHaveLength(count);
  audit.close();
});

it('the event loop goes on beside many readers of all records', async () => {
  const { here, audit } = await filled();
  using _ = here;
  let longestMs = 0;
  let last = performance.now();
  const beating = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }, 1);
  const read = await Promise.all(
    Array.from({ length: 12 }, () => Array.fromAsync(audit.tail({ count: 100_000, follow: false, owner: 'bob' }))),
  );
  clearInterval(beating);
  expect(read.map(({ length }) => length)).toEqual(Array.from({ length: 12 }, () => count / 3));
  // Twelve readers that take one after the other what all files hold would take longer than this.
  expect(longestMs).toBeLessThan(150);
  audit.close();
});

it('a follower reads what came, and not the file from its beginning', async () => {
  const { here, audit } = await filled();
  using _ = here;
  const stop = new AbortController();
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const { execId } of audit.tail({ count: 0, follow: true, owner: 'bob', signal: stop.signal })) {
      seen.push(execId);
      if (seen.length === 3) stop.abort();
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const n of [1, 2, 3]) {
    await audit.record(entry(n, { owner: 'ann' }));
    await audit.record(entry(count + n, { owner: 'bob' }));
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  await reading;
  expect(seen).toEqual([1, 2, 3].map((n) => `exec_${count + n}`));
  audit.close();
});

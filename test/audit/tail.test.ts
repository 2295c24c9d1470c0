/** Tails of an audit of many records over several files. */
import { type FileHandle, open } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import type { AuditFilter, AuditRecord } from '../../src/audit/types.ts';
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
  // Processor time of this thread: a busy machine makes no turn longer.
  let last = process.threadCpuUsage();
  const beating = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    last = process.threadCpuUsage();
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

/** Bytes that were read from files while `work` ran. */
async function bytesRead(work: () => Promise<unknown>): Promise<number> {
  await using any = await open(import.meta.filename);
  const handles: Pick<FileHandle, 'read'> = Object.getPrototypeOf(any);
  const read = vi.spyOn(handles, 'read');
  await work();
  const results = await Promise.all(read.mock.results.map(({ value }) => value));
  read.mockRestore();
  return results.reduce((sum, result) => sum + Number(Object(result).bytesRead), 0);
}

it('a look at the few records of one owner reads the files once, and then its records alone', async () => {
  const { here, audit } = await filled();
  using _ = here;
  const { bytes } = audit.figures();
  for (const owner of ['dora', 'none']) {
    const look = () => Array.fromAsync(audit.tail({ count: 20, follow: false, owner }));
    const first = await bytesRead(look);
    if (owner === 'dora') expect(first).toBeGreaterThan(bytes / 2);
    expect(first).toBeLessThan(1.5 * bytes);
    await audit.record(entry(count, { owner: 'ann' }));
    expect(await bytesRead(look)).toBeLessThan(bytes / 5);
    expect(idsOf(await look())).toEqual(owner === 'dora' ? ['exec_5'] : []);
  }
  audit.close();
});

it('the records of one owner are found while files are begun, renamed and removed', async () => {
  const here = place();
  using _ = here;
  const [writer, reader] = [here.open(80_000, 10_000), here.open(80_000, 10_000)];
  for (let round = 0; round < 25; round++) {
    for (let n = 0; n < 12; n++)
      await writer.record(entry(round * 100 + n, { owner: n % 5 === round % 5 ? 'bob' : 'ann', command: words(n) }));
    const all = await Array.fromAsync(reader.tail({ count: 100_000, follow: false }));
    const bob = await Array.fromAsync(reader.tail({ count: 40, follow: false, owner: 'bob' }));
    expect(bob).toEqual(all.filter(({ owner }) => owner === 'bob').slice(-40));
  }
  writer.close();
  reader.close();
});

it('filters that are given together find the records that fit all of them, over all files', async () => {
  using here = place();
  const audit = here.open(null, 50_000);
  const began = new Date().toISOString();
  for (let n = 0; n < 900; n += 1) {
    const owner = owners[n % 3] ?? 'ann';
    void audit.record(
      entry(n, { owner, taskId: `${owner}.t${n % 10}`, sandboxId: `sbx_${n % 10}`, command: words(n) }),
    );
    if (n % 90 !== 4) continue;
    const rule = { findings: [{ rule: 'terminal(git push:*)' }], rule: n === 4 ? 'terminal(rm:*)' : null };
    await audit.record({ ...entry(n, { owner, taskId: `${owner}.t4` }), type: 'decision', verdict: 'deny', ...rule });
  }
  const ask = async (filter: AuditFilter, count = 1000): Promise<readonly unknown[]> =>
    idsOf(await Array.fromAsync(audit.tail({ count, follow: false, ...filter })));
  const denials = Array.from({ length: 10 }, (_, at) => `exec_${4 + at * 90}`);
  expect(await ask({ verdict: 'deny' })).toEqual(denials);
  expect(await ask({ verdict: 'deny' }, 3)).toEqual(denials.slice(-3));
  expect(await ask({ verdict: 'allow' })).toEqual([]);
  expect(await ask({ rule: 'rm:' })).toEqual(['exec_4']);
  expect(await ask({ rule: 'git push', verdict: 'deny', owner: 'bob' })).toEqual(denials);
  expect(await ask({ rule: 'git push', owner: 'ann' })).toEqual([]);
  expect(await ask({ task: 'ann.t3', owner: 'ann' })).toHaveLength(30);
  expect(await ask({ task: 'sbx_3' })).toHaveLength(90);
  expect(await ask({ since: began })).toHaveLength(910);
  expect(await ask({ until: began, verdict: 'deny' })).toEqual([]);
  expect(await ask({ since: new Date(Date.now() + 3_600_000).toISOString() })).toEqual([]);
  expect(() => audit.tail({ count: 1, follow: false, since: 'yesterday' })).toThrow('since is not a time');
  audit.close();
});

it('a filter by time divides records at its moment', async () => {
  using here = place();
  const audit = here.open(null, 20_000);
  const moments: string[] = [];
  for (let part = 0; part < 4; part += 1) {
    moments.push(new Date().toISOString());
    await Promise.all(Array.from({ length: 50 }, (_, n) => audit.record(entry(part * 50 + n, { owner: 'ann' }))));
    await new Promise((done) => setTimeout(done, 3));
  }
  const [, since = '', until = ''] = moments;
  const found = await Array.fromAsync(audit.tail({ count: 1000, follow: false, since, until }));
  expect(idsOf(found)).toEqual(Array.from({ length: 50 }, (_, n) => `exec_${50 + n}`));
  audit.close();
});

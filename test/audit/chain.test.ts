import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entry, place, tailed } from './audits.ts';

describe('the audit', () => {
  it('keeps every record in one chain, in private files', async () => {
    using here = place();
    const audit = here.open();
    for (let n = 1; n <= 5; n += 1) await audit.record(entry(n));
    const records = await tailed(audit);
    expect(records.map(({ seq, execId, holder }) => [seq, execId, holder])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [n, `exec_${n}`, 'own_test']),
    );
    expect(records.slice(1).map(({ prev }) => prev)).toEqual(records.slice(0, -1).map(({ hash }) => hash));
    expect(await audit.verify()).toEqual({ intact: true, records: 5, firstSeq: 1, lastSeq: 5, torn: 0, broken: null });
    for (const name of readdirSync(here.path)) expect(statSync(join(here.path, name)).mode & 0o777).toBe(0o600);
    expect(statSync(here.path).mode & 0o777).toBe(0o700);
    audit.close();
  });

  it('touches the disk at its first use and not before', () => {
    using here = place();
    here.open().close();
    expect(() => statSync(here.path)).toThrow('ENOENT');
  });

  it('goes on where another process has stopped, also while both are open', async () => {
    using here = place();
    const [one, two] = [here.open(), here.open()];
    for (let n = 1; n <= 6; n += 1) await (n % 2 === 0 ? one : two).record(entry(n));
    one.close();
    two.close();
    const later = here.open();
    await later.record(entry(7));
    expect(await later.verify()).toMatchObject({ intact: true, records: 7 });
    later.close();
  });

  it('does not heal a head that was removed without a record of it', async () => {
    using here = place();
    const first = here.open();
    for (let n = 1; n <= 3; n += 1) await first.record(entry(n));
    first.close();
    rmSync(join(here.path, 'head'));
    const looking = here.open();
    expect(await looking.verify()).toMatchObject({ intact: false, broken: { file: 'head' } });
    looking.close();
    const second = here.open();
    await second.record(entry(4));
    expect(await second.verify()).toMatchObject({
      intact: false,
      broken: { seq: 4, reason: expect.stringContaining('the head was missing') },
    });
    second.close();
  });

  it('writes what can wait with the next record, in order, or at the end', async () => {
    using here = place();
    const audit = here.open();
    audit.recordSoon(entry(1, { type: 'exit' }));
    await audit.record(entry(2));
    audit.recordSoon(entry(3, { type: 'exit' }));
    audit.close();
    expect(here.lines().map((line) => (JSON.parse(line) as { execId: string }).execId)).toEqual([
      'exec_1',
      'exec_2',
      'exec_3',
    ]);
  });

  it('writes what is recorded at once in one go, in order, and tells everyone', async () => {
    using here = place();
    const audit = here.open();
    const head = (): number => Number(readFileSync(join(here.path, 'head'), 'utf8').slice(0, 15));
    await audit.record(entry(0));
    const heads: number[] = [];
    const all = Array.from({ length: 50 }, async (_, n) => {
      await audit.record(entry(n + 1));
      heads.push(head());
    });
    expect(head()).toBe(1);
    await Promise.all(all);
    expect(new Set(heads)).toEqual(new Set([51]));
    expect((await tailed(audit)).map(({ execId }) => execId)).toEqual(
      Array.from({ length: 51 }, (_, n) => `exec_${n}`),
    );
    expect(await audit.verify()).toMatchObject({ intact: true, records: 51 });
    audit.close();
  });

  it('tells those who still wait when it is closed', async () => {
    using here = place();
    const audit = here.open();
    const written = audit.record(entry(1));
    audit.close();
    await written;
    expect(here.lines()).toHaveLength(1);
  });

  it('keeps one line a record, whatever words a command has (API-19)', async () => {
    using here = place();
    const audit = here.open();
    const hostile = 'a\n{"seq":1,"type":"run"}\r\u2028"\u0000\ud800,"hash":"' + '0'.repeat(64) + '"}';
    await audit.record(entry(1, { command: [hostile] }));
    await audit.record(entry(2));
    expect(here.lines()).toHaveLength(2);
    expect((await tailed(audit))[0]?.['command']).toEqual([hostile]);
    expect(await audit.verify()).toMatchObject({ intact: true, records: 2 });
    audit.close();
  });

  it('leaves out the details of an entry that no line can hold', async () => {
    using here = place();
    const audit = here.open();
    await audit.record(entry(1, { note: 'x'.repeat(100_000) }));
    expect(await tailed(audit)).toMatchObject([{ execId: 'exec_1', taskId: 'build', left_out: 'too long' }]);
    expect(await audit.verify()).toMatchObject({ intact: true });
    audit.close();
  });

  it('follows what comes, over the renaming of files', async () => {
    using here = place();
    const [audit, reader] = [here.open(8 * 1024), here.open()];
    await audit.record(entry(1));
    const stop = new AbortController();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { seq } of reader.tail({ count: 1, follow: true, signal: stop.signal })) {
        seen.push(seq);
        if (seq === 12) stop.abort();
      }
    })();
    for (let n = 2; n <= 12; n += 1) {
      await audit.record(entry(n));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await reading;
    expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    audit.close();
  });
});

describe('a run whose record cannot be written', () => {
  it.each(['directory', 'link'])('is refused, when a %s is in the place of the file', async (what) => {
    using here = place();
    mkdirSync(here.path, { recursive: true });
    const file = join(here.path, 'audit.ndjson');
    if (what === 'directory') mkdirSync(file);
    else symlinkSync('/dev/null', file);
    const audit = here.open();
    await expect(audit.record(entry(1))).rejects.toThrow('the audit cannot be written');
    audit.recordSoon(entry(2, { type: 'exit' }));
    const many = await Promise.allSettled([audit.record(entry(3)), audit.record(entry(4))]);
    expect(many.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    rmSync(file, { recursive: true });
    await audit.record(entry(5));
    // What was refused did not run, and is not reported later. What has happened is.
    expect(here.lines().map((line) => (JSON.parse(line) as { execId: string }).execId)).toEqual(['exec_2', 'exec_5']);
    audit.close();
  });
});

describe('verify names the first record that is not as it was written (API-19)', () => {
  const damage: Readonly<Record<string, readonly [(lines: string[]) => string[], object]>> = {
    'a changed word': [(l) => l.with(3, (l[3] ?? '').replace('"4"', '"5"')), { seq: 4, line: 4 }],
    'a changed word with a hash that fits no successor': [(l) => l.with(3, l[2] ?? ''), { seq: 4, line: 4 }],
    'a dropped line': [(l) => l.toSpliced(4, 1), { seq: 5, line: 5, reason: 'records 5 to 5 are gone before it' }],
    'two lines in the wrong order': [(l) => l.with(6, l[7] ?? '').with(7, l[6] ?? ''), { seq: 7, line: 7 }],
    'a first line that is gone': [(l) => l.slice(1), { seq: 1, line: null }],
    'lines cut off at the end': [
      (l) => l.slice(0, 8),
      { seq: 9, line: null, reason: 'records 9 to 10 are gone from the end' },
    ],
    'all lines gone': [() => [], { seq: 1, line: null, reason: 'records 1 to 10 are gone from the end' }],
    'a line put in': [(l) => l.toSpliced(5, 0, 'hello'), { seq: 6, line: 6 }],
    'a line put in at the end': [(l) => [...l, 'hello'], { seq: 11, line: 11 }],
  };

  it.each(Object.keys(damage))('%s', async (name) => {
    using here = place();
    const audit = here.open();
    for (let n = 1; n <= 10; n += 1) await audit.record(entry(n));
    const [change, broken] = damage[name] ?? [];
    here.write(change?.(here.lines()) ?? []);
    expect(await audit.verify()).toMatchObject({ intact: false, broken });
    audit.close();
  });

  it('also after more was written behind the damage', async () => {
    using here = place();
    const audit = here.open();
    for (let n = 1; n <= 10; n += 1) await audit.record(entry(n));
    here.write(here.lines().slice(0, 8));
    await audit.record(entry(11));
    expect(await audit.verify()).toMatchObject({
      broken: { seq: 9, line: 9, reason: 'records 9 to 10 are gone before it' },
    });
    audit.close();
  });

  it('a single flipped bit, wherever it is', async () => {
    using here = place();
    const audit = here.open();
    for (let n = 1; n <= 6; n += 1) await audit.record(entry(n));
    const file = join(here.path, 'audit.ndjson');
    const whole = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(7), async (at, bit) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        writeFileSync(file, changed);
        const { broken } = await audit.verify();
        const seq = 1 + whole.subarray(0, at).filter((byte) => byte === 10).length;
        expect(broken?.seq).toBe(seq);
      }),
      { numRuns: 150 },
    );
    audit.close();
  });

  it('and the end, when the file that names the last record is gone or changed', async () => {
    using here = place();
    const audit = here.open();
    for (let n = 1; n <= 3; n += 1) await audit.record(entry(n));
    audit.close();
    const head = join(here.path, 'head');
    const kept = readFileSync(head, 'utf8');
    writeFileSync(head, kept.replace(/[0-9a-f]{64}/, 'f'.repeat(64)));
    const again = here.open();
    expect(await again.verify()).toMatchObject({ broken: { file: 'head', seq: 3 } });
    writeFileSync(head, '');
    expect(await again.verify()).toMatchObject({ broken: { file: 'head', seq: 4 } });
    again.close();
  });
});

describe('a line that a crash has torn', () => {
  it('stands at the end, and is reported', async () => {
    using here = place();
    const audit = here.open();
    await audit.record(entry(1));
    here.append('{"seq":2,"at":"20');
    expect(await audit.verify()).toMatchObject({ intact: true, records: 1, torn: 1 });
    expect(await tailed(audit)).toHaveLength(1);
    audit.close();
  });

  it('stays, and the next record tells its length and hash', async () => {
    using here = place();
    const audit = here.open();
    await audit.record(entry(1));
    here.append('{"seq":2,"at":"20');
    await audit.record(entry(2));
    expect((await tailed(audit)).map(({ seq, type, bytes }) => [seq, type, bytes])).toEqual([
      [1, 'run', undefined],
      [2, 'torn', 17],
      [3, 'run', undefined],
    ]);
    expect(await audit.verify()).toMatchObject({ intact: true, records: 3, torn: 1 });
    here.write(here.lines().with(1, '{"seq":2,"at":"21'));
    expect(await audit.verify()).toMatchObject({ intact: false, broken: { line: 2, seq: 2 } });
    audit.close();
  });

  it('is whole after all, when only its newline is missing', async () => {
    using here = place();
    const audit = here.open();
    for (let n = 1; n <= 2; n += 1) await audit.record(entry(n));
    writeFileSync(join(here.path, 'audit.ndjson'), here.lines().join('\n'));
    expect(await audit.verify()).toMatchObject({ intact: true, records: 2, torn: 0 });
    await audit.record(entry(3));
    expect(await audit.verify()).toMatchObject({ intact: true, records: 3, torn: 0 });
    audit.close();
  });
});

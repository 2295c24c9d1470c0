import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entry, place, tailed } from './audits.ts';

describe('rotation', () => {
  it('keeps the files within their bound, and what is left verifiable', async () => {
    using here = place();
    const audit = here.open(32 * 1024);
    for (let n = 1; n <= 400; n += 1) await audit.record(entry(n));
    const names = readdirSync(here.path).filter((name) => name.endsWith('.ndjson'));
    const bytes = names.reduce((sum, name) => sum + statSync(join(here.path, name)).size, 0);
    expect(names.length).toBeGreaterThan(3);
    expect(bytes).toBeLessThan(40 * 1024);
    const verification = await audit.verify();
    expect(verification).toMatchObject({ intact: true, torn: 0 });
    expect(verification.firstSeq).toBeGreaterThan(100);
    expect(verification.records).toBe((verification.lastSeq ?? 0) - (verification.firstSeq ?? 0) + 1);
    expect((await tailed(audit)).filter(({ type }) => type === 'expired').length).toBeGreaterThan(0);
    audit.close();
  });

  it('begins a new file where it is asked to, and removes none where none may go', async () => {
    using here = place();
    const audit = here.open(null, 4 * 1024);
    for (let n = 1; n <= 400; n += 1) await audit.record(entry(n));
    const full = readdirSync(here.path).filter((name) => /^audit\.\d/.test(name));
    expect(full.length).toBeGreaterThan(10);
    for (const name of full) expect(statSync(join(here.path, name)).size).toBeLessThan(5 * 1024);
    expect(await audit.verify()).toMatchObject({ intact: true, firstSeq: 1, records: 400 });
    audit.close();
    // The bound comes back: the oldest go, and what is left still follows from what went.
    const bounded = here.open(32 * 1024, 4 * 1024);
    for (let n = 401; n <= 440; n += 1) await bounded.record(entry(n));
    expect(await bounded.verify()).toMatchObject({
      intact: true,
      firstSeq: expect.toSatisfy((seq: number) => seq > 200),
    });
    bounded.close();
  });

  it('does not hide that a file was removed by somebody else', async () => {
    using here = place();
    const audit = here.open(32 * 1024);
    for (let n = 1; n <= 400; n += 1) await audit.record(entry(n));
    const full = readdirSync(here.path).filter((name) => /^audit\.\d/.test(name));
    const [oldest = '', , middle = ''] = full.sort();
    renameSync(join(here.path, middle), join(here.path, 'kept'));
    expect(await audit.verify()).toMatchObject({
      intact: false,
      broken: { reason: expect.stringContaining('are gone') },
    });
    renameSync(join(here.path, 'kept'), join(here.path, middle));
    expect(await audit.verify()).toMatchObject({ intact: true });
    rmSync(join(here.path, oldest));
    expect(await audit.verify()).toMatchObject({ broken: { seq: 1, reason: expect.stringContaining('not because') } });
    audit.close();
  });
});

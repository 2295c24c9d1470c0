import { describe, expect, test } from 'vitest';
import { parseVersion, versionFindings } from '../../../../backends/docker/engine/floors.ts';

const none = { engine: null, runc: null, desktop: null };
const ids = (versions: Partial<typeof none> | Record<string, string>): readonly string[] =>
  versionFindings({ ...none, ...versions }).map(({ id }) => id);

const of2026 = ['CVE-2026-41567', 'CVE-2026-41568', 'CVE-2026-42306'];
const of2025 = ['CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881'];

describe('version floors (CH-12)', () => {
  test.each([
    ['1.1.5+ds1', ['CVE-2024-21626', ...of2025]],
    ['1.1.11', ['CVE-2024-21626', ...of2025]],
    ['1.1.12', of2025],
    ['1.2.7', of2025],
    ['1.2.8', []],
    ['1.2.9+ds1-2', []],
    ['1.3.0', of2025],
    ['1.3.2', of2025],
    ['1.3.3', []],
    ['1.4.0-rc.2', of2025],
    ['1.4.0-rc.3', []],
    ['1.4.0~rc4', []],
    ['v1.4.0', []],
    ['1.5.0', []],
    ['2.0.0', []],
    ['1.0.0-rc93', ['CVE-2024-21626', ...of2025]],
  ])('finds what runc %s is open to', (runc, expected) => {
    expect(ids({ runc })).toEqual(expected);
  });

  test.each([
    ['20.10.24+dfsg1', of2026],
    ['28.5.2', of2026],
    ['29.5.0', of2026],
    ['29.5.1', []],
    ['29.5.1-rc.1', of2026],
    ['30.0.0-beta.1', []],
  ])('finds what the engine %s is open to', (engine, expected) => {
    expect(ids({ engine })).toEqual(expected);
  });

  test.each([
    ['4.44.2', ['CVE-2025-9074']],
    ['4.44.3', []],
    ['4.100.0', []],
  ])('finds what Docker Desktop %s is open to', (desktop, expected) => {
    expect(ids({ desktop })).toEqual(expected);
  });

  test.each(['unknown', 'dev', '', '1', '1.2.3.4', 'library-import', '1.2x'])(
    'says that it cannot read the version %j',
    (runc) => {
      expect(ids({ runc })).toEqual(['unknown-version', 'unknown-version']);
    },
  );

  test('finds nothing about what is not there', () => {
    expect(versionFindings(none)).toEqual([]);
  });

  test('says that a build of a distribution may have the fix', () => {
    expect(versionFindings({ ...none, runc: '1.1.5+ds1' })[0]?.message).toMatch(/distribution/);
    expect(versionFindings({ ...none, runc: '1.1.5' })[0]?.message).not.toMatch(/distribution/);
  });

  test('reads two parts as a version', () => {
    expect(parseVersion('4.44')).toMatchObject({ parts: [4, 44, 0], candidate: null });
  });
});

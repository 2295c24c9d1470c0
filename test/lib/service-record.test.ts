import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { directoryOf, readServiceRecord, recordFile } from '../../src/lib/service-record.ts';

const own = { version: '1', pid: 1, startedAt: 'now', socket: '/s', url: 'http://x', token: 't' };
const stranger = 54_321;
let home = '';
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'caisson-record-')), 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(recordFile(home), JSON.stringify(own), { mode: 0o600 });
});
afterEach(() => rmSync(join(home, '..'), { recursive: true, force: true }));

/** Reads the record in a process of another user, who is neither root nor the owner. */
function readAs(uid: number): string {
  const module = new URL('../../src/lib/service-record.ts', import.meta.url).href;
  const script = `const { readServiceRecord } = await import(${JSON.stringify(module)});
    process.setgroups([]); process.setgid(${uid}); process.setuid(${uid});
    try { readServiceRecord(${JSON.stringify(home)}); console.log('trusted'); } catch (error) { console.log(error.message); }`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim();
}

it('the record in a copy of a state directory is that of no service', () => {
  writeFileSync(recordFile(home), JSON.stringify({ ...own, directory: directoryOf(home) }));
  expect(readServiceRecord(home)).toMatchObject(own);
  const copy = join(home, '../copy');
  cpSync(home, copy, { recursive: true, preserveTimestamps: true });
  expect(readServiceRecord(copy)).toBeNull();
});

describe('the record of a service is trusted', () => {
  it('where it is this user who can write it, alone', () => {
    expect(readServiceRecord(home)).toMatchObject(own);
  });

  it('not where other users can write it', () => {
    chmodSync(recordFile(home), 0o620);
    expect(() => readServiceRecord(home)).toThrow(`${recordFile(home)} can be written by other users`);
  });

  it('not where other users can put another one in its place', () => {
    chmodSync(home, 0o770);
    expect(() => readServiceRecord(home)).toThrow(`${home} can be written by other users`);
  });

  it('not where it is no file: a pipe would keep every command waiting', () => {
    rmSync(recordFile(home));
    execFileSync('mkfifo', [recordFile(home)]);
    expect(() => readServiceRecord(home)).toThrow(`${recordFile(home)} is not a regular file`);
  });

  it('not where it belongs to another user, who would get all that is sent', ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can act as another user');
    chownSync(recordFile(home), stranger, stranger);
    chmodSync(join(home, '..'), 0o755);
    chmodSync(home, 0o755);
    chmodSync(recordFile(home), 0o644);
    expect(readAs(stranger + 1)).toBe(`${recordFile(home)} belongs to another user (uid ${stranger})`);
    expect(readAs(stranger)).toBe('trusted');
  });
});

/** What the egress proxy goes by when the configuration file is edited while it runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { sourceOf } from '../../src/config/source.ts';
import { backendKeys } from '../../src/config/backends.ts';
import { Readings } from '../../src/egress/readings.ts';

const privatePlace = '10.1.2.3:8080';

async function opened(text: string) {
  const home = join(mkdtempSync(join(tmpdir(), 'caisson-readings-')), 'home');
  mkdirSync(home, { mode: 0o700 });
  onTestFinished(() => rmSync(join(home, '..'), { recursive: true }));
  const write = (next: string): string => {
    writeFileSync(join(home, 'config.yaml'), next, { mode: 0o600 });
    return sourceOf(next);
  };
  write(text);
  const read = async () =>
    await loadConfig({ env: {}, cwd: home, home, flags: {}, backends: backendKeys('local', {}) });
  const readings = new Readings(await read(), read);
  /** Which of these the proxy refuses for a sandbox that was used last by a configuration with this source. */
  const blocked = async (source: string): Promise<readonly string[]> => {
    const { blockedSite } = await readings.since(source);
    return ['old.example', 'new.example'].filter((host) => blockedSite(host) !== null);
  };
  const opens = async (source: string): Promise<boolean> => (await readings.since(source)).opened.length > 0;
  return { write, blocked, opens };
}

const blocking = (...domains: readonly string[]): string =>
  `security: {website_blocklist: {domains: [${domains.join(', ')}]}}\n`;

it('an edit that blocks more holds at once, and what it no longer blocks stays blocked until it is read', async () => {
  const { write, blocked } = await opened(blocking('old.example'));
  const before = sourceOf(blocking('old.example'));
  expect(await blocked(before)).toEqual(['old.example']);
  const after = write(blocking('new.example'));
  expect(await blocked(before)).toEqual(['old.example', 'new.example']);
  expect(await blocked(`${before}+mark`)).toEqual(['old.example', 'new.example']);
  expect(await blocked('of a text that was never read')).toEqual(['old.example', 'new.example']);
  expect(await blocked(after)).toEqual(['new.example']);
});

it('a text that comes back does not open what an edit of it has blocked meanwhile', async () => {
  const { write, blocked } = await opened('');
  const [before, mark] = [sourceOf(''), `${sourceOf('')}+mark`];
  write(blocking('new.example'));
  expect(await blocked(before)).toEqual(['new.example']);
  write('');
  expect([await blocked(mark), await blocked(before)]).toEqual([['new.example'], []]);
});

it('a private address that an edit opens stays closed until it is read', async () => {
  const { write, opens } = await opened('');
  const before = sourceOf('');
  const after = write(`network: {allow_private: ["${privatePlace}"]}\n`);
  expect([await opens(before), await opens(after)]).toEqual([false, true]);
  const closed = write('# closed again\n');
  expect([await opens(after), await opens(closed)]).toEqual([false, false]);
});

it('a file that is wrong allows nothing, and holds as before when it is put right', async () => {
  const { write, blocked } = await opened(blocking('old.example'));
  write('network: broken');
  await expect(blocked(sourceOf(''))).rejects.toThrow('network');
  write(blocking('old.example'));
  expect(await blocked(sourceOf(blocking('old.example')))).toEqual(['old.example']);
});

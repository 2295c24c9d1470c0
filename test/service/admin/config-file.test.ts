/** The operator's file, changed in a home that loads and in one that does not. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCaisson, openConfigFile } from '../../../src/main.ts';
import type { ConfigFile } from '../../../src/service/api.ts';

const local = 'terminal: {backend: local}\n';

interface ConfigFilePlace {
  readonly file: ConfigFile;
  readonly text: () => string;
  readonly open: typeof openCaisson;
}

async function place(text: string, env: Readonly<Record<string, string>> = {}): Promise<ConfigFilePlace> {
  const home = mkdtempSync(join(tmpdir(), 'caisson-file-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const path = join(home, 'config.yaml');
  writeFileSync(path, text, { mode: 0o600 });
  const input = { home, cwd: home, env: { HOME: home, ...env } };
  return {
    file: await Promise.resolve(openConfigFile(input)),
    text: () => readFileSync(path, 'utf8'),
    open: () => openCaisson(input),
  };
}

describe('no value is accepted that would keep the next command from loading', () => {
  it.each([
    ['terminal.backend', 'dokcer', /no backend "dokcer" \(terminal\.backend, file .*config\.yaml:1/],
    ['tasks.x', '{backend: dokcer}', /no backend "dokcer" \(tasks\.x\.backend, task x at .*config\.yaml:\d/],
    ['tasks.ci-*', '{backend: dokcer}', /tasks\.ci-\*\.backend/],
    ['approvals.rules', '{deny: ["terminal(a; b)"]}', /approvals\.rules\.deny\[0\]/],
    ['owners.alice', '{rules: {ask: ["terminal(a; b)"]}}', /owners\.alice\.rules\.ask\[0\]/],
    ['backends', '{mine: ./none.js}', /none\.js/],
    ['terminal.timeout', 'soon', /terminal\.timeout/],
  ])('%s %s', async (key, value, message) => {
    const { file, text } = await place(local);
    await expect(file.set(key, value)).rejects.toThrow(message);
    expect(text()).toBe(local);
    await file.check();
  });

  it('also where a switch of the environment, or of .env, says something else', async () => {
    const { file, text } = await place(local, { CAISSON_TERMINAL_BACKEND: 'local' });
    writeFileSync(join(file.home, '.env'), 'CAISSON_TERMINAL_BACKEND=local\n', { mode: 0o600 });
    await expect(file.set('terminal.backend', 'dokcer')).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(text()).toBe(local);
  });
});

describe('a home that does not load', () => {
  it('is put right by setting the key, with a record in the audit', async () => {
    const { file, text, open } = await place('# mine\nterminal: {backend: dokcer}\n');
    await expect(open()).rejects.toMatchObject({ code: 'invalid_argument', remedy: 'did you mean docker?' });
    await file.set('terminal.backend', 'local');
    expect(text()).toBe('# mine\nterminal: { backend: local }\n');
    const caisson = await open();
    const records = await Array.fromAsync(caisson.audit.tail({ count: 10 }));
    await caisson.close();
    expect(records).toMatchObject([{ type: 'config', what: 'set', keys: ['terminal.backend'] }]);
  });

  it('is put right by another text, but not by one that does not load, nor over a change of another', async () => {
    const broken = 'terminal: {backend: [\n';
    const { file, text } = await place(broken);
    const was = await file.read();
    await expect(file.replace(was, 'terminal: {backend: dokcer}\n')).rejects.toThrow(/no backend/);
    await expect(file.replace('terminal: {}\n', local)).rejects.toMatchObject({ code: 'conflict' });
    expect(text()).toBe(broken);
    await file.replace(was, local);
    expect(text()).toBe(local);
  });
});

it('an edit is in the audit by the keys that it changes', async () => {
  const { file, open } = await place(local);
  await file.replace(local, `${local}server: {port: 7999}\nowners: {alice: {sandboxes: 1}}\n`);
  const caisson = await open();
  const records = await Array.fromAsync(caisson.audit.tail({ count: 10 }));
  await caisson.close();
  expect(records).toMatchObject([{ type: 'config', what: 'edit', keys: ['owners', 'server.port'] }]);
});

/** The configuration file is edited while a program has Caisson open. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCaisson } from '../../../src/main.ts';
import type { CaissonApi } from '../../../src/service/api.ts';

interface EditsPlace {
  readonly api: CaissonApi;
  readonly file: string;
  readonly write: (config: string) => void;
  /** `ran`, or the code of the refusal. */
  readonly tries: (command: readonly [string, ...string[]], task?: string) => Promise<string>;
}

async function open(config: string): Promise<EditsPlace> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-edits-'));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  const file = join(home, 'config.yaml');
  const write = (text: string): void => writeFileSync(file, `terminal: {backend: local}\n${text}`, { mode: 0o600 });
  write(config);
  const env = { PATH: process.env['PATH'], HOME: root, CAISSON_SECURITY_TIRITH_ENABLED: 'false' };
  const api = await openCaisson({ home, env, cwd: root });
  onTestFinished(async () => {
    await api.close();
    rmSync(root, { recursive: true });
  });
  const tries: EditsPlace['tries'] = async (command, taskId = 'build') => {
    try {
      await api.run({ taskId, command });
      return 'ran';
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : 'failed';
    }
  };
  return { api, file, write, tries };
}

const denies = (...commands: readonly string[]): string =>
  `approvals: {rules: {deny: [${commands.map((each) => `"terminal(${each}:*)"`).join(', ')}]}}\n`;

it('a rule that is written holds for the next command, and one that is taken out holds until a reload', async () => {
  const { api, write, tries } = await open('');
  expect(await tries(['expr', '1'])).toBe('ran');
  write(denies('expr'));
  expect(await tries(['expr', '1'])).toBe('policy_denied');
  write(denies('uname'));
  expect([await tries(['expr', '1']), await tries(['uname'])]).toEqual(['policy_denied', 'policy_denied']);
  expect(await api.config.pending()).toMatchObject({
    holds: ['approvals.rules.deny: terminal(uname:*)'],
    loosens: ['approvals.rules.deny: without terminal(expr:*)'],
    problem: null,
  });
  await api.config.reload();
  expect([await tries(['expr', '1']), await tries(['uname'])]).toEqual(['ran', 'policy_denied']);
  expect(await api.config.pending()).toEqual({ holds: [], loosens: [], reload: [], restart: [], problem: null });
});

it('rules that allow, and other keys, stay as they were read until a reload', async () => {
  const { api, write, tries } = await open('approvals: {tool_mode: supervised}\n');
  expect(await tries(['expr', '1'])).toBe('approval_required');
  write('approvals: {tool_mode: supervised, rules: {allow: ["terminal(expr:*)"]}}\nserver: {port: 7999}\n');
  expect(await tries(['expr', '1'])).toBe('approval_required');
  expect(await api.config.pending()).toMatchObject({
    holds: [],
    loosens: ['approvals.rules.allow: terminal(expr:*)'],
    restart: ['server.port'],
  });
  await api.config.reload();
  expect(await tries(['expr', '1'])).toBe('ran');
});

it('a stricter mode holds at once, also of one task', async () => {
  const { write, tries } = await open('');
  write('tasks: {"ci-*": {tool_mode: plan}}\n');
  expect([await tries(['expr', '1'], 'ci-1'), await tries(['expr', '1'])]).toEqual(['policy_denied', 'ran']);
});

it('a file that is not whole or not valid changes nothing, and is taken up when it is', async () => {
  const { api, file, write, tries } = await open(denies('uname'));
  write('approvals: {rules: {deny: ["terminal(expr; ls)"]}}\n');
  expect([await tries(['expr', '1']), await tries(['uname'])]).toEqual(['ran', 'policy_denied']);
  expect((await api.config.pending()).problem).toMatch(/config\.yaml:2: approvals\.rules\.deny\[0\]/);
  truncateSync(file, 10);
  expect([await tries(['expr', '1']), await tries(['uname'])]).toEqual(['ran', 'policy_denied']);
  write(denies('uname', 'expr'));
  expect([await tries(['expr', '1']), (await api.config.pending()).problem]).toEqual(['policy_denied', null]);
});

it('a file that other users could write is not taken up, and is when that is put right', async () => {
  const { api, file, write, tries } = await open('');
  write(denies('expr'));
  chmodSync(file, 0o666);
  expect([await tries(['expr', '1']), (await api.config.pending()).problem]).toEqual([
    'ran',
    expect.stringContaining('config.yaml'),
  ]);
  chmodSync(file, 0o600);
  expect(await tries(['expr', '1'])).toBe('policy_denied');
});

it('the audit has what an edit forbade and what a reload loosened, by names of keys', async () => {
  const { api, write, tries } = await open(denies('uname'));
  write(denies('expr'));
  await tries(['expr', '1']);
  await api.config.reload();
  const records = await Array.fromAsync(api.audit.tail({ count: 100 }));
  const changes = records.filter(({ type }) => type === 'config');
  expect(changes).toMatchObject([
    { what: 'tighten', keys: ['approvals.rules.deny'], owner: 'operator' },
    { what: 'reload', keys: ['approvals.rules'], loosens: ['approvals.rules.deny'] },
  ]);
  expect(JSON.stringify(changes)).not.toMatch(/uname|expr/);
});

it('commands that come at once after an edit all meet its rule', async () => {
  const { write, tries } = await open('');
  await tries(['expr', '1']);
  write(denies('expr'));
  const all = await Promise.all(Array.from({ length: 8 }, () => tries(['expr', '1'])));
  expect(new Set(all)).toEqual(new Set(['policy_denied']));
});

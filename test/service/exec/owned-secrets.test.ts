/** Secrets of owners, as the configuration has them, on this host. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCaisson } from '../../../src/main.ts';
import type { CaissonApi } from '../../../src/service/api.ts';
import { apiOf } from '../../../src/service/owned.ts';
import type { Caisson } from '../../../src/service/caisson.ts';

const value = 'qzx-plain-value-7';

async function opened(config: string): Promise<Caisson> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-owned-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), `approvals: {mode: "off"}\n${config.replace('HOME', root)}`, {
    mode: 0o600,
  });
  const env = { PATH: process.env['PATH'], HOME: root, ORDINARY: value, HOOK: `whsec_${'A'.repeat(44)}` };
  const caisson = await openCaisson({ home, cwd: root, env });
  onTestFinished(() => caisson.close());
  return caisson;
}

async function alice(caisson: Caisson): Promise<CaissonApi> {
  const token = { name: 'a', scopes: ['run', 'read'], owner: 'alice' } as const;
  return apiOf(caisson, await caisson.tokens.create(token, 'test'));
}

const owners = (secrets: string): string => `owners: {alice: {backends: [local], secrets: ${secrets}}}\n`;
const mine = owners('{variables: {MINE: {from_env: ORDINARY}}}');
const terminal = (more: string): string => `terminal: {backend: local, ${more}}\n`;

it('a variable of an owner is inherited by no command of the operator, whatever it is called', async () => {
  const command = ['sh', '-c', 'echo "[$ORDINARY$MINE]"'] as const;
  const without = await opened(terminal('local_environment: host'));
  expect((await without.run({ command })).stdout.text).toBe(`[${value}]\n`);
  const caisson = await opened(terminal('local_environment: host') + mine);
  expect((await caisson.run({ command })).stdout.text).toBe('[]\n');
});

it('env_passthrough does not pass the variable of an owner on', async () => {
  const caisson = await opened(terminal('env_passthrough: [ORDINARY]') + mine);
  await expect(caisson.run({ command: ['true'] })).rejects.toMatchObject({ code: 'permission_denied' });
});

it('a key of Caisson itself is given to no owner, and the error does not name its variable', async () => {
  const hook = 'webhooks: {pager: {url: "https://hooks.example.com", secret_env: HOOK}}\n';
  const caisson = await opened(terminal('') + hook + owners('{variables: {MINE: {from_env: HOOK}}}'));
  const refused = (await alice(caisson)).run({ taskId: 'build', command: ['true'] });
  await expect(refused).rejects.toMatchObject({ code: 'permission_denied', details: { variable: 'MINE' } });
  await expect(refused).rejects.not.toThrow('HOOK');
});

it.each(['/proc/self', 'HOME/home/caisson.db'])('the file %s is refused by its name inside', async (file) => {
  const caisson = await opened(terminal('') + owners(`{files: {token: ${file}}}`));
  const refused = (await alice(caisson)).run({ taskId: 'build', command: ['true'] });
  await expect(refused).rejects.toMatchObject({ code: 'invalid_argument', details: { path: 'token' } });
  await expect(refused).rejects.not.toThrow(/self|caisson\.db/);
});

it.each([
  ['{alice: {secrets: {variables: {LD_PRELOAD: {from_env: A}}}}}', 'LD_PRELOAD'],
  ['{alice: {secrets: {variables: {A: {from_env: DOCKER_HOST}}}}}', 'leads to the host'],
  ['{alice: {secrets: {variables: {A: a-value}}}}', 'secrets'],
  ['{alice: {secrets: {files: {../up: /etc/x}}}}', '..'],
  ['{alice: {secrets: {files: {a: relative}}}}', 'secrets'],
  ['{default: {secrets: {}}}', 'stands for many'],
  ['{operator: {secrets: {}}}', 'said in terminal'],
])('owners: %s is refused', async (text, words) => {
  await expect(opened(`${terminal('')}owners: ${text}\n`)).rejects.toThrow(words);
});

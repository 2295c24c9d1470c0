import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCaisson } from '../../../src/main.ts';
import type { CaissonApi } from '../../../src/service/api.ts';
import type { OpenInput } from '../../../src/service/open.ts';
import { receiver, secret, until } from './receiver.ts';

async function opened(webhooks: string, more: OpenInput = {}): Promise<CaissonApi> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-webhooks-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), `terminal: {backend: local}\n${webhooks}`, { mode: 0o600 });
  writeFileSync(join(home, '.env'), `PAGER_SECRET=${secret}\n`, { mode: 0o600 });
  const caisson = await openCaisson({ home, cwd: root, env: { PATH: process.env['PATH'], HOME: root }, ...more });
  onTestFinished(() => caisson.close());
  return caisson;
}

const pager = (url: string): string => `webhooks: {pager: {url: "${url}", secret_env: PAGER_SECRET}}\n`;

it('a question, its answer and the states of a sandbox arrive at a webhook, without the command', async () => {
  await using server = await receiver((response) => response.end());
  const caisson = await opened(pager(server.url), { approver: () => Promise.resolve('once') });
  await caisson.run({ taskId: 'build', command: ['sh', '-c', 'rm -rf ./very-private-name'] });
  await caisson.sandboxes.remove('build');
  await until(() => server.received.some(({ event }) => event.data['to'] === 'removed'));
  const events = server.received.map(({ event: { type, data } }) => [type, data['to'] ?? data['state']].join(' '));
  expect(events).toEqual(
    expect.arrayContaining([
      'sandbox.state creating',
      'sandbox.state ready',
      'sandbox.state removed',
      'approval.asked ',
    ]),
  );
  expect(events).toContain('approval.answered approved');
  expect(server.received.every(({ isSigned }) => isSigned)).toBe(true);
  expect(JSON.stringify(server.received)).not.toContain('very-private-name');
});

it('the secret of a webhook reaches no command and no output, and its path is not shown', async () => {
  await using server = await receiver((response) => response.end());
  const caisson = await opened(`${pager(server.url)}approvals: {mode: off}\n`);
  const { stdout } = await caisson.run({ command: ['sh', '-c', `echo "[$PAGER_SECRET]"; echo ${secret}`] });
  expect(stdout.text).toContain('[]');
  expect(stdout.text).not.toContain(secret);
  expect(JSON.stringify(await caisson.config.show())).not.toContain('secret-path');
});

it('after a reload an added webhook is called, and a removed one is not', async () => {
  await using one = await receiver((response) => response.end());
  await using two = await receiver((response) => response.end());
  const caisson = await opened(pager(one.url));
  const { home } = caisson.config;
  const write = (webhooks: string): void =>
    writeFileSync(join(home, 'config.yaml'), `terminal: {backend: local}\n${webhooks}`, { mode: 0o600 });
  const ran = async (taskId: string): Promise<void> => {
    await caisson.run({ taskId, command: ['true'] });
    await caisson.sandboxes.remove(taskId);
  };
  const heard = ({ received }: typeof one, taskId: string): boolean =>
    received.some(({ event: { data } }) => data['taskId'] === taskId && data['to'] === 'removed');

  await ran('first');
  await until(() => heard(one, 'first'));
  const other = `other: {url: "${two.url}", secret_env: PAGER_SECRET}`;
  write(`webhooks: {pager: {url: "${one.url}", secret_env: PAGER_SECRET}, ${other}}\n`);
  expect(await caisson.config.reload()).toEqual({ changed: ['webhooks'], needsRestart: [] });
  await ran('second');
  await until(() => heard(one, 'second') && heard(two, 'second'));
  write(`webhooks: {${other}}\n`);
  expect(await caisson.config.reload()).toEqual({ changed: ['webhooks'], needsRestart: [] });
  await ran('third');
  await until(() => heard(two, 'third'));
  expect(one.received.some(({ event: { data } }) => data['taskId'] === 'third')).toBe(false);
  expect(two.received.some(({ event: { data } }) => data['taskId'] === 'first')).toBe(false);
  expect(two.received.every(({ isSigned }) => isSigned)).toBe(true);
});

it('a webhook without a secret is reported, and its events wait', async () => {
  await using server = await receiver((response) => response.end());
  const caisson = await opened(pager(server.url).replace('PAGER_SECRET', 'OTHER_SECRET'));
  expect(caisson.config.notices).toContainEqual(expect.stringContaining('OTHER_SECRET, which holds no secret'));
  await caisson.run({ command: ['true'] });
  expect(server.received).toEqual([]);
});

it.each([
  ['webhooks: {a: {url: "ftp://x", secret_env: A}}', 'https://'],
  ['webhooks: {a: {url: "https://user:pass@x", secret_env: A}}', 'no user'],
  ['webhooks: {a: {url: "https://x", secret: A}}', 'secret_env'],
  ['webhooks: {a: {url: "https://x", secret_env: A, events: [all]}}', 'sandbox.state'],
  ['webhooks: {"a b": {url: "https://x", secret_env: A}}', 'a name of letters'],
])('%s is refused', async (text, words) => {
  await expect(opened(`${text}\n`)).rejects.toThrow(words);
});

it('no flag and no variable adds a webhook', async () => {
  await expect(opened('', { flags: { 'webhooks.a': { url: 'https://x', secret_env: 'A' } } })).rejects.toThrow(
    'webhooks',
  );
});

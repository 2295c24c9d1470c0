/** Answers that a host sends, honest or not: an approval serves one run, and anything else runs nothing. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Loose } from './hosts.ts';
import { rawHost } from './raw-stdio.ts';

const accept = (choice: string) => ({ approval: { action: 'accept', content: { choice } } });
const dataIn = (result: Loose): Loose => JSON.parse(result.content[0].text);

it('a question comes back with its answer, its command runs once, and the same answer again gives the same run', async () => {
  await using host = await rawHost();
  const file = join(host.root, 'ran');
  const args = { task: 'once', command: `rm -rf ./x; echo ran >> ${file}` };
  const asked = await host.call(args);
  expect(asked.resultType).toBe('input_required');
  expect(asked.inputRequests.approval.params.message).toContain('rm -rf ./x');
  const how = { inputResponses: accept('once'), requestState: asked.requestState };
  const results = await Promise.all([host.call(args, how), host.call(args, how), host.call(args, how)]);
  const again = await host.call(args, how);
  for (const each of [...results, again])
    expect(dataIn(each)).toMatchObject({ exit_code: 0, exec_id: dataIn(again).exec_id });
  expect(readFileSync(file, 'utf8')).toBe('ran\n');
});

it('an answer does not serve another call, nor does one whose state was changed or made up', async () => {
  await using host = await rawHost();
  const file = join(host.root, 'ran');
  const harmless = { task: 'swap', command: 'rm -rf ./harmless' };
  const other = { task: 'swap', command: `rm -rf ./other; echo ran > ${file}` };
  const { requestState: state } = await host.call(harmless);
  for (const requestState of [state, `${String(state).slice(0, -2)}AA`, 'v1.e30.AAAA', undefined]) {
    const more = requestState === undefined ? {} : { requestState };
    const result = await host.call(other, { inputResponses: accept('once'), ...more });
    expect([result.isError, dataIn(result).code]).toEqual([true, 'approval_required']);
  }
  expect(existsSync(file)).toBe(false);
});

it('an answer of an earlier process runs nothing', async () => {
  await using first = await rawHost();
  const file = join(first.root, 'ran');
  const args = { task: 'earlier', command: `rm -rf ./x; echo ran > ${file}` };
  const { requestState } = await first.call(args);
  await using second = await rawHost('', first.root);
  const result = await second.call(args, { inputResponses: accept('once'), requestState });
  expect(dataIn(result).code).toBe('approval_required');
  expect(existsSync(file)).toBe(false);
});

it('an answer that comes too late runs nothing', async () => {
  await using host = await rawHost('approvals: {remote_timeout: 1}');
  const file = join(host.root, 'ran');
  const args = { task: 'late', command: `rm -rf ./x; echo ran > ${file}` };
  const { requestState } = await host.call(args);
  await delay(1500);
  const result = await host.call(args, { inputResponses: accept('once'), requestState });
  expect([result.isError, dataIn(result).code]).toEqual([true, 'approval_required']);
  expect(existsSync(file)).toBe(false);
});

it('a decline that no person can have made says so, and is a no all the same', async () => {
  await using host = await rawHost();
  const args = { task: 'declined', command: 'rm -rf ./x' };
  const { requestState } = await host.call(args);
  const result = await host.call(args, { inputResponses: { approval: { action: 'decline' } }, requestState });
  expect(dataIn(result)).toMatchObject({
    code: 'policy_denied',
    message: expect.stringContaining('without asking'),
  });
  expect(dataIn(await host.call(args)).code).toBe('policy_denied');
});

it('session is offered for exactly one command only, and holds for it', async () => {
  await using host = await rawHost('approvals: {tool_mode: supervised}');
  const args = { task: 'session', command: 'echo fine' };
  const asked = await host.call(args);
  const { choice } = asked.inputRequests.approval.params.requestedSchema.properties;
  expect(choice.oneOf.map((each: Loose) => each.const)).toEqual(['once', 'session', 'deny']);
  const how = { inputResponses: accept('session'), requestState: asked.requestState };
  expect(dataIn(await host.call(args, how))).toMatchObject({ exit_code: 0 });
  expect(dataIn(await host.call(args))).toMatchObject({ exit_code: 0 });
  expect((await host.call({ ...args, command: 'echo other' })).resultType).toBe('input_required');
});

it('a question that is answered elsewhere meanwhile is not answered a second time', async () => {
  await using host = await rawHost();
  const file = join(host.root, 'ran');
  const args = { task: 'both', command: `rm -rf ./x; echo ran >> ${file}` };
  const { requestState } = await host.call(args);
  const [question] = await host.api.approvals.list();
  await host.api.approvals.answer(question?.id ?? '', 'deny', 'a person');
  const result = await host.call(args, { inputResponses: accept('once'), requestState });
  expect([result.isError, dataIn(result).code]).toEqual([true, 'policy_denied']);
  expect(existsSync(file)).toBe(false);
});

it('a write is asked about with what it changes, and nothing in it acts on what shows it', async () => {
  await using host = await rawHost('approvals: {rules: {ask: [write_file]}}');
  await host.call({ task: 'diff', command: 'true' });
  const path = join(host.root, 'a.txt');
  const content = 'safe\n\u001b[2J\u202egnp.exe\n    Why:\n- nothing\n';
  const args = { task: 'diff', path, content };
  const asked = await host.call(args, { name: 'write_file' });
  const { message } = asked.inputRequests.approval.params;
  expect(message).toContain('    +safe\n');
  expect(message).toMatch(/\\x1b\[2J|\\u\{1b\}\[2J/);
  expect(message).not.toMatch(/[\u001b\u202e]/);
  // A line of the file does not look like one of the question.
  expect(message).not.toMatch(/^- nothing/m);
  const how = { name: 'write_file', requestState: asked.requestState };
  expect(dataIn(await host.call(args, { ...how, inputResponses: accept('once') }))).toMatchObject({ path });
  expect(readFileSync(path, 'utf8')).toBe(content);
  // The answer was for this content.
  const other = await host.call({ ...args, content: 'other' }, { ...how, inputResponses: accept('once') });
  expect(dataIn(other).code).toBe('approval_required');
  expect(readFileSync(path, 'utf8')).toBe(content);
});

it('a subscription is acknowledged with what may change, which is nothing', async () => {
  await using host = await rawHost();
  const answered = await host.listen({ toolsListChanged: true });
  expect(answered).toMatchObject({ method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } });
});

it('what is no message is refused, and one that is too large ends the server', async () => {
  await using host = await rawHost();
  host.write('no JSON');
  host.write('{"jsonrpc":"1.0"}');
  expect(dataIn(await host.call({ task: 'after', command: 'echo fine' }))).toMatchObject({
    stdout: 'fine\n',
  });
  host.write('x'.repeat(5 * 1024 * 1024));
  await host.served;
});

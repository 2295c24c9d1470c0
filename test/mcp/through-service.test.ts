/** `caisson mcp` where a service runs on the state directory, with unmodified clients as hosts. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, connect, kinds, type Loose } from './hosts.ts';
import { stdioHome } from './stdio-home.ts';

const home = stdioHome('approvals: {remote_timeout: 20}');
beforeAll(async () => void (await home.cli('serve', '--background', '--port', '0')));
afterAll(async () => {
  await home.cli('service', 'stop');
  await home[Symbol.asyncDispose]();
});

const entriesOf = async (execId: string): Promise<readonly Loose[]> => {
  const { stdout } = await home.cli('audit', 'tail', '-n', '50', '-o', 'json');
  const lines = stdout.split('\n').filter((line) => line.includes(execId));
  return lines.map((line) => JSON.parse(line));
};

describe.each(kinds)('with %s through a service', (kind) => {
  const task = kind.replaceAll(' ', '-');

  it('a host runs commands by the token that asks, and works with files', async () => {
    await using host = await connect(kind, home.place);
    const ran = await host.call('run_command', { task, command: 'echo out; echo err >&2; exit 3' });
    expect(ran.data).toMatchObject({ reason: 'exited', exit_code: 3, stdout: 'out\n', stderr: 'err\n' });
    const entries = await entriesOf(ran.data.exec_id);
    expect(new Set(entries.map(({ token }) => token))).toEqual(new Set([expect.stringMatching(/^tok_/)]));
    const path = join(home.root, `${task}.txt`);
    expect((await host.call('write_file', { task, path, content: 'eins\n', if_hash: null })).isError).toBe(false);
    const read = await host.call('read_file', { task, path });
    expect(read.data).toMatchObject({ content: 'eins\n', encoding: 'utf-8' });
    const edits = [{ old: 'eins', new: 'zwei' }];
    const edited = await host.call('edit_file', { task, path, edits, if_hash: read.data.sha256 ?? read.data.hash });
    expect(edited.isError).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('zwei\n');
    const listed = await host.call('list_sandboxes', {});
    expect(JSON.stringify(listed.data)).toContain(task);
    expect((await host.call('inspect_sandbox', { task })).isError).toBe(false);
  });

  it('what runs in the background is read and ended, and a call that is canceled kills', async () => {
    await using host = await connect(kind, home.place);
    const begun = await host.call('run_command', { task, background: true, command: 'echo up; sleep 60' });
    const { exec_id: execId } = begun.data;
    const read = await host.call('read_output', { exec_id: execId, wait_ms: 2000 });
    expect(read.data).toMatchObject({ reason: 'running', stdout: 'up\n' });
    expect((await host.call('stop_process', { exec_id: execId })).data).toEqual({ stopped: execId, survivors: [] });
    const file = join(home.root, `${task}-pid`);
    const canceling = new AbortController();
    const command = `sleep 60 & echo $! > ${file}; wait`;
    const call = host.call('run_command', { task, command }, { signal: canceling.signal });
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 20_000 }).toMatch(/\d\n/);
    canceling.abort();
    await expect(call).rejects.toThrow(/abort/i);
    const isAlive = (): boolean => existsSync(`/proc/${readFileSync(file, 'utf8').trim()}`);
    await expect.poll(isAlive, { timeout: 20_000 }).toBe(false);
  });

  it('no form of the host decides: a question is answered by the token of a person, and runs once', async () => {
    const asked: Loose[] = [];
    const ask = (params: Loose): Answer => {
      asked.push(params);
      return { action: 'accept', content: { choice: 'once' } };
    };
    await using host = await connect(kind, home.place, { elicitation: { form: {} }, ask });
    const file = join(home.root, `${task}-ran`);
    const args = { task, command: `rm -rf ./${task}-x; echo ran >> ${file}` };
    const first = await host.call('run_command', args);
    expect(first).toMatchObject({ isError: true, data: { code: 'approval_required' } });
    expect([asked, existsSync(file)]).toEqual([[], false]);
    const { approval_id: id } = first.data;
    expect((await host.call('run_command', args)).data.approval_id).toBe(id);
    expect(await home.cli('approvals', 'approve', id)).toMatchObject({ exitCode: 0 });
    expect((await host.call('run_command', args)).data).toMatchObject({ reason: 'exited', exit_code: 0 });
    expect(readFileSync(file, 'utf8')).toBe('ran\n');
  });
});

it('--embedded goes without the service, and asks by a form', async () => {
  const place = { ...home.place, env: { ...('env' in home.place ? home.place.env : {}), CAISSON_EMBEDDED: '1' } };
  if (!('command' in place)) throw new Error('a host on stdio has a command');
  await using host = await connect('the current client', place);
  const ran = await host.call('run_command', { task: 'embedded', command: 'echo here' });
  expect(ran.data).toMatchObject({ exit_code: 0, stdout: 'here\n' });
  expect((await entriesOf(ran.data.exec_id)).map(({ token }) => token)).not.toContain(expect.stringMatching(/^tok_/));
});

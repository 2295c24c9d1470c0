/** `caisson mcp` with unmodified clients as hosts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, connect, kinds, type Loose } from './hosts.ts';
import { stdioHome } from './stdio-home.ts';

const home = stdioHome('approvals: {remote_timeout: 20}');
afterAll(async () => await home[Symbol.asyncDispose]());

const names = [
  ...['run_command', 'run_code', 'read_output', 'stop_process', 'create_sandbox', 'list_sandboxes', 'inspect_sandbox'],
  ...['stop_sandbox', 'remove_sandbox', 'read_file', 'write_file', 'edit_file', 'list_files', 'search_files'],
];

const accept = (choice: string): Answer => ({ action: 'accept', content: { choice } });

describe.each(kinds)('with %s on stdio', (kind) => {
  const task = kind.replaceAll(' ', '-');

  it('a host lists the tools, runs commands, and works with files', async () => {
    await using host = await connect(kind, home.place);
    const tools = await host.tools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    // Hosts put it into every conversation.
    expect(JSON.stringify({ tools }).length).toBeLessThan(15_000);
    for (const { annotations, inputSchema } of tools) {
      expect(Object.keys(annotations)).toEqual(
        expect.arrayContaining(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']),
      );
      expect([inputSchema.type, inputSchema.additionalProperties]).toEqual(['object', false]);
      expect(JSON.stringify(inputSchema)).not.toContain('$ref');
    }
    expect(host.instructions()).toContain('read_output');
    const ran = await host.call('run_command', { task, command: 'echo out; echo err >&2; exit 3' });
    expect(ran).toMatchObject({
      isError: false,
      data: {
        reason: 'exited',
        exit_code: 3,
        stdout: 'out\n',
        stderr: 'err\n',
        truncated: false,
        next: null,
        where: { backend: 'local', task },
      },
    });
    expect(ran.content).toHaveLength(1);
    const code = await host.call('run_code', { task, language: 'bash', code: 'echo $((6 * 7))' });
    expect(code.data).toMatchObject({ exit_code: 0, stdout: '42\n' });
    const path = join(home.root, `${task}.txt`);
    const wrote = await host.call('write_file', { task, path, content: 'one\ntwo\n', if_hash: null });
    expect(wrote.data).toMatchObject({ path, size: 8 });
    const edited = await host.call('edit_file', {
      task,
      path,
      edits: [{ old: 'two', new: 'zwei' }],
      if_hash: wrote.data.hash,
    });
    expect(edited.isError).toBe(false);
    const stale = await host.call('edit_file', {
      task,
      path,
      edits: [{ old: 'one', new: 'eins' }],
      if_hash: wrote.data.hash,
    });
    expect(stale).toMatchObject({ isError: true, data: { code: 'conflict' } });
    expect((await host.call('read_file', { task, path })).data).toMatchObject({
      content: 'one\nzwei\n',
      encoding: 'utf-8',
      hash: edited.data.hash,
    });
    expect(
      (await host.call('search_files', { task, pattern: 'zwei', path: home.root, glob: `${task}.txt` })).data.matches,
    ).toMatchObject([{ line: 2 }]);
    const listed = await host.call('list_files', { task, path: home.root });
    expect(listed.data.entries).toContainEqual(expect.objectContaining({ path, kind: 'file', size: 9 }));
    writeFileSync(path, 'long'.repeat(15_000));
    const long = await host.call('read_file', { task, path });
    expect([long.data.content, long.data.next_offset]).toEqual(['long'.repeat(15_000), null]);
    const counted = await host.call('run_command', { task, command: 'seq 1 20000' });
    expect(counted.data).toMatchObject({ truncated: true, stdout: expect.stringMatching(/bytes are left out here/) });
    await host.call('run_command', { task, session: 's', command: 'cd /tmp; x=5' });
    expect((await host.call('run_command', { task, session: 's', command: 'echo $PWD $x' })).data.stdout).toBe(
      '/tmp 5\n',
    );
    expect((await host.call('inspect_sandbox', { task })).data).toMatchObject({
      sandbox: { task },
      sessions: [{ name: 's' }],
    });
    expect((await host.call('list_sandboxes', {})).data.sandboxes).toContainEqual(expect.objectContaining({ task }));
    expect((await host.call('stop_process', { task, session: 's' })).data).toEqual({ stopped: 's', survivors: [] });
    expect((await host.call('remove_sandbox', { task })).data).toEqual({ removed: task });
  });

  it('wrong arguments and what is not there are results, which name the fault', async () => {
    await using host = await connect(kind, home.place);
    const unknown = await host.call('run_command', { task, command: 'true', shell: 'zsh' });
    expect(unknown.isError).toBe(true);
    expect(unknown.content[0].text).toContain('shell');
    expect(await host.call('inspect_sandbox', { task: 'none' })).toMatchObject({
      isError: true,
      data: { code: 'not_found' },
    });
    expect(await host.call('read_output', { exec_id: 'exec_none', wait_ms: 0 })).toMatchObject({
      isError: true,
      data: { code: 'not_found' },
    });
    const asUser = { task, command: 'true', user: 'app' };
    for (const [more, code] of [
      [{}, 'not_supported'],
      [{ session: 's' }, 'invalid_argument'],
      [{ background: true }, 'invalid_argument'],
    ] as const)
      expect(await host.call('run_command', { ...asUser, ...more })).toMatchObject({ isError: true, data: { code } });
    const program = { task, language: 'bash', code: 'true', user: 'app' };
    expect((await host.call('run_code', program)).data.code).toBe('not_supported');
    await expect(host.call('approve', {})).rejects.toThrow('approve');
  });

  it('a canceled call kills its command with all that it started', async () => {
    await using host = await connect(kind, home.place);
    const file = join(home.root, `${task}-pid`);
    const canceling = new AbortController();
    const call = host.call(
      'run_command',
      { task, command: `sleep 60 & echo $! > ${file}; wait` },
      { signal: canceling.signal },
    );
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 20_000 }).toMatch(/\d\n/);
    canceling.abort();
    await expect(call).rejects.toThrow(/abort/i);
    const isAlive = (): boolean => existsSync(`/proc/${readFileSync(file, 'utf8').trim()}`);
    await expect.poll(isAlive, { timeout: 20_000 }).toBe(false);
  });

  it('shows the last line of a command as progress', async () => {
    await using host = await connect(kind, home.place);
    const seen: string[] = [];
    const onprogress = ({ message = '' }): void => void seen.push(message);
    await host.call('run_command', { task, command: 'echo first; echo "step 2"; sleep 4' }, { onprogress });
    expect(seen).toContain('step 2');
  });

  it('a background command outlives its host, and another one reads and ends it', async () => {
    let execId = '';
    {
      await using host = await connect(kind, home.place);
      const begun = await host.call('run_command', { task, background: true, command: 'echo up; sleep 60' });
      expect(begun.data).toMatchObject({ reason: 'running', next: '0' });
      execId = begun.data.exec_id;
    }
    await using other = await connect(kind, home.place);
    const read = await other.call('read_output', { exec_id: execId, wait_ms: 2000 });
    expect(read.data).toMatchObject({ reason: 'running', stdout: 'up\n' });
    const contents = await other.read(`caisson://execs/${execId}/stdout`);
    expect(contents).toMatchObject([{ text: 'up\n' }]);
    expect((await other.call('stop_process', { exec_id: execId })).data).toEqual({ stopped: execId, survivors: [] });
    const end = { stdout: '', next: null, reason: expect.not.stringMatching('running') };
    const last = await other.call('read_output', { exec_id: execId, after: read.data.next });
    expect(last.data).toMatchObject(end);
    // Who reads beyond the end gets it again.
    const { exec_id: id } = (await other.call('run_command', { task, command: 'true' })).data;
    expect((await other.call('read_output', { exec_id: id, after: '999999' })).data).toMatchObject({
      ...end,
      exit_code: 0,
    });
  }, 60_000);

  it.each<[string, Answer, boolean]>([
    ['once', accept('once'), true],
    ['session', accept('session'), false],
    ['deny', accept('deny'), false],
    ['an answer that was not offered', accept('always'), false],
    ['declined', { action: 'decline' }, false],
    ['canceled', { action: 'cancel' }, false],
  ])('a question of a command is answered in a form: %s', async (name, answer, runs) => {
    const file = join(home.root, `${task}-${name.replaceAll(' ', '-')}`);
    const asked: Loose[] = [];
    const ask = async (params: Loose): Promise<Answer> => {
      asked.push(params);
      await delay(60);
      return answer;
    };
    await using host = await connect(kind, home.place, { elicitation: { form: {} }, ask });
    const command = `rm -rf ./${task}-x; echo "ran \u202e" >> ${file}`;
    const result = await host.call('run_command', { task, command });
    expect(asked.length).toBe(1);
    expect(asked[0].message).toContain(`rm -rf ./${task}-x; echo "ran \\u{202e}"`);
    expect(asked[0].message).not.toContain('\u202e');
    const { choice } = asked[0].requestedSchema.properties;
    // A kind of danger is not for a host to allow beyond this command, and no rule is.
    expect([choice.oneOf.map((each: Loose) => each.const), choice.default]).toEqual([['once', 'deny'], 'deny']);
    expect(existsSync(file)).toBe(runs);
    expect(result).toMatchObject(
      runs
        ? { isError: false, data: { exit_code: 0 } }
        : { isError: true, data: { code: name === 'canceled' ? 'approval_required' : 'policy_denied' } },
    );
    if (runs) expect(readFileSync(file, 'utf8')).toBe('ran \u202e\n');
  });

  it('a question that its host does not answer outlives the call, and is answered elsewhere', async () => {
    const ask = async (): Promise<Answer> => await new Promise(() => undefined);
    const file = join(home.root, `${task}-ignored`);
    const args = { task, command: `rm -rf ./${task}-z; echo ran >> ${file}` };
    let id = '';
    {
      await using host = await connect(kind, home.place, { elicitation: { form: {} }, ask });
      const leaving = new AbortController();
      host.call('run_command', args, { signal: leaving.signal }).catch(() => undefined);
      const questions = async (): Promise<readonly Loose[]> =>
        JSON.parse((await home.cli('approvals', 'ls', '--json')).stdout);
      await expect
        .poll(async () => (id = (await questions()).find(({ display }) => display.includes(`${task}-z`))?.id), {
          timeout: 15_000,
        })
        .toMatch(/^apr_/);
      leaving.abort();
      await delay(500);
      expect((await home.cli('approvals', 'approve', id)).exitCode).toBe(0);
      expect(existsSync(file)).toBe(false);
      // The question of the same call is answered, so that no form is needed.
      expect((await host.call('run_command', args)).data).toMatchObject({ exit_code: 0 });
    }
    expect(readFileSync(file, 'utf8')).toBe('ran\n');
  });

  it('a host that cannot ask gets an approval id, and the repeated call runs once it is answered elsewhere', async () => {
    await using host = await connect(kind, home.place);
    const file = join(home.root, `${task}-elsewhere`);
    const args = { task, command: `rm -rf ./${task}-y; echo ran >> ${file}` };
    const first = await host.call('run_command', args);
    expect(first).toMatchObject({
      isError: true,
      data: {
        code: 'approval_required',
        approval_id: expect.stringMatching(/^apr_/),
        task,
        expires_at: expect.stringContaining('Z'),
      },
    });
    expect((await host.call('run_command', args)).data.approval_id).toBe(first.data.approval_id);
    const approved = await home.cli('approvals', 'approve', first.data.approval_id);
    expect([approved.exitCode, approved.stderr]).toEqual([0, '']);
    expect((await host.call('run_command', args)).data).toMatchObject({ exit_code: 0 });
    expect(readFileSync(file, 'utf8')).toBe('ran\n');
    // One use: the next one is a question of its own.
    const next = await host.call('run_command', args);
    expect(next.data.code).toBe('approval_required');
    expect(next.data.approval_id).not.toBe(first.data.approval_id);
    await home.cli('approvals', 'deny', next.data.approval_id);
    expect((await host.call('run_command', args)).data.code).toBe('policy_denied');
    expect(readFileSync(file, 'utf8')).toBe('ran\n');
  });
});

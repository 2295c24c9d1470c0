import { mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentProgram, type Answering, TestEditor } from '../fixtures/acp/editor.ts';

const cli = new URL('../../bin/caisson.cjs', import.meta.url).pathname;
const timeout = 60_000;

interface Place extends AsyncDisposable {
  readonly project: string;
  open(answering?: Answering, flags?: readonly string[]): Promise<TestEditor>;
}

/** A project and a state directory of their own, and commands on this machine. */
async function makePlace(config = ''): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'caisson-acp-')));
  const [home, project] = [await mkdtemp(join(root, 'home-')), await mkdtemp(join(root, 'project-'))];
  await writeFile(join(home, 'config.yaml'), `terminal: {backend: local}\n${config}`);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CAISSON_HOME: home };
  const editors: TestEditor[] = [];
  return {
    project,
    open: async (answering, flags = []) => {
      const command = [process.execPath, cli, 'acp', '-q', ...flags, '--', process.execPath, agentProgram] as const;
      const editor = await TestEditor.open(command, { env, cwd: project, ...(answering === undefined ? {} : { answering }) });
      editors.push(editor);
      return editor;
    },
    [Symbol.asyncDispose]: async () => {
      for (const editor of editors) await editor.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

const once: Answering = () => 'allow_once';
const no: Answering = () => 'deny';

/** Processes whose environment or command holds the text. */
async function processesWith(text: string): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).includes(text)),
  );
  return found.filter(Boolean).length;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await holds()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe.each([
  ['an agent on this host', []],
  ['an agent inside', ['--inside']],
] as const)('caisson acp, with %s', (_mode, flags) => {
  it('keeps the order of updates and responses over 1,000 random turns', { timeout: 120_000 }, async () => {
    await using place = await makePlace();
    const editor = await place.open(once, flags);
    for (let turn = 0; turn < 1000; turn += 1) {
      const count = Math.floor(Math.random() * 12);
      const { said, stopReason } = await editor.prompt([{ say: count, jitter: turn % 7 === 0 }]);
      expect({ said, stopReason }).toEqual({
        said: Array.from({ length: count }, (_, index) => String(index + 1)),
        stopReason: 'end_turn',
      });
    }
  });

  it('runs the commands of the agent, and keeps the end of their output', { timeout }, async () => {
    await using place = await makePlace();
    const editor = await place.open(once, flags);
    const env = [{ name: 'GREETING', value: 'hello' }];
    await editor.call('terminal/create', { command: 'pwd; printf "0123456789é$GREETING"; exit 3', env, outputByteLimit: 1000 });
    const terminalId = '$1';
    expect(await editor.call('terminal/wait_for_exit', { terminalId })).toEqual({ exitCode: 3, signal: null });
    const seen = await editor.call('terminal/output', { terminalId });
    expect(seen).toMatchObject({ truncated: false, exitStatus: { exitCode: 3 } });
    expect(seen).toHaveProperty('output', expect.stringContaining('0123456789éhello'));
    expect(seen).toHaveProperty('output', expect.stringContaining(place.project));
    expect(await editor.call('terminal/release', { terminalId })).toEqual({});
    expect(await editor.call('terminal/output', { terminalId })).toMatchObject({ failed: { code: -32_002 } });
  });

  it('shows the text of a terminal where the agent shows the terminal, which the editor does not have', { timeout }, async () => {
    await using place = await makePlace();
    const editor = await place.open(once, flags);
    await editor.call('terminal/create', { command: 'echo it ran' });
    await editor.call('terminal/wait_for_exit', { terminalId: '$1' });
    const content = [{ type: 'terminal', terminalId: '$1' }];
    const update = { sessionUpdate: 'tool_call_update', toolCallId: 'x', content };
    const { said } = await editor.prompt([{ call: 'session/update', params: { update } }]);
    expect(said[0]).toContain('it ran');
    expect(said[0]).not.toContain('"terminal"');
  });

  it('writes an edit after its diff was allowed, and not after it was refused', { timeout }, async () => {
    await using place = await makePlace();
    const answers = ['allow_once', 'deny', 'allow_once'];
    const editor = await place.open(() => answers.shift() ?? 'deny', flags);
    const path = join(place.project, 'notes.txt');
    expect(await editor.call('fs/write_text_file', { path, content: 'one\n' })).toEqual({});
    expect(await editor.call('fs/write_text_file', { path, content: 'two\n' })).toMatchObject({
      failed: { message: expect.stringContaining('the user refused this edit') },
    });
    expect(await readFile(path, 'utf8')).toBe('one\n');
    expect(await editor.call('fs/write_text_file', { path, content: 'three\n' })).toEqual({});
    expect(await readFile(path, 'utf8')).toBe('three\n');
    expect(editor.asked.map(({ toolCall }) => toolCall.content?.[0])).toMatchObject([
      { type: 'diff', path, oldText: null, newText: 'one\n' },
      { type: 'diff', path, oldText: 'one\n', newText: 'two\n' },
      { type: 'diff', path, oldText: 'one\n', newText: 'three\n' },
    ]);
    expect(await editor.call('fs/read_text_file', { path, line: 1, limit: 1 })).toEqual({ content: 'three\n' });
  });

  it('refuses paths that lead out of the project, also by a link', { timeout }, async () => {
    await using place = await makePlace();
    await symlink('/etc', join(place.project, 'out'));
    const editor = await place.open(once, flags);
    for (const path of ['/etc/hostname', join(place.project, '../x'), join(place.project, 'out/hostname'), 'notes.txt'])
      for (const method of ['fs/read_text_file', 'fs/write_text_file'])
        expect(await editor.call(method, { path, content: 'x' })).toMatchObject({ failed: { code: -32_602 } });
    expect(await editor.call('terminal/create', { command: 'true', cwd: '/etc' })).toMatchObject({ failed: { code: -32_602 } });
    await expect(editor.agent.request('session/new', { cwd: '/etc', mcpServers: [] })).rejects.toThrow('is not in the project');
    expect(editor.asked).toEqual([]);
  });

  it('leaves no process when the editor goes away', { timeout }, async () => {
    await using place = await makePlace();
    const editor = await place.open(once, flags);
    const mark = `sleep 7${String(Math.random()).slice(2, 9)}`;
    await editor.call('terminal/create', { command: `${mark} & ${mark}; true` });
    await until(async () => (await processesWith(mark.slice(6))) > 1);
    expect(await processesWith(mark.slice(6))).toBeGreaterThan(1);
    expect(await processesWith(agentProgram)).toBeGreaterThan(1);
    expect(await editor.close()).toBe(0);
    expect(await processesWith(mark.slice(6))).toBe(0);
    expect(await processesWith(agentProgram)).toBe(0);
  });
});

describe('questions of caisson acp', () => {
  it('ask about a dangerous command, and run it once, for the session, or not', { timeout }, async () => {
    await using place = await makePlace();
    const answers = ['deny', 'allow_session'];
    const editor = await place.open(() => answers.shift() ?? 'cancelled');
    const kept = join(place.project, 'kept');
    await writeFile(kept, '');
    const remove = { command: 'rm', args: ['-rf', kept] };
    expect(await editor.call('terminal/create', remove)).toMatchObject({ failed: { message: expect.stringContaining('refused') } });
    expect(await readFile(kept, 'utf8')).toBe('');
    const other = { command: 'rm', args: ['-rf', `${kept}2`] };
    expect(await editor.call('terminal/create', other)).toHaveProperty('terminalId');
    expect(await editor.call('terminal/create', { command: 'rm', args: ['-rf', `${kept}3`] })).toHaveProperty('terminalId');
    expect(editor.asked).toHaveLength(2);
    expect(editor.asked[0]?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ['allow_once', 'allow_once'],
      ['allow_session', 'allow_always'],
      ['allow_always', 'allow_always'],
      ['deny', 'reject_once'],
    ]);
  });

  it('take an option that was not offered for a denial', { timeout }, async () => {
    await using place = await makePlace();
    const editor = await place.open(() => 'allow_everything');
    const path = join(place.project, 'a');
    expect(await editor.call('fs/write_text_file', { path, content: '' })).toHaveProperty('failed');
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }];
    const asked = await editor.call('session/request_permission', { toolCall: { toolCallId: 'x', title: 'ls' }, options });
    expect(asked).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } });
  });

  it("pass the agent's own on whatever rules allow, and its answer back", { timeout }, async () => {
    await using place = await makePlace('approvals: {rules: {allow: ["terminal(ls:*)"]}}\n');
    const editor = await place.open(() => 'yes');
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }];
    const toolCall = { toolCallId: 'x', title: '`ls` \u202e\u001b[2J', kind: 'execute', rawInput: { command: 'ls' } };
    const asked = await editor.call('session/request_permission', { toolCall, options });
    expect(asked).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
    expect(editor.asked[0]?.toolCall.title).toBe('`ls` \\u{202e}\\x1b[2J');
  });

  it('allow the edits of a session by one answer, but never those of names such as .git', { timeout }, async () => {
    await using place = await makePlace();
    const editor = await place.open(() => 'allow_session');
    const write = (name: string) => editor.call('fs/write_text_file', { path: join(place.project, name), content: name });
    for (const name of ['a', 'b', 'c']) expect(await write(name)).toEqual({});
    expect(editor.asked).toHaveLength(1);
    await symlink('.git', join(place.project, 'harmless'));
    for (const name of ['.git/hooks/post-commit', 'harmless/config', '.env.local', 'sub/.ssh/config'])
      expect(await write(name)).toHaveProperty('failed');
    expect(editor.asked).toHaveLength(5);
    expect(editor.asked[1]?.options.map(({ optionId }) => optionId)).toEqual(['allow_once', 'deny']);
  });

  it('take the first yes for the session in mode session, and ask for what rules name in mode policy', { timeout }, async () => {
    await using first = await makePlace('acp: {edits: session}\n');
    const one = await first.open(once);
    for (const name of ['a', 'b']) await one.call('fs/write_text_file', { path: join(first.project, name), content: '' });
    expect(one.asked).toHaveLength(1);
    await using second = await makePlace('acp: {edits: policy}\napprovals: {rules: {ask: ["write_file(b)"]}}\n');
    const two = await second.open(no);
    const write = (name: string) => two.call('fs/write_text_file', { path: join(second.project, name), content: 'x' });
    expect([await write('a'), await write('b'), await write('.env')]).toMatchObject([{}, { failed: {} }, { failed: {} }]);
    expect(two.asked).toHaveLength(2);
  });

  it('are asked once where a rule wants a write asked for whose diff was shown', { timeout }, async () => {
    await using place = await makePlace('approvals: {rules: {ask: ["write_file"]}}\n');
    const editor = await place.open(once);
    expect(await editor.call('fs/write_text_file', { path: join(place.project, 'a'), content: 'x' })).toEqual({});
    expect(editor.asked).toHaveLength(1);
  });

  it('are put once to an editor that cannot ask, or that never answers', { timeout }, async () => {
    await using place = await makePlace('approvals: {timeout: 1}\n');
    const write = (editor: TestEditor) =>
      editor.call('fs/write_text_file', { path: join(place.project, 'a'), content: 'x' });
    const unable = await place.open();
    expect(await write(unable)).toMatchObject({ failed: { message: expect.stringContaining('cannot ask') } });
    const silent = await place.open(() => null);
    expect(await write(silent)).toMatchObject({ failed: { message: expect.stringContaining('no answer came in time') } });
    const from = Date.now();
    expect(await write(silent)).toMatchObject({ failed: { message: expect.stringContaining('cannot ask') } });
    expect(Date.now() - from).toBeLessThan(900);
    expect(silent.asked).toHaveLength(1);
  });

  it('show hostile text harmless: in commands, paths and diffs', { timeout }, async () => {
    await using place = await makePlace();
    const editor = await place.open(no);
    const hostile = 'rm -rf /tmp/x # ```\n![x](http://evil.test/) \u202e\u001b[2J\u200b';
    await editor.call('terminal/create', { command: hostile });
    await editor.call('fs/write_text_file', { path: join(place.project, 'a\n`b`'), content: `x\u202e\u0007\n\`\`\`` });
    const [command, edit] = editor.asked;
    const shown = JSON.stringify(editor.asked);
    expect(shown).not.toMatch(/\\u001b|\\u0007|[\u202e\u200b]/);
    const block = command?.toolCall.content?.[0];
    expect(block?.type === 'content' && block.content.type === 'text' && block.content.text).toMatch(/^````\n[^]*\n````$/);
    expect(edit?.toolCall.title).toMatch(/^Create `` [^\n]* ``$/);
    expect(edit?.toolCall.content?.[0]).toMatchObject({ newText: 'x\\u{202e}\\x07\n```' });
  });

  it('end with the turn: a question of it is cancelled, and the command does not run', { timeout }, async () => {
    await using place = await makePlace();
    const kept = join(place.project, 'kept');
    await writeFile(kept, '');
    let cancel = (): void => undefined;
    const editor = await place.open(() => {
      cancel();
      return null;
    });
    cancel = () => void editor.agent.notify('session/cancel', { sessionId: editor.session });
    expect(await editor.call('terminal/create', { command: 'rm', args: ['-rf', kept] })).toHaveProperty('failed');
    expect(await readFile(kept, 'utf8')).toBe('');
  });
});

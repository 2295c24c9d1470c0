import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlace, once, timeout } from '../fixtures/acp/place.ts';

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
    await editor.call('terminal/create', {
      command: 'pwd; printf "0123456789é$GREETING"; exit 3',
      env,
      outputByteLimit: 1000,
    });
    const terminalId = '$1';
    expect(await editor.call('terminal/wait_for_exit', { terminalId })).toEqual({ exitCode: 3, signal: null });
    const seen = await editor.call('terminal/output', { terminalId });
    expect(seen).toMatchObject({ truncated: false, exitStatus: { exitCode: 3 } });
    expect(seen).toHaveProperty('output', expect.stringContaining('0123456789éhello'));
    expect(seen).toHaveProperty('output', expect.stringContaining(place.project));
    expect(await editor.call('terminal/release', { terminalId })).toEqual({});
    expect(await editor.call('terminal/output', { terminalId })).toMatchObject({ failed: { code: -32_002 } });
  });

  it(
    'shows the text of a terminal where the agent shows the terminal, which the editor does not have',
    { timeout },
    async () => {
      await using place = await makePlace();
      const editor = await place.open(once, flags);
      await editor.call('terminal/create', { command: 'echo it ran' });
      await editor.call('terminal/wait_for_exit', { terminalId: '$1' });
      const content = [{ type: 'terminal', terminalId: '$1' }];
      const update = { sessionUpdate: 'tool_call_update', toolCallId: 'x', content };
      const { said } = await editor.prompt([{ call: 'session/update', params: { update } }]);
      expect(said[0]).toContain('it ran');
      expect(said[0]).not.toContain('"terminal"');
    },
  );

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
    expect(await editor.call('terminal/create', { command: 'true', cwd: '/etc' })).toMatchObject({
      failed: { code: -32_602 },
    });
    await expect(editor.agent.request('session/new', { cwd: '/etc', mcpServers: [] })).rejects.toThrow(
      'is not in the project',
    );
    expect(editor.asked).toEqual([]);
  });

  it('leaves no process when the editor goes away', { timeout }, async () => {
    await using place = await makePlace();
    const editor = await place.open(once, flags);
    const mark = `sleep 7${String(Math.random()).slice(2, 9)}`;
    await editor.call('terminal/create', { command: `${mark} & ${mark}; true` });
    await until(async () => (await processesWith(mark.slice(6))) > 1);
    expect(await processesWith(mark.slice(6))).toBeGreaterThan(1);
    expect(await processesWith(place.project)).toBeGreaterThan(1);
    expect(await editor.close()).toBe(0);
    expect(await processesWith(mark.slice(6))).toBe(0);
    expect(await processesWith(place.project)).toBe(0);
  });
});

import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestEditor } from '../fixtures/acp/editor.ts';
import { makePlace, no, once, timeout } from '../fixtures/acp/place.ts';

describe('questions of caisson acp', () => {
  it('ask about a dangerous command, and run it once, for the session, or not', { timeout }, async () => {
    await using place = await makePlace();
    const answers = ['deny', 'allow_session'];
    const editor = await place.open(() => answers.shift() ?? 'cancelled');
    const kept = join(place.project, 'kept');
    await writeFile(kept, '');
    const remove = { command: 'rm', args: ['-rf', kept] };
    expect(await editor.call('terminal/create', remove)).toMatchObject({
      failed: { message: expect.stringContaining('refused') },
    });
    expect(await readFile(kept, 'utf8')).toBe('');
    const other = { command: 'rm', args: ['-rf', `${kept}2`] };
    expect(await editor.call('terminal/create', other)).toHaveProperty('terminalId');
    expect(await editor.call('terminal/create', { command: 'rm', args: ['-rf', `${kept}3`] })).toHaveProperty(
      'terminalId',
    );
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
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    const asked = await editor.call('session/request_permission', {
      toolCall: { toolCallId: 'x', title: 'ls' },
      options,
    });
    expect(asked).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } });
  });

  it("pass the agent's own on whatever rules allow, and its answer back", { timeout }, async () => {
    await using place = await makePlace('approvals: {rules: {allow: ["terminal(ls:*)"]}}\n');
    const editor = await place.open(() => 'yes');
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    const content = [{ type: 'diff', path: '/a', oldText: 'a', newText: 'b\u202e' }];
    const title = '`ls` \u202e\u001b[2J';
    const toolCall = { toolCallId: 'x', title, kind: 'execute', rawInput: { command: 'ls' }, content };
    const asked = await editor.call('session/request_permission', { toolCall, options });
    expect(asked).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
    expect(editor.asked[0]?.toolCall).toMatchObject({
      title: '`ls` \\u{202e}\\x1b[2J',
      content: [{ type: 'diff', path: '/a', oldText: 'a', newText: 'b\\u{202e}' }],
    });
  });

  it('allow the edits of a session by one answer, but never those of names such as .git', { timeout }, async () => {
    await using place = await makePlace();
    const editor = await place.open(() => 'allow_session');
    const write = (name: string) =>
      editor.call('fs/write_text_file', { path: join(place.project, name), content: name });
    for (const name of ['a', 'b', 'c']) expect(await write(name)).toEqual({});
    expect(editor.asked).toHaveLength(1);
    await symlink('.git', join(place.project, 'harmless'));
    for (const name of ['.git/hooks/post-commit', 'harmless/config', '.env.local', 'sub/.ssh/config'])
      expect(await write(name)).toHaveProperty('failed');
    expect(editor.asked).toHaveLength(5);
    expect(editor.asked[1]?.options.map(({ optionId }) => optionId)).toEqual(['allow_once', 'deny']);
  });

  it(
    'take the first yes for the session in mode session, and ask for what rules name in mode policy',
    { timeout },
    async () => {
      await using first = await makePlace('acp: {edits: session}\n');
      const one = await first.open(once);
      for (const name of ['a', 'b'])
        await one.call('fs/write_text_file', { path: join(first.project, name), content: '' });
      expect(one.asked).toHaveLength(1);
      await using second = await makePlace('acp: {edits: policy}\napprovals: {rules: {ask: ["write_file(b)"]}}\n');
      const two = await second.open(no);
      const write = (name: string) =>
        two.call('fs/write_text_file', { path: join(second.project, name), content: 'x' });
      expect([await write('a'), await write('b'), await write('.env')]).toMatchObject([
        {},
        { failed: {} },
        { failed: {} },
      ]);
      expect(two.asked).toHaveLength(2);
    },
  );

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
    expect(await write(silent)).toMatchObject({
      failed: { message: expect.stringContaining('no answer came in time') },
    });
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
    expect(block?.type === 'content' && block.content.type === 'text' && block.content.text).toMatch(
      /^````\n[^]*\n````$/,
    );
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

/** Rules, modes and profiles in front of the file tools of a real service on this host. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openedWith, task } from './opened.ts';

/** Rules in the form that the proposal prints. */
const documented = `approvals:
  tool_mode: autonomous    # autonomous | cautious | supervised | plan
  rules:
    allow:
      - "write_file(src/**)"       # path glob
      - "read_file"                # entire tool
    ask:
      - "write_file(.env*)"        # sensitive file patterns
`;

const denied = { code: 'policy_denied' };
const unasked = { code: 'approval_required', details: { reason: 'no-approver' } };

describe('the documented rules about files', () => {
  it('ask, also where other questions are skipped, and do what the answer says', async () => {
    const { files, dir, asked, caisson } = await openedWith(documented, { answer: 'once', yolo: true });
    await caisson.approvals.skip(task, true);
    await files.write({ task, path: join(dir, 'src', 'a.ts'), bytes: 'a' });
    expect(asked).toEqual([]);
    await files.write({ task, path: join(dir, 'deep', '.env.local'), bytes: 'K=1' });
    expect(asked).toMatchObject([
      {
        command: ['write_file', join(dir, 'deep', '.env.local')],
        display: `write_file ${join(dir, 'deep', '.env.local')}`,
        findings: [{ rule: 'write_file(.env*)' }],
        choices: ['once', 'deny'],
      },
    ]);
    expect((await files.read({ task, path: join(dir, 'deep', '.env.local') })).bytes.toString()).toBe('K=1');
  });

  it('refuse without an approver, for every way to change the file, and change nothing', async () => {
    const { files, dir } = await openedWith(documented);
    const path = join(dir, '.env');
    await expect(files.write({ task, path, bytes: 'x' })).rejects.toMatchObject(unasked);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, 'K=1\n');
    const patch = { edits: [{ find: 'K=1', replace: 'K=2' }] };
    await expect(files.patch({ task, path, ...patch })).rejects.toMatchObject(unasked);
    await expect(files.remove({ task, path })).rejects.toMatchObject(unasked);
    await expect(files.move({ task, path, to: join(dir, 'x') })).rejects.toMatchObject(unasked);
    await expect(files.move({ task, path: join(dir, 'src'), to: join(dir, '.env.d') })).rejects.toMatchObject(unasked);
    expect(readFileSync(path, 'utf8')).toBe('K=1\n');
    expect(existsSync(join(dir, 'src'))).toBe(true);
  });

  it('see the file behind a link, and in a directory that goes as a whole', async () => {
    const { files, dir } = await openedWith(documented);
    mkdirSync(join(dir, 'conf'));
    writeFileSync(join(dir, 'conf', '.env'), 'K=1');
    symlinkSync('conf/.env', join(dir, 'innocent'));
    symlinkSync('conf', join(dir, 'src', 'c'));
    await expect(files.write({ task, path: join(dir, 'innocent'), bytes: 'x' })).rejects.toMatchObject({
      ...unasked,
      message: expect.stringContaining(join(dir, 'conf', '.env')),
    });
    await expect(files.remove({ task, path: join(dir, 'conf'), recursive: true })).rejects.toMatchObject(unasked);
    await expect(files.move({ task, path: join(dir, 'conf'), to: join(dir, 'd') })).rejects.toMatchObject(unasked);
    expect(readFileSync(join(dir, 'conf', '.env'), 'utf8')).toBe('K=1');
    // A link goes alone.
    await files.remove({ task, path: join(dir, 'innocent') });
    expect(existsSync(join(dir, 'innocent'))).toBe(false);
  });
});

const locked = `approvals:
  rules: {deny: ["write_file(src/gen/**)", "read_file(secret/**)", "list_files(secret)"]}
`;

describe('a rule that denies', () => {
  it('is on record with its reason', async () => {
    const { files, dir, caisson } = await openedWith(locked);
    const path = join(dir, 'src', 'gen', 'a.ts');
    await expect(files.write({ task, path, bytes: 'a' })).rejects.toMatchObject({
      ...denied,
      message: `write_file of ${path} is refused: denied by a rule (write_file(src/gen/**))`,
      details: { findings: [{ rule: 'write_file(src/gen/**)' }], execId: null },
    });
    const records = await Array.fromAsync(caisson.audit.tail({ count: 50 }));
    expect(records.filter(({ type }) => type === 'decision' || type === 'file')).toMatchObject([
      { type: 'decision', kind: 'file', verdict: 'deny', command: ['write_file', path], code: 'policy_denied' },
    ]);
  });

  it('keeps files from being read, found, listed and carried away', async () => {
    const { files, dir } = await openedWith(locked);
    mkdirSync(join(dir, 'secret'));
    for (const path of ['secret/a', 'open'].map((name) => join(dir, name))) writeFileSync(path, 'needle\n');
    symlinkSync('secret', join(dir, 'way'));
    for (const path of ['secret/a', 'way/a', 'src/../way/a'].map((name) => join(dir, name)))
      await expect(files.read({ task, path })).rejects.toMatchObject(denied);
    await expect(files.list({ task, path: join(dir, 'way') })).rejects.toMatchObject(denied);
    const found = await files.search({ task, path: dir, pattern: 'needle' });
    expect(found).toEqual({
      matches: [{ path: join(dir, 'open'), line: 1, text: 'needle' }],
      truncated: false,
      withheld: 1,
    });
    const behind = await files.search({ task, path: join(dir, 'way'), pattern: 'needle' });
    expect(behind).toEqual({ matches: [], truncated: false, withheld: 1 });
  });

  it('gives paths of a search as they were asked for', async () => {
    const { files, dir } = await openedWith(locked);
    writeFileSync(join(dir, 'src', 'a'), 'needle\n');
    symlinkSync('src', join(dir, 'way'));
    const { matches } = await files.search({ task, path: `${join(dir, 'way')}/`, pattern: 'needle' });
    expect(matches.map(({ path }) => path)).toEqual([join(dir, 'way', 'a')]);
  });

  it('holds for each file of a sync, in both directions', async () => {
    const { files, dir } = await openedWith(locked);
    const host = join(dir, '..', 'host');
    mkdirSync(join(host, 'gen'), { recursive: true });
    writeFileSync(join(host, 'gen', 'a.ts'), 'a');
    const into = { task, host, inside: join(dir, 'src'), direction: 'in' } as const;
    await expect(files.sync(into)).rejects.toMatchObject(denied);
    expect(existsSync(join(dir, 'src', 'gen', 'a.ts'))).toBe(false);
    rmSync(join(host, 'gen'), { recursive: true });
    writeFileSync(join(host, 'b.ts'), 'b');
    expect(await files.sync(into)).toMatchObject({ files: 1 });
    mkdirSync(join(dir, 'secret'));
    writeFileSync(join(dir, 'secret', 'a'), 'x');
    await expect(files.sync({ task, host, inside: dir, direction: 'out' })).rejects.toMatchObject(denied);
    expect(existsSync(join(host, 'secret'))).toBe(false);
  });
});

describe('modes', () => {
  it.each([
    ['autonomous', null, null],
    ['cautious', null, 'approval_required'],
    ['supervised', 'approval_required', 'approval_required'],
    ['plan', null, 'policy_denied'],
  ])('%s: reading %s, writing %s', async (mode, reading, writing) => {
    const { files, dir } = await openedWith(`approvals: {tool_mode: ${mode}}\n`);
    const path = join(dir, 'src', 'a');
    writeFileSync(path, 'a');
    const codeOf = async (doing: Promise<unknown>): Promise<unknown> =>
      await doing.then(
        () => null,
        (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
      );
    expect(await codeOf(files.read({ task, path }))).toBe(reading);
    expect(await codeOf(files.stat({ task, path }))).toBe(reading);
    expect(await codeOf(files.write({ task, path, bytes: 'b' }))).toBe(writing);
    expect(await codeOf(files.remove({ task, path }))).toBe(writing);
  });

  it('"session" covers the same call, and no other content', async () => {
    const { files, dir, asked } = await openedWith('approvals: {tool_mode: supervised}\n', { answer: 'session' });
    const path = join(dir, 'src', 'a');
    for (const bytes of ['one', 'one', 'two']) await files.write({ task, path, bytes });
    expect(asked).toHaveLength(2);
    await files.patch({ task, path, edits: [{ find: 'two', replace: 'three' }] });
    expect(asked).toHaveLength(3);
  });
});

describe('the profile strict', () => {
  it('locks file tools to the workspace, with any approver', async () => {
    const { files, dir, asked } = await openedWith('policy: {profile: strict}\n', { answer: 'once' });
    const outside = join(dir, '..', 'outside');
    writeFileSync(outside, 'x');
    symlinkSync(outside, join(dir, 'way'));
    for (const path of [outside, join(dir, 'way'), '/etc/hostname', `${dir}-evil`, join(dir, '..')]) {
      await expect(files.read({ task, path })).rejects.toMatchObject(denied);
      await expect(files.write({ task, path, bytes: 'y' })).rejects.toMatchObject(denied);
    }
    await expect(files.search({ task, path: '/etc', pattern: 'x' })).rejects.toMatchObject(denied);
    await expect(files.move({ task, path: join(dir, 'src'), to: `${dir}-moved` })).rejects.toMatchObject(denied);
    expect([asked.length, readFileSync(outside, 'utf8')]).toEqual([0, 'x']);
  });

  it('lets files of the workspace be read, asks before they are written, and keeps env files', async () => {
    const { files, dir, asked } = await openedWith('policy: {profile: strict}\n', { answer: 'once' });
    const path = join(dir, 'src', 'a');
    await files.write({ task, path, bytes: 'a' });
    expect(asked).toMatchObject([{ findings: [{ rule: 'supervised' }] }]);
    expect((await files.read({ task, path })).bytes.toString()).toBe('a');
    expect((await files.list({ task, path: dir })).entries.map(({ name }) => name)).toEqual(['src']);
    writeFileSync(join(dir, '.env'), 'KEY=a');
    await expect(files.read({ task, path: join(dir, '.env') })).rejects.toMatchObject(denied);
    expect(await files.search({ task, path: dir, pattern: 'a' })).toMatchObject({ matches: [{ path }], withheld: 1 });
    expect(asked).toHaveLength(1);
  });
});

it('hooks receive calls of file tools by their names, and may block them', async () => {
  const { dir, caisson, files } = await openedWith(
    'hooks: {pre_tool_call: {write_file: [hook.sh]}, auto_accept: true}\n',
  );
  const hook = join(dir, '..', 'home', 'hook.sh');
  writeFileSync(hook, '#!/bin/sh\ncat >"$CAISSON_HOOK.reported"\necho \'{"action":"block","message":"not here"}\'\n', {
    mode: 0o755,
  });
  const path = join(dir, 'a');
  await expect(files.write({ task, path, bytes: 'x' })).rejects.toMatchObject({
    ...denied,
    message: expect.stringContaining('not here'),
  });
  expect(JSON.parse(readFileSync(`${hook}.reported`, 'utf8'))).toMatchObject({
    tool_name: 'write_file',
    tool_input: { path },
    session_id: task,
  });
  expect((await files.list({ task, path: dir })).entries.map(({ name }) => name)).toEqual(['src']);
  await caisson.close();
});

it('asks the sandbox nothing where no rule is about files', async () => {
  const { files, dir } = await openedWith('approvals: {rules: {deny: ["terminal(rm:*)"], ask: [execute_code]}}\n');
  // What cannot be resolved is refused as soon as somebody has to look.
  symlinkSync('loop', join(dir, 'loop'));
  await expect(files.read({ task, path: join(dir, 'loop') })).rejects.toMatchObject({ code: 'not_found' });
  const looking = await openedWith(locked);
  symlinkSync('loop', join(looking.dir, 'loop'));
  await expect(looking.files.read({ task, path: join(looking.dir, 'loop') })).rejects.toMatchObject(denied);
});

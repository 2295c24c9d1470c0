/** Writes that are asked about, in a real service on this host: what people see is what is written. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type OpenFiles, openedWith, task } from './opened.ts';

const rules = 'approvals:\n  rules: {ask: ["write_file"]}\n  remote_timeout: 30\n';

/** `once` is answered where a test says nothing else. */
const opened = async (given: Parameters<typeof openedWith>[1] = {}): Promise<OpenFiles> =>
  await openedWith(rules, { answer: 'once', ...given });

it('a write and a patch carry what they change, and write it once it is approved', async () => {
  const { files, dir, asked } = await opened();
  const path = join(dir, 'a.txt');
  await files.write({ task, path, bytes: 'one\ntwo\n' });
  await files.write({ task, path, bytes: Buffer.from('one\n2\n') });
  await files.patch({ task, path, edits: [{ find: '2', replace: 'zwei\u001b[2J' }] });
  expect(asked.map(({ diff }) => diff)).toEqual([
    'a new file\n@@ -0,0 +1,2 @@\n+one\n+two',
    '@@ -1,2 +1,2 @@\n one\n-two\n+2',
    '@@ -1,2 +1,2 @@\n one\n-2\n+zwei\\x1b[2J',
  ]);
  expect(readFileSync(path, 'utf8')).toBe('one\nzwei\u001b[2J\n');
  const diff = '--- a\n+++ a\n@@ -1,2 +1,1 @@\n one\n-zwei\u001b[2J\n';
  await files.patch({ task, path, diff });
  expect([asked.at(-1)?.diff, readFileSync(path, 'utf8')]).toEqual(['@@ -1,2 +1,1 @@\n one\n-zwei\\x1b[2J', 'one\n']);
});

it('what somebody changes while the question is open is not written over: conflict', async () => {
  const meanwhile = (dir: string): void => writeFileSync(join(dir, 'a.txt'), 'somebody else\n');
  const { files, dir, asked } = await opened({ meanwhile });
  const path = join(dir, 'a.txt');
  const conflict = { code: 'conflict' };
  await expect(files.write({ task, path, bytes: 'new\n' })).rejects.toMatchObject(conflict);
  expect(asked.at(-1)?.diff).toBe('a new file\n@@ -0,0 +1,1 @@\n+new');
  writeFileSync(path, 'before\n');
  await expect(files.write({ task, path, bytes: 'new\n' })).rejects.toMatchObject(conflict);
  writeFileSync(path, 'before else\n');
  await expect(files.patch({ task, path, edits: [{ find: 'else', replace: 'x' }] })).rejects.toMatchObject(conflict);
  expect(asked.at(-1)?.diff).toBe('@@ -1,1 +1,1 @@\n-before else\n+before x');
  expect(readFileSync(path, 'utf8')).toBe('somebody else\n');
});

it('what is written is what was approved, whatever the caller changes meanwhile', async () => {
  const bytes = Buffer.from('fine\n');
  const edits = [{ find: 'fine', replace: 'good' }];
  const { files, dir, asked } = await opened({
    meanwhile: () => {
      bytes.write('evil');
      for (const edit of edits) edit.replace = 'evil';
    },
  });
  const path = join(dir, 'a');
  await files.write({ task, path, bytes });
  expect([bytes.toString(), readFileSync(path, 'utf8')]).toEqual(['evil\n', 'fine\n']);
  edits[0] = { find: 'fine', replace: 'good' };
  await files.patch({ task, path, edits });
  expect([asked.at(-1)?.diff, readFileSync(path, 'utf8')]).toEqual(['@@ -1,1 +1,1 @@\n-fine\n+good', 'good\n']);
});

it('a large file is compared by its digest, also while the question is open', async () => {
  const big = 'x'.repeat(2 * 1024 * 1024);
  let then = (_path: string): void => undefined;
  const { files, dir, asked } = await opened({ meanwhile: (at) => then(join(at, 'big')) });
  const path = join(dir, 'big');
  writeFileSync(path, big);
  await files.write({ task, path, bytes: 'small\n' });
  expect(asked.at(-1)?.diff).toMatch(
    /^too large to be compared: 2097152 bytes before, 6 bytes after; sha256 [0-9a-f]{64}$/,
  );
  expect(readFileSync(path, 'utf8')).toBe('small\n');
  writeFileSync(path, big);
  then = (at) => writeFileSync(at, `${big.slice(1)}y`);
  await expect(files.write({ task, path, bytes: 'small\n' })).rejects.toMatchObject({ code: 'conflict' });
});

it('binary content is named as such, and a change that does not apply is said to the person and not before', async () => {
  const { files, dir, asked } = await opened();
  const path = join(dir, 'a');
  await files.write({ task, path, bytes: Buffer.from([0, 1, 2]) });
  expect(asked.at(-1)?.diff).toMatch(/^binary: no file before, 3 bytes after; sha256 /);
  await expect(files.patch({ task, path, edits: [{ find: 'a', replace: 'b' }] })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
  expect(asked.at(-1)?.diff).toMatch(/^not shown: /);
  mkdirSync(join(dir, 'sub'));
  await expect(files.write({ task, path: join(dir, 'sub'), bytes: 'x' })).rejects.toMatchObject({
    code: 'failed_precondition',
  });
  expect(asked.at(-1)?.diff).toMatch(/^not shown: .*sub/);
});

it('a write through a link shows what changes where it leads', async () => {
  const { files, dir, asked } = await opened();
  writeFileSync(join(dir, 'real'), 'old\n');
  symlinkSync('real', join(dir, 'link'));
  await files.write({ task, path: join(dir, 'link'), bytes: 'new\n' });
  expect([asked[0]?.diff, readFileSync(join(dir, 'real'), 'utf8')]).toEqual(['@@ -1,1 +1,1 @@\n-old\n+new', 'new\n']);
});

it('secrets are not in the question, and commands have no diff', async () => {
  const { caisson, files, dir, asked } = await opened();
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  writeFileSync(join(dir, '.env'), `TOKEN=${secret}\nA=1\n`);
  await files.write({ task, path: join(dir, '.env'), bytes: `TOKEN=${secret.toLowerCase()}\nA=2\n` });
  expect(asked[0]?.diff).not.toContain(secret);
  expect(asked[0]?.diff?.split('\n').map((line) => line.slice(0, 7))).toEqual([
    '@@ -1,2',
    ...['-TOKEN=', '-A=1', '+TOKEN=', '+A=2'],
  ]);
  await caisson.run({ taskId: task, command: ['rm', '-rf', './none'] });
  expect(asked.at(-1)).toMatchObject({ display: 'rm -rf ./none', diff: null });
});

it('a refused write leaves the file as it was', async () => {
  const { files, dir, asked } = await opened({ answer: 'deny' });
  const path = join(dir, 'a');
  await expect(files.write({ task, path, bytes: 'x' })).rejects.toMatchObject({ code: 'policy_denied' });
  expect([asked.length, existsSync(path)]).toEqual([1, false]);
});

it('the diff is in the list of questions, and not for the token that asked', async () => {
  const { caisson, dir } = await opened();
  const agent = { owner: 'operator', token: 'tok_agent' };
  const path = join(dir, 'a');
  writeFileSync(path, 'old\n');
  const write = async () =>
    await caisson.files.write({ task, path, bytes: 'new\n' }, { caller: agent, question: { waits: false } });
  const diffs = async (caller?: typeof agent): Promise<readonly unknown[]> =>
    (await caisson.approvals.list(caller === undefined ? {} : { caller })).map(({ diff }) => diff);
  await expect(write()).rejects.toMatchObject({ code: 'approval_required' });
  expect(await diffs()).toEqual(['@@ -1,1 +1,1 @@\n-old\n+new']);
  expect([await diffs(agent), await diffs({ ...agent, token: 'tok_person' })]).toEqual([
    [null],
    ['@@ -1,1 +1,1 @@\n-old\n+new'],
  ]);
  const [question] = await caisson.approvals.list();
  await caisson.approvals.answer(question?.id ?? '', 'once', 'x', {});
  // The file is another one by now, so that the answer is not for it.
  writeFileSync(path, 'older\n');
  await expect(write()).rejects.toMatchObject({ code: 'approval_required' });
  expect([await diffs(), readFileSync(path, 'utf8')]).toEqual([['@@ -1,1 +1,1 @@\n-older\n+new'], 'older\n']);
  writeFileSync(path, 'old\n');
  await write();
  expect(readFileSync(path, 'utf8')).toBe('new\n');
});

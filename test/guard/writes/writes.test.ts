/** Writes by real commands and copies, with links that lead elsewhere. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caisson } from '../../../src/service/caisson.ts';
import type { Question } from '../../../src/service/api.ts';
import { openCaisson } from '../../../src/main.ts';

let root: string;
let home: string;
let caisson: Caisson;
let questions: Question[];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'caisson-writes-'));
  home = join(root, 'state');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(join(root, '.ssh'));
  mkdirSync(join(home, 'profiles', 'office', 'skills'), { recursive: true });
  mkdirSync(join(home, 'sandboxes', 'docker', 'build', 'home', '.hermes'), { recursive: true });
  symlinkSync(join(root, '.ssh'), join(root, 'notes'));
  writeFileSync(join(root, 'file'), 'text');
  writeFileSync(join(home, 'config.yaml'), 'terminal: {backend: local}\n', { mode: 0o600 });
  questions = [];
  const approver = (question: Question) => {
    questions.push(question);
    return Promise.resolve('deny');
  };
  caisson = await openCaisson({ home, env: { PATH: process.env['PATH'], HOME: root }, cwd: root, approver });
});
afterEach(async () => {
  await caisson.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a command', () => {
  const run = (text: string) => caisson.run({ taskId: 'build', command: ['sh', '-c', text], cwd: root });

  it.each([
    ['echo x >> state/config.yaml', 'the state and configuration of Caisson'],
    ['echo x | tee notes/authorized_keys', 'a protected file of the account: ~/.ssh/authorized_keys'],
    ['cp file state/profiles/office/skills/new.md', 'skills of the profile office'],
    ['echo x > state/sandboxes/docker/build/home/.hermes/config.yaml', 'a copy in a sandbox'],
  ])('%s is asked for', async (text, found) => {
    await expect(run(text)).rejects.toMatchObject({ code: 'policy_denied' });
    const descriptions = questions.flatMap(({ findings }) => findings.map(({ description }) => description));
    expect(descriptions).toEqual(expect.arrayContaining([expect.stringContaining(found)]));
  });

  it('that writes elsewhere runs', async () => {
    await run('echo x > other; cat state/config.yaml > /dev/null; cp file copy');
    expect([questions, readFileSync(join(root, 'other'), 'utf8')]).toEqual([[], 'x\n']);
  });
});

describe('a copy', () => {
  beforeEach(async () => {
    await caisson.sandboxes.create({ taskId: 'build' });
  });
  const into = (target: string, confirmed = false) =>
    caisson.files.copyIn({ task: 'build', source: join(root, 'file'), target: join(root, target), confirmed });
  const out = (target: string) =>
    caisson.files.copyOut({ task: 'build', source: join(root, 'file'), target: join(root, target) });

  it.each(['.ssh/authorized_keys', '.ssh', 'notes/new', '.bashrc', 'state/config.yaml', 'state/audit/x'])(
    'to %s is refused in both directions, also when it is confirmed',
    async (target) => {
      await expect(into(target, true)).rejects.toMatchObject({ code: 'policy_denied' });
      await expect(out(target)).rejects.toMatchObject({ code: 'policy_denied' });
    },
  );

  it.each(['state/profiles/office/skills/new.md', 'state/sandboxes/docker/build/home/.hermes/config.yaml'])(
    'to %s has to be confirmed',
    async (target) => {
      await expect(into(target)).rejects.toMatchObject({ code: 'approval_required' });
      await into(target, true);
      expect(readFileSync(join(root, target), 'utf8')).toBe('text');
    },
  );

  it('of a tree is refused for one protected file in it, and nothing of it is written', async () => {
    mkdirSync(join(root, 'tree', 'a', '.ssh'), { recursive: true });
    for (const name of ['a/.ssh/authorized_keys', 'a/.bashrc', 'plain'])
      writeFileSync(join(root, 'tree', name), 'text');
    const copies = (source: string, target: string) => {
      const request = { task: 'build', source: `${root}/${source}`, target: join(root, target), confirmed: true };
      return [() => caisson.files.copyIn(request), () => caisson.files.copyOut(request)];
    };
    // What is in `a` would go into the home directory itself.
    for (const copy of copies('tree/a/.', '.')) {
      await expect(copy()).rejects.toMatchObject({
        code: 'policy_denied',
        message: expect.stringMatching(/a protected file of the account: ~\/\.(?:ssh|bashrc)/),
      });
      expect(existsSync(join(root, '.bashrc'))).toBe(false);
    }
    const records = await Array.fromAsync(caisson.audit.tail({ count: 10 }));
    expect(records.filter(({ verdict }) => verdict === 'deny')).toHaveLength(2);
    for (const [at, copy] of copies('tree', 'copied').entries()) {
      await copy();
      expect(readFileSync(join(root, 'copied', ...(at === 0 ? [] : ['tree']), 'a', '.bashrc'), 'utf8')).toBe('text');
    }
  });

  it('of a tree follows links that stand where it goes', async () => {
    mkdirSync(join(root, 'tree', 'sub'), { recursive: true });
    writeFileSync(join(root, 'tree', 'sub', 'authorized_keys'), 'text');
    mkdirSync(join(root, 'there'));
    symlinkSync(join(root, '.ssh'), join(root, 'there', 'sub'));
    const request = { task: 'build', source: `${root}/tree/.`, target: join(root, 'there') };
    await expect(caisson.files.copyIn(request)).rejects.toMatchObject({ code: 'policy_denied' });
    await expect(caisson.files.copyOut(request)).rejects.toMatchObject({ code: 'policy_denied' });
  });

  it('of a tree has to be confirmed for a file of another profile in it', async () => {
    mkdirSync(join(root, 'tree', 'skills'), { recursive: true });
    writeFileSync(join(root, 'tree', 'skills', 'new.md'), 'text');
    const request = { task: 'build', source: `${root}/tree/.`, target: join(home, 'profiles', 'office') };
    await expect(caisson.files.copyIn(request)).rejects.toMatchObject({ code: 'approval_required' });
    await caisson.files.copyIn({ ...request, confirmed: true });
    expect(readFileSync(join(home, 'profiles', 'office', 'skills', 'new.md'), 'utf8')).toBe('text');
  });

  it('into a repository that is there has to be confirmed, and one that comes whole goes through (CP-25)', async () => {
    const hook = (place: string): string => join(root, place, '.git', 'hooks', 'pre-commit');
    for (const place of ['theirs', 'mine']) mkdirSync(join(root, place, '.git', 'hooks'), { recursive: true });
    writeFileSync(hook('theirs'), 'id');
    const request = { task: 'build', source: `${root}/theirs/.`, target: join(root, 'mine') };
    await expect(caisson.files.copyIn(request)).rejects.toMatchObject({ code: 'approval_required' });
    await expect(caisson.files.copyOut(request)).rejects.toMatchObject({ code: 'approval_required' });
    await expect(into('mine/.git/config')).rejects.toMatchObject({ code: 'approval_required' });
    expect(existsSync(hook('mine'))).toBe(false);
    await caisson.files.copyOut({ ...request, target: join(root, 'fresh') });
    expect(existsSync(hook('fresh'))).toBe(true);
  });

  it('to anywhere else goes through, and refusals are on record', async () => {
    await into('copied');
    await expect(into('.bashrc')).rejects.toThrow('not written');
    const records = await Array.fromAsync(caisson.audit.tail({ count: 10 }));
    expect(records.map(({ type, verdict }) => [type, verdict])).toEqual([
      ['copy', undefined],
      ['decision', 'deny'],
    ]);
  });
});

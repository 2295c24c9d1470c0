/** A mounted directory that is replaced between its check and the engine's mount (security review, SEC-F1). */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Home, cli, makeHome } from './home.ts';

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly text: string;
}

let home: Home;
let project: string;
let hostSecret: string;

beforeEach(async () => {
  home = await makeHome();
  project = await realpath(await mkdtemp(join(tmpdir(), 'mounts-project-')));
  hostSecret = await realpath(await mkdtemp(join(tmpdir(), 'mounts-secret-')));
  await mkdir(join(project, 'sub'));
  await writeFile(join(project, 'sub', 'mine'), 'mine\n');
  await writeFile(join(hostSecret, 'secret'), 'canary\n');
});

afterEach(async () => {
  await home[Symbol.asyncDispose]();
  for (const path of [project, hostSecret]) await rm(path, { recursive: true, force: true });
});

function caisson(cwd: string, args: readonly string[], failpoint = ''): Promise<Outcome> {
  const env = {
    ...home.env,
    CAISSON_TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE: 'true',
    CAISSON_TEST_FAILPOINT: failpoint,
  };
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  execFile(process.execPath, [cli, ...args], { cwd, env }, (error, stdout, stderr) => {
    resolve({ code: error === null ? 0 : Number(error.code ?? 137), stdout, text: `${stdout}${stderr}` });
  });
  return promise;
}

/** Puts a link to the secret where the mounted directory was. */
async function swap(): Promise<void> {
  await rename(join(project, 'sub'), join(project, 'moved'));
  await symlink(hostSecret, join(project, 'sub'));
}

async function refusals(): Promise<readonly { readonly type: string; readonly refused: string }[]> {
  const { text } = await caisson(home.path, ['audit', 'tail', '-o', 'json']);
  return text
    .split('\n')
    .filter((line) => line.includes('"type":"mount"'))
    .map((line) => JSON.parse(line));
}

it('runs in the checked directory, also after a stop', { timeout: 120_000 }, async () => {
  const cwd = join(project, 'sub');
  expect(await caisson(cwd, ['run', '--task', 'own', '--', 'cat', '/workspace/mine'])).toMatchObject({
    code: 0,
    stdout: 'mine\n',
  });
  await caisson(cwd, ['stop', 'own']);
  expect(await caisson(cwd, ['run', '--task', 'own', '--', 'cat', '/workspace/mine'])).toMatchObject({
    code: 0,
    stdout: 'mine\n',
  });
  expect((await caisson(cwd, ['inspect', 'own', '-o', 'json'])).text).not.toContain('"control":"mounts"');
});

it('refuses a directory below one that another task may write in', { timeout: 120_000 }, async () => {
  expect((await caisson(project, ['create', 'above'])).code).toBe(0);
  const below = await caisson(join(project, 'sub'), ['create', 'below']);
  expect(below.text).toContain('the sandbox of task above can replace it');
  expect(below.code).not.toBe(0);
  expect(await refusals()).toEqual([expect.objectContaining({ type: 'mount', refused: 'conflict' })]);
});

it(
  'starts no sandbox whose directory became a link to /, by a command of another task',
  { timeout: 120_000 },
  async () => {
    const cwd = join(project, 'sub');
    expect((await caisson(cwd, ['create', 'below'])).code).toBe(0);
    expect((await caisson(project, ['create', 'above'])).code).toBe(0);
    await caisson(project, ['exec', 'above', '--', 'sh', '-c', 'cd /workspace && mv sub sub.old && ln -s / sub']);
    await caisson(home.path, ['stop', 'below']);
    const again = await caisson(home.path, ['exec', 'below', '--', 'ls', '/workspace/etc']);
    expect(again.code).not.toBe(0);
    expect(again.text).not.toContain('passwd');
    await caisson(home.path, ['rm', 'above']);
    const alone = await caisson(home.path, ['exec', 'below', '--', 'ls', '/workspace/etc']);
    expect(alone.text).toContain('it leads to /');
    expect(await refusals()).toHaveLength(2);
  },
);

it.each([
  ['a creation', 'before-create', 0],
  ['a start', 'before-start', 1],
] as const)(
  'stops a sandbox whose directory was replaced between the check and the mount of %s',
  { timeout: 120_000 },
  async (_, failpoint, before) => {
    const cwd = join(project, 'sub');
    if (before > 0) {
      await caisson(cwd, ['create', 'own']);
      await caisson(cwd, ['stop', 'own']);
    }
    const held = join(home.path, 'held');
    const running = caisson(
      cwd,
      ['run', '--task', 'own', '--', 'cat', '/workspace/secret'],
      `${failpoint}:hold=${held}`,
    );
    await expect.poll(() => existsSync(held), { timeout: 60_000 }).toBe(true);
    await swap();
    await rm(held);
    const { code, text } = await running;
    expect(text).toContain('shows another directory');
    expect(text).not.toContain('canary');
    expect(code).not.toBe(0);
    expect(await refusals()).toEqual([expect.objectContaining({ refused: 'conflict' })]);
    expect(await home.engine(['ps', '-q', '--filter', `label=caisson.task=own`])).toBe('');
  },
);

/** API-10: what others can write is not trusted, and secrets that others can read are refused. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findHome } from '../../src/lib/find-home.ts';
import { loadConfig } from '../../src/config/load.ts';
import { known } from './known.ts';
import { newHome } from './home.ts';

describe('the state directory', () => {
  it.each([
    [{ HOME: '/h' }, '/h/.caisson'],
    [{ HOME: '/h', CAISSON_HOME: '/state' }, '/state'],
    [{ HOME: '/h', CAISSON_HOME: 'state' }, '/cwd/state'],
    [{ HOME: '/h', CAISSON_HOME: '~/state' }, '/h/state'],
    [{ HOME: '/h', CAISSON_HOME: '~' }, '/h'],
    [{ HOME: '/h', CAISSON_HOME: '~other/state' }, '/cwd/~other/state'],
    [{ HOME: '/h', HERMES_HOME: '/old' }, '/old'],
    [{ HOME: '/h', HERMES_HOME: '/old', CAISSON_HOME: '/new' }, '/new'],
    [{ HOME: '/h', CAISSON_HOME: '' }, '/h/.caisson'],
    [{}, join(homedir(), '.caisson')],
  ])('is found from %j', (env, expected) => {
    expect(findHome(env, '/cwd')).toBe(expected);
  });

  it('is made for its owner alone, whatever the umask', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'caisson-config-'));
    const before = process.umask(0);
    try {
      const home = join(parent, 'a', 'b');
      await loadConfig({ backends: known, home, env: {}, cwd: '/' });
      expect((await stat(home)).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
      await rm(parent, { recursive: true });
    }
  });

  it.each(['/proc/nowhere', '/proc/nowhere/state', '/dev/null/state'])(
    'is refused where none can be made: %s',
    async (home) => {
      await expect(loadConfig({ backends: known, home, env: {}, cwd: '/' })).rejects.toMatchObject({
        code: 'failed_precondition',
        message: `the state directory ${home} cannot be made`,
      });
    },
  );

  it.each([0o720, 0o702, 0o777])('is refused with mode %o, with the command to run', async (mode) => {
    await using home = await newHome();
    await chmod(home.path, mode);
    await expect(home.load()).rejects.toMatchObject({ code: 'failed_precondition', remedy: `chmod go-w ${home.path}` });
  });

  it.each([0o700, 0o755])('is taken with mode %o', async (mode) => {
    await using home = await newHome();
    await chmod(home.path, mode);
    expect((await home.load()).home).toBe(home.path);
  });

  it('is refused when it is a file', async () => {
    await using home = await newHome();
    await writeFile(join(home.path, 'file'), '');
    await expect(
      loadConfig({ backends: known, home: join(home.path, 'file'), env: {}, cwd: '/' }),
    ).rejects.toMatchObject({
      code: 'failed_precondition',
    });
  });
});

describe('the file', () => {
  it.each([
    ['config.yaml', 0o660, 'chmod go-w'],
    ['config.yaml', 0o602, 'chmod go-w'],
    ['.env', 0o640, 'chmod 600'],
    ['.env', 0o604, 'chmod 600'],
    ['.env', 0o622, 'chmod 600'],
  ])('%s is refused with mode %o', async (name, mode, command) => {
    await using home = await newHome();
    const path = join(home.path, name);
    await writeFile(path, '');
    await chmod(path, mode);
    await expect(home.load()).rejects.toMatchObject({ code: 'failed_precondition', remedy: `${command} ${path}` });
  });

  it('config.yaml may be readable by others, and may be a link', async () => {
    await using home = await newHome();
    await writeFile(join(home.path, 'real.yaml'), 'terminal: {timeout: 9}', { mode: 0o644 });
    await symlink('real.yaml', join(home.path, 'config.yaml'));
    expect((await home.load()).config.terminal.timeout).toBe(9);
  });

  it('that is a pipe, a directory or too large is refused at once', async () => {
    await using home = await newHome();
    const path = join(home.path, 'config.yaml');
    execFileSync('mkfifo', ['-m', '600', path]);
    await expect(home.load()).rejects.toMatchObject({ code: 'failed_precondition' });
    await rm(path);
    await mkdir(path, { mode: 0o700 });
    await expect(home.load()).rejects.toMatchObject({ code: 'failed_precondition' });
    await rm(path, { recursive: true });
    await writeFile(path, '');
    await truncate(path, 2 ** 40);
    await expect(home.load()).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

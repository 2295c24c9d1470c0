/** CH-14 */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkMount, placeProblem } from '../../src/plan/mounts.ts';
import { containing } from '../matchers.ts';

const rules = {
  stateDirectory: '/home/user/.caisson',
  homes: ['/root', '/home/user', '/home/other'],
  sockets: ['/srv/engine/docker.sock', '/tmp/ssh-abc/agent.1'],
};

describe('a real path of the host', () => {
  it.each([
    '/srv/project',
    '/home/user/project',
    '/home/user/.cache/x',
    '/home/other/project',
    '/opt/x',
    '/mnt/data',
    '/tmp/x',
    '/usr/src/app',
    '/var/lib/jenkins/workspace/job',
    '/etcetera',
    '/home/user/.sshfs',
    '/home/user/.local/src/app',
    '/home/user/.cargo/registry',
    '/home/user/.caisson-project',
  ])('%s may be bound', (path) => {
    expect(placeProblem(path, rules)).toBeNull();
  });

  it.each([
    ...[
      '/',
      '/etc',
      '/etc/ssl',
      '/proc',
      '/proc/1',
      '/sys',
      '/dev',
      '/dev/shm',
      '/run',
      '/run/docker.sock',
      '/usr/local',
      '/usr/local/src',
      '/home/other',
      '/home/other/.ssh',
      '/root',
      '/srv/engine',
      '/srv/engine/below',
      '/srv',
      '/tmp/ssh-abc',
      '/boot',
      '/bin',
      '/usr',
      '/usr/bin',
      '/var',
      '/var/lib',
      '/var/lib/docker/overlay2',
      '/var/run/docker.sock',
      '/lib64',
    ],
    ...[
      '/home',
      '/home/user',
      '/home/user/.ssh',
      '/home/user/.ssh/id_rsa',
      '/home/user/.aws',
      '/home/user/.config',
      '/home/user/.config/gcloud',
      '/home/user/.docker/config.json',
      '/home/user/.netrc',
    ],
    ...['.claude', '.codex/auth.json', '.cargo', '.vault-token', '.mozilla/firefox', '.local/share/keyrings'].map(
      (name) => `/home/user/${name}`,
    ),
    ...['.config/rclone', '.config/op', '.config/systemd/user', '.config/autostart', '.local/bin'].map(
      (name) => `/home/other/${name}`,
    ),
    ...['/home/user/.caisson', '/home/user/.caisson/sandboxes/docker/a'],
  ])('%s may not', (path) => {
    expect(placeProblem(path, rules)).not.toBeNull();
  });
});

describe('checkMount', () => {
  async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'caisson-mount-')));
    try {
      await work(directory);
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  const mounted = (source: string, target = '/workspace'): unknown =>
    checkMount({ source, target, readOnly: false }, rules);
  const refusal = (reason: string): unknown =>
    expect.objectContaining({ code: 'invalid_argument', message: containing(reason) });

  it('resolves a link before it judges', async () => {
    await inDirectory(async (directory) => {
      await mkdir(join(directory, 'project'));
      await symlink('project', join(directory, 'link'));
      await symlink('/etc', join(directory, 'innocent'));
      await symlink('/', join(directory, 'root'));
      expect(mounted(join(directory, 'link'), '/workspace/')).toEqual({
        source: join(directory, 'project'),
        target: '/workspace',
        readOnly: false,
      });
      expect(() => mounted(join(directory, 'innocent'))).toThrow(refusal('a system directory (/etc)'));
      expect(() => mounted(join(directory, 'innocent', 'ssl'))).toThrow(refusal('a system directory (/etc)'));
      expect(() => mounted(join(directory, 'root', 'proc'))).toThrow(refusal('/proc'));
      expect(() => mounted(join(directory, 'root'))).toThrow(refusal('the root of the host'));
    });
  });

  it('refuses a socket and what is not there', async () => {
    await inDirectory(async (directory) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(join(directory, 'engine'), resolve));
      expect(() => mounted(join(directory, 'engine'))).toThrow(refusal('neither a directory nor a regular file'));
      await new Promise((resolve) => server.close(resolve));
      expect(() => mounted(join(directory, 'absent'))).toThrow(refusal('cannot be found'));
    });
  });

  it('refuses the state directory wherever it is, what is in it and what contains it', async () => {
    await inDirectory(async (directory) => {
      const state = join(directory, 'state');
      await mkdir(join(state, 'inner'), { recursive: true });
      await mkdir(join(directory, 'statement'));
      for (const source of [state, join(state, 'inner'), directory]) {
        expect(() => checkMount({ source, target: '/w', readOnly: true }, { ...rules, stateDirectory: state })).toThrow(
          refusal('state directory'),
        );
      }
      expect(
        checkMount(
          { source: join(directory, 'statement'), target: '/w', readOnly: true },
          { ...rules, stateDirectory: state },
        ),
      ).toMatchObject({ target: '/w' });
    });
  });

  it('refuses text that could become something else', async () => {
    await inDirectory(async (directory) => {
      await writeFile(join(directory, 'a:b'), '');
      for (const source of [
        join(directory, 'a:b'),
        'relative',
        `${directory}/../etc`,
        `${directory}\0`,
        `${directory}\n`,
        '',
      ]) {
        expect(() => mounted(source)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
      }
      for (const target of ['/', 'workspace', '/proc', '/proc/self', '/dev/x', '/a/../proc', '/a:ro', '//', '/.']) {
        expect(() => mounted(directory, target)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
      }
    });
  });
});

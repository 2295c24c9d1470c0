/** Snippets about places, limits, files and variables, as documents print them, to their effect on an engine. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { btrfsHost } from '../engines/docker.ts';
import { hasSshd, startSshd } from '../engines/sshd.ts';
import { documented, printed, snippet } from './documented.ts';
import type { Home } from './home.ts';

const printedImage = 'nikolaik/python-nodejs:python3.11-nodejs20';
const btrfs = await btrfsHost();

async function hostConfig(home: Home): Promise<Readonly<Record<string, unknown>>> {
  const [id = ''] = await home.containers();
  return JSON.parse(await home.engine(['inspect', '-f', '{{json .HostConfig}}', id]));
}

describe('the snippet about a container and its limits', () => {
  it('runs on an engine that cannot limit a disk, and lists the limit as missing', async () => {
    await using home = await documented('resources.yaml');
    expect(await home.cli(['run', '-q', '--task', 'demo', '--', 'echo', 'ran'])).toMatchObject({
      code: 0,
      stdout: 'ran\n',
    });
    expect(await hostConfig(home)).toMatchObject({ NanoCpus: 1e9, Memory: 5120 * 2 ** 20, MemorySwap: 5120 * 2 ** 20 });
    const { stdout } = await home.cli(['inspect', 'demo', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ degraded: [{ control: 'diskBytes' }] });
  });

  it.skipIf(btrfs === null)('takes effect whole, image and disk too, on an engine that can limit a disk', async () => {
    await using home = await documented('resources.yaml', undefined, btrfs);
    await home.engine(['tag', 'caisson-test/busybox:latest', printedImage]);
    try {
      const asPrinted = { CAISSON_TERMINAL_DOCKER_IMAGE: '' };
      expect(await home.cli(['create', 'demo'], undefined, asPrinted)).toMatchObject({ code: 0 });
      const [id = ''] = await home.containers();
      expect(await home.engine(['inspect', '-f', '{{.Config.Image}}', id])).toBe(printedImage);
      expect(await hostConfig(home)).toMatchObject({ StorageOpt: { size: String(51_200 * 2 ** 20) } });
    } finally {
      await home.engine(['rmi', printedImage]);
    }
  });

  it('gives the container the flags that are printed for every one', async () => {
    await using home = await documented('resources.yaml');
    await home.cli(['create', 'demo']);
    const config = await hostConfig(home);
    expect(config).toMatchObject({
      CapDrop: ['ALL'],
      PidsLimit: 256,
      SecurityOpt: expect.arrayContaining(['no-new-privileges']),
    });
    expect(config['CapAdd']).toEqual(expect.arrayContaining(['DAC_OVERRIDE', 'CHOWN', 'FOWNER']));
    expect(config['CapAdd']).toHaveLength(3);
    const tmpfs = (await home.cli(['exec', 'demo', '--', 'mount'])).stdout;
    for (const [path, flags] of [
      ['/tmp', /size=524288k/],
      ['/var/tmp', /noexec.*size=262144k/],
      ['/run', /noexec.*size=65536k/],
    ] as const)
      expect(tmpfs.split('\n').find((line) => line.includes(` on ${path} `))).toMatch(flags);
  });

  it('forwards nothing: no variable of the host is in the container', async () => {
    await using home = await documented('resources.yaml');
    const caisson = await home.service({ env: { OPENAI_API_KEY: 'hidden-1', PLAIN: 'hidden-2' } });
    expect(await printed(caisson, 'env')).not.toMatch(/hidden|PLAIN|OPENAI/);
  });

  it.each([
    ['true', '/workspace/a /root/b\n'],
    ['false', ''],
  ])('container_persistent: %s decides whether files outlive the container', async (persistent, left) => {
    await using home = await documented('resources.yaml', (text) =>
      text.replace('container_persistent: true', `container_persistent: ${persistent}`),
    );
    await home.cli(['run', '-q', '--task', 'demo', '--', 'sh', '-c', 'echo 1 > /workspace/a; echo 1 > /root/b']);
    const [first = ''] = await home.containers();
    await home.engine(['rm', '-f', first]);
    const look = ['run', '-q', '--task', 'demo', '--', 'sh', '-c', 'echo /workspace/a* /root/b*'];
    const { stdout } = await home.cli(look);
    expect(stdout.replaceAll(/\S+\*/g, '').trim()).toBe(left.trim());
    expect((await home.containers())[0]).not.toBe(first);
  });
});

describe('the snippet about the working directory', () => {
  it('starts commands in /workspace, without the directory of the host', async () => {
    await using home = await documented('workspace.yaml');
    await writeFile(join(home.project, 'mine'), 'x');
    expect(await printed(await home.service(), 'pwd; ls')).toBe('/workspace\n');
  });

  it('shows that directory there when it opts in, and judges commands as on the host', async () => {
    await using home = await documented('workspace.yaml', (text) =>
      text.replace('workspace: false', 'workspace: true'),
    );
    await writeFile(join(home.project, 'mine'), 'x');
    const caisson = await home.service();
    expect(await printed(caisson, 'pwd; ls; touch made')).toBe('/workspace\nmine\n');
    expect(await readFile(join(home.project, 'made'), 'utf8')).toBe('');
    await expect(printed(caisson, 'rm -r mine')).rejects.toMatchObject({ code: 'approval_required' });
    // The home of Caisson cannot be lent to a sandbox.
    const inside = await home.service({ cwd: home.path });
    await expect(inside.run({ taskId: 'other', command: ['true'] })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});

describe('the snippets about variables and credential files', () => {
  const env = { MY_CUSTOM_KEY: 'custom-value-1', ANOTHER_TOKEN: 'token-value-22', NOT_NAMED: 'x' };

  it.each(['docker', 'local'])(
    'env_passthrough shows commands these two, and readers neither (%s)',
    async (backend) => {
      await using home = await documented('variables.yaml');
      const caisson = await home.service({ env });
      const lengths = 'echo ${#MY_CUSTOM_KEY} ${#ANOTHER_TOKEN} ${#NOT_NAMED}';
      expect(await printed(caisson, lengths, { backend })).toBe('14 14 0\n');
      expect(await printed(caisson, 'echo $ANOTHER_TOKEN', { backend })).toMatch(/^\[REDACTED:.*\]\n$/);
    },
  );

  it('a skill passes on the variables that it requires and that are set, for its task', async () => {
    await using home = await documented('variables.yaml');
    const skill = join(home.path, 'skills/gifs');
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, 'SKILL.md'), await snippet('skill.md'));
    const caisson = await home.service({ env: { TENOR_API_KEY: 'tenor-value-1' } });
    const look = 'echo ${#TENOR_API_KEY} ${TENOR_REGION-unset}';
    expect(await printed(caisson, look, { backend: 'docker', skills: [skill] })).toBe('13 unset\n');
    expect(await printed(caisson, look, { backend: 'docker', skills: ['gifs'] })).toBe('13 unset\n');
    const other = await caisson.run({ taskId: 'other', backend: 'docker', command: ['sh', '-c', look] });
    expect(other.stdout.text).toBe('0 unset\n');
  });

  it.each([
    ['', '/root/.caisson'],
    ['  credential_directory: /root/.hermes\n', '/root/.hermes'],
  ])('credential files are read-only in the container, and one that is absent is no error: %j', async (more, path) => {
    await using home = await documented('credentials.yaml', (text) => text + more);
    await writeFile(join(home.path, 'google_token.json'), '{"refresh_token": "r-1"}', { mode: 0o600 });
    const caisson = await home.service();
    const look = `ls ${path}; wc -c < ${path}/google_token.json; echo x > ${path}/google_token.json || echo refused`;
    expect(await printed(caisson, look, { backend: 'docker' })).toMatch(/^google_token\.json\n24\nrefused\n/);
    await writeFile(join(home.path, 'google_token.json'), 'renewed', { mode: 0o600 });
    expect(await printed(caisson, `wc -c < ${path}/google_token.json`, { backend: 'docker' })).toBe('7\n');
  });
});

describe('the snippet about a remote machine', () => {
  it.skipIf(!hasSshd())('runs commands there, once its key is known', async () => {
    await using home = await documented('ssh.yaml');
    const sshd = await startSshd();
    try {
      // The names of the snippet lead to the sshd of this test; its account is that of the tests.
      const alias = `Host agent-worker.local\n  HostName 127.0.0.1\n  Port ${sshd.port}\n`;
      await writeFile(join(sshd.home, '.ssh/config'), alias, { mode: 0o600 });
      await writeFile(join(sshd.home, '.ssh/hermes_agent_key'), await readFile(sshd.settings.key), { mode: 0o600 });
      const more = { HOME: sshd.home, CAISSON_TERMINAL_SSH_USER: process.env['USER'] ?? 'root' };
      sshd.know('');
      const run = async () => await home.cli(['run', '-q', '--', 'sh', '-c', 'pwd'], '', more);
      expect(await run()).toMatchObject({ code: 125, stderr: expect.stringContaining('doctor ssh --trust') });
      sshd.know(`[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`);
      expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining(sshd.home) });
    } finally {
      await sshd.stop();
    }
  });
});

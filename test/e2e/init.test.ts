import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startApptainer, whyNoApptainer } from '../engines/apptainer.ts';
import { finished } from '../cli/process.ts';
import { busybox, cli, makeHome } from './home.ts';

const home = await makeHome();
afterAll(async () => await home[Symbol.asyncDispose]());

/** A new state directory for each call, and no image by the environment. */
async function onNew(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string; readonly path: string }> {
  const path = join(await mkdtemp(join(tmpdir(), 'caisson-init-')), 'state');
  const { CAISSON_TERMINAL_DOCKER_IMAGE: _image, ...plain } = home.env;
  const { exitCode, stdout, stderr } = await finished(process.execPath, [cli, ...args], {
    ...plain,
    CAISSON_HOME: path,
    ...env,
  });
  return { code: exitCode, stdout, stderr, path };
}

describe('caisson init', () => {
  it('names the engine and an image that is there, and the file is used', async () => {
    const { code, stdout, path } = await onNew(['init', '-q']);
    expect([code, stdout]).toEqual([0, '']);
    const text = await readFile(join(path, 'config.yaml'), 'utf8');
    expect(text).toMatch(/^ {2}backend: docker$/m);
    // Other tests have images of other names at the same time.
    expect(text).toMatch(/^ {2}docker_image: \S+:\w+$/m);
    // The storage driver of the test engine has no quota.
    expect(text).toMatch(/^ {2}# This place has no such limit: .*overlay2.*\n {2}container_disk: null$/m);
    expect((await stat(join(path, 'config.yaml'))).mode & 0o777).toBe(0o600);
    const env = { CAISSON_HOME: path };
    expect(await home.cli(['config', 'check', '-q'], '', env)).toMatchObject({ code: 0, stderr: '' });
    expect(await home.cli(['run', '-q', '--image', busybox, '--', 'echo', 'up'], '', env)).toMatchObject({
      code: 0,
      stdout: 'up\n',
    });
    const again = await home.cli(['init'], '', env);
    expect([again.code, again.stderr]).toEqual([125, expect.stringContaining('is there already')]);
    expect(await readFile(join(path, 'config.yaml'), 'utf8')).toBe(text);
    await rm(path, { recursive: true });
  });

  it('fails where no engine answers, and never chooses this machine by itself', async () => {
    const { code, stderr, path } = await onNew(['init'], { DOCKER_HOST: 'unix:///nowhere/docker.sock', PATH: '/bin' });
    expect([code, stderr]).toEqual([125, expect.stringContaining('no usable backend was found')]);
    expect(await readdir(path)).not.toContain('config.yaml');
    const local = await onNew(['init', '--backend', 'local', '-o', 'json']);
    expect(JSON.parse(local.stdout)).toEqual({
      file: join(local.path, 'config.yaml'),
      backend: 'local',
      image: null,
    });
    const printed = await onNew(['init', '--backend', 'local', '--print']);
    expect(printed.stdout).toContain('  backend: local\n');
    expect(await readdir(printed.path)).not.toContain('config.yaml');
  });

  it.runIf(whyNoApptainer() === null)('finds Apptainer where Docker is absent', async () => {
    const apptainer = await startApptainer();
    const path = `${dirname(apptainer.program)}:${home.env['PATH'] ?? ''}`;
    const found = await onNew(['init', '-o', 'json'], { PATH: path, DOCKER_HOST: 'unix:///nowhere/d.sock' });
    expect(found).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(found.stdout)).toMatchObject({ backend: 'singularity' });
    apptainer.remove();
  });
});

it('doctor and inspect show a disk that cannot be limited, and creating a sandbox does not', async () => {
  const env = { CAISSON_TERMINAL_DOCKER_IMAGE: busybox };
  const made = await home.cli(['run', '--task', 'plain', '--', 'true'], '', env);
  expect(made.stderr).not.toContain('missing here');
  expect((await home.cli(['doctor', 'docker'], '', env)).stdout).toMatch(/^ {2}not enforced: a disk limit of .*: .+$/m);
  const { stdout } = await home.cli(['inspect', 'plain', '-o', 'json'], '', env);
  expect(JSON.parse(stdout).degraded).toEqual([expect.objectContaining({ control: 'diskBytes', asked: false })]);
  const asked = await home.cli(['create', 'wanted', '--disk', '100m', '--allow-degraded'], '', env);
  expect(asked.stderr).toContain('missing here: a disk limit of 100 MB');
  for (const task of ['plain', 'wanted']) await home.cli(['rm', task], '', env);
});

describe('without a state directory', () => {
  it.each([
    ['config', 'show'],
    ['config', 'check'],
    ['config', 'schema'],
    ['policy', 'check', '--backend', 'local', 'ls'],
    ['net', 'check', '--dns', '93.184.216.34', 'https://example.com/'],
    ['version'],
    ['completion', 'bash'],
  ])('%s %s makes none', async (...args) => {
    const { code, path } = await onNew(args);
    expect(code).toBe(0);
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

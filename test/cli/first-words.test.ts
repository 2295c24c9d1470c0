import { describe, expect, it } from 'vitest';
import { type InitialConfig, initialConfig } from '../../src/cli/initial.ts';
import { cli } from './cli.ts';

const found: InitialConfig = {
  backend: 'docker',
  summary: 'an engine',
  host: null,
  image: 'caisson/base',
  others: [],
  imageKey: 'docker_image',
  noDisk: null,
};
const textOf = (more: Partial<InitialConfig>): string => initialConfig({ ...found, ...more }, () => 1);

describe('a place that cannot limit the disk of a sandbox', () => {
  it('has that in its first configuration, with the reason', () => {
    expect(textOf({ noDisk: 'overlay2 on ext4\nhas no quota' })).toContain(
      '\n  # This place has no such limit: overlay2 on ext4 has no quota\n  container_disk: null\n',
    );
    expect(textOf({})).toMatch(/\n {2}# container_disk: 1\n/);
  });

  it('is shown by doctor, and is in its JSON', async () => {
    const { stdout } = await cli(['doctor', 'docker']);
    expect(stdout).toMatch(/^ {2}not enforced: a disk limit of 1 KB .*: overlay2 on ext4 has no quota/m);
    expect(stdout).not.toContain('\u001b');
    const [docker] = JSON.parse((await cli(['doctor', 'docker', '-o', 'json'])).stdout);
    expect(docker.degraded).toMatchObject([{ control: 'diskBytes', asked: false }]);
  });
});

it('the engine of DOCKER_HOST is kept in the first configuration, where the variable is set', () => {
  expect(textOf({ host: 'unix:///run/a b.sock' })).toContain('\n  docker_host: "unix:///run/a b.sock"\n');
  expect(textOf({})).not.toContain('docker_host');
});

describe('a program that is not there', () => {
  it('is named once: in the output of the command, and not again as a note', async () => {
    const notes = ['the program nosuch was not found', 'something else'];
    const { stderr } = await cli(['exec', 'build', '--', 'sh', '-c', 'exit 127'], {
      sandboxes: [{ taskId: 'build', createdAt: '2026-01-01T00:00:00Z' }],
      exit: { exitCode: 127, notes },
    });
    expect(stderr).toBe('caisson: something else\n');
  });
});

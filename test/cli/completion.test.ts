import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { backends } from '../../backends/index.ts';
import { candidatesFor } from '../../src/cli/completion/candidates.ts';
import { findCommand } from '../engines/privileges.ts';
import { cli } from './cli.ts';
import { onDouble, scratch } from './process.ts';

const names = { tasks: () => Promise.resolve(['build', 'build-2', 'test']) };
const words = async (before: readonly string[], last: string) =>
  (await candidatesFor(before, last, names)).map(({ word }) => word);

describe('candidates', () => {
  it.each<[readonly string[], string, readonly string[]]>([
    [[], 'ru', ['run']],
    [[], 'con', ['config']],
    [['config'], 's', ['show', 'set', 'schema']],
    [['exec'], 'bui', ['build', 'build-2']],
    [['rm', 'build'], 'b', ['build-2']],
    [['run', '--task'], 't', ['test']],
    [['run', '--network'], '', ['open', 'observe', 'filtered', 'none']],
    [['run'], '--me', ['--memory']],
    [['ls'], '--fi', ['--filter']],
    [['ls', '-o'], '', ['table', 'json']],
    [['ls', '--filter'], 'st', ['state=']],
    [['exec', 'build', '--'], 'l', []],
    [['nonsense'], '', []],
    [['completion'], 'b', ['bash']],
  ])('after %j of %j', async (before, last, expected) => expect(await words(before, last)).toEqual(expected));

  it('are the backends that there are', async () =>
    expect((await words(['run', '--backend'], '')).toSorted()).toEqual(Object.keys(backends).toSorted()));
});

/** A shell with a `caisson` on its PATH that knows the tasks of the double. */
async function shellIn(path: string): Promise<NodeJS.ProcessEnv> {
  const program = join(path, 'caisson');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${onDouble}' "$@"\n`);
  await chmod(program, 0o755);
  return { PATH: `${path}:${process.env['PATH'] ?? ''}`, HOME: path };
}

async function inShell(shell: string, text: string): Promise<string> {
  await using at = await scratch();
  const flags = shell === 'bash' ? ['--norc', '-c'] : shell === 'zsh' ? ['-f', '-c'] : ['--no-config', '-c'];
  const { stdout } = await promisify(execFile)(shell, [...flags, text], { env: await shellIn(at.path) });
  return stdout;
}

describe('the scripts', () => {
  it('are printed whole, and refuse other shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await cli(['completion', shell])).stdout).toContain('caisson completion words');
    expect((await cli(['completion', 'tcsh'])).exitCode).toBe(2);
  });

  it('completes in bash', async () => {
    const text = `source <(caisson completion bash); COMP_WORDS=(caisson exec bui); COMP_CWORD=2; _caisson; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(await inShell('bash', text)).toBe('build\n');
  });

  it.skipIf(findCommand('zsh') === null)('completes in zsh', async () => {
    const text = `autoload -Uz compinit; compinit -u; source <(caisson completion zsh)
      _describe() { print -l -- "\${(@P)2}" }; words=(caisson exec bui); CURRENT=3; _caisson`;
    expect(await inShell('zsh', text)).toBe('build:task\n');
  });

  it.skipIf(findCommand('fish') === null)('completes in fish', async () => {
    expect(await inShell('fish', 'caisson completion fish | source; complete -C "caisson exec bui"')).toBe(
      'build\ttask\n',
    );
  });
});

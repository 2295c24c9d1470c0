import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { findCommand } from '../../src/cli/lookup.ts';
import { parse } from '../../src/cli/parse.ts';
import { cli } from './cli.ts';

const names = Object.keys(commands);

describe('help', () => {
  it('lists every command of the table at the top, with its summary, and no other', async () => {
    const text = readFileSync(new URL('../../bin/help.txt', import.meta.url), 'utf8');
    const listed = [...(text.split('\nExamples:')[0]?.matchAll(/^ {2}([a-z]+(?: [a-z-]+)?) {2,}(.+)$/gm) ?? [])].map(
      ([, name = '', summary]) => [name, summary] as const,
    );
    const known = await Promise.all(
      Object.entries(commands).map(async ([name, load]) => [name, (await load()).summary] as const),
    );
    expect(new Map(listed)).toEqual(new Map(known));
    expect(listed.length).toBe(known.length);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it.each(names)(
    'of %s takes no secret as an argument: only files, stdin and the environment hold one (API-21)',
    async (name) => {
      const { options, operands } = (await commands[name]?.()) ?? expect.unreachable();
      const named = [...Object.keys(options), ...operands.map((operand) => operand.name)];
      expect(named.filter((each) => /secret|password|token|credential|api-?key/i.test(each))).toEqual([]);
    },
  );

  it.each(names)('of %s shows its usage, options and examples', async (name) => {
    const { exitCode, stdout, stderr } = await cli([...name.split(' '), '--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: caisson ${name}`);
    expect(stdout).toMatch(/Examples:\n {2}# /);
    expect(stdout).toContain('--home DIR');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(104);
  });

  it.each(names)('of %s has examples that parse', async (name) => {
    const command = await commands[name]?.();
    expect(command?.name).toBe(name);
    for (const [, line] of command?.examples ?? []) {
      const found = await findCommand(wordsOf(line));
      if (found.kind !== 'command') throw new Error(`${line} is no command`);
      parse(found.command, found.args);
    }
  });

  it('of a group lists its commands', async () => {
    const { stdout, exitCode } = await cli(['config', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('config schema  Print the JSON Schema');
  });

  it('comes by the word help too', async () => {
    expect((await cli(['help', 'image', 'build'])).stdout).toBe((await cli(['image', 'build', '-h'])).stdout);
  });

  it('says how a command is to be called when an argument is missing', async () => {
    const { exitCode, stderr } = await cli(['inspect']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'caisson: caisson inspect needs TASK (invalid_argument)\n  usage: caisson inspect [options] TASK\n  try: caisson inspect --help\n',
    );
  });
});

/** The words of a line as a shell would split it, up to the first pipe or redirection. */
function wordsOf(line: string): string[] {
  const [own = ''] = line.split(/ [|<>] /);
  return [...own.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

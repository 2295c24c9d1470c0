import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineCommand } from '../../src/cli/command.ts';
import { cp } from '../../src/cli/commands/cp.ts';
import { exec } from '../../src/cli/commands/exec.ts';
import { ls } from '../../src/cli/commands/ls.ts';
import { ps } from '../../src/cli/commands/ps.ts';
import { rm } from '../../src/cli/commands/rm.ts';
import { run } from '../../src/cli/commands/run.ts';
import { stop } from '../../src/cli/commands/stop.ts';
import { create } from '../../src/cli/commands/create.ts';
import { parse } from '../../src/cli/parse.ts';
import { UsageError } from '../../src/cli/usage.ts';
import { CaissonError } from '../../src/errors.ts';

describe('a command line', () => {
  it('keeps everything after -- for the command, options and further -- too', () => {
    const given = parse(run, ['--task', 'build', '--', 'grep', '--', '-x', '--help']);
    expect(given.command).toEqual(['grep', '--', '-x', '--help']);
    expect(given.text('task')).toBe('build');
    expect(given.flag('help')).toBe(false);
  });

  it('takes values apart from options, joined, and behind short names', () => {
    for (const form of [['--task', 'x'], ['--task=x']]) expect(parse(run, [...form, '--', 'a']).text('task')).toBe('x');
    for (const form of [['-w', '/x'], ['-w/x']]) expect(parse(run, [...form, '--', 'a']).text('cwd')).toBe('/x');
  });

  it.each([['-it'], ['-ti'], ['-i', '-t'], ['--interactive', '--tty']])('takes %s as Docker does', (...form) => {
    const given = parse(run, [...form, '--', 'sh']);
    expect([given.flag('interactive'), given.flag('tty'), given.text('task')]).toEqual([true, true, undefined]);
  });

  it.each([
    ['-v', '/a:/b', 'caisson cp'],
    ['--volume', '/a:/b', 'terminal.docker_mount_cwd_to_workspace'],
    ['--mount', 'type=bind', 'caisson cp'],
    ['-p', '80:80', 'no port'],
    ['--name', 'x', '--task'],
    ['-d', '', '--detach'],
    ['-m', '1g', 'did you mean --memory?'],
    ['--workdir', '/x', 'did you mean --cwd?'],
    ['--entrypoint', 'sh', 'entry point'],
    ['--privileged', '', 'never privileged'],
  ])('names the counterpart of %s of docker', (option, value, counterpart) => {
    const argv = [option, ...(value === '' ? [] : [value]), '--', 'a'];
    expect(thrownError(() => parse(run, argv)).remedy).toContain(counterpart);
  });

  it('names the commands that take a user, where a sandbox is made or opened', () => {
    expect(parse(exec, ['-u', '1000', 'build', '--', 'id']).text('user')).toBe('1000');
    expect(thrownError(() => parse(create, ['-u', '1000'])).remedy).toContain('caisson exec have --user');
  });

  it('says that ls lists all, and that rm removes what runs', () => {
    expect(thrownError(() => parse(ls, ['-a'])).remedy).toContain('all are listed');
    expect(thrownError(() => parse(ps, ['-a'])).remedy).toContain('caisson ls');
    expect(thrownError(() => parse(rm, ['-f', 'build'])).remedy).toContain('a running sandbox is removed too');
    expect(thrownError(() => parse(exec, ['--rm', 'build', '--', 'a'])).remedy).toContain('caisson run');
  });

  it('suggests -- with the options that were typed, and an image where one may be meant', () => {
    const remedyOf = (...argv: readonly string[]) => thrownError(() => parse(run, argv)).remedy;
    expect(remedyOf('--image', 'busybox', '--memory', '64m', 'echo', 'hi you')).toBe(
      "caisson run --image busybox --memory 64m -- echo 'hi you'",
    );
    expect(remedyOf('-it', 'busybox', 'sh', '-x')).toBe(
      'caisson run -it -- busybox sh -x; where busybox is an image: caisson run -it --image busybox -- sh -x',
    );
    expect(thrownError(() => parse(exec, ['-it', 'hog', 'sh'])).remedy).toBe('caisson exec -it hog -- sh');
    expect(thrownError(() => parse(run, ['-t', 'build', '--', 'a'])).remedy).toBe(
      'did you mean --task build, or --image build?',
    );
    expect(() => parse(create, ['-t', 'build'])).toThrow(expect.objectContaining({ remedy: 'did you mean --task?' }));
  });

  it('takes lists as often as they are given, with values that hold =', () => {
    expect(parse(run, ['-e', 'A=1', '-e', 'B=x=y', '--', 'a']).list('env')).toEqual(['A=1', 'B=x=y']);
  });

  it('takes everything after -- as arguments where no command is run', () => {
    expect(parse(stop, ['--', '-odd']).operands).toEqual(['-odd']);
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown option', ['--memroy', '1', '--', 'a'], /unknown option --memroy/],
    ['an option of the command before --', ['-x', '--', 'a'], /stand after --/],
    ['a name of every object', ['--constructor', '--', 'a'], /unknown option --constructor/],
    ['a value that is not there', ['--task'], /--task needs a value/],
    ['an option in the place of a value', ['--memory', '--cpu', '1', '--', 'a'], /--memory needs a value/],
    ['a value for a flag', ['--rm=yes', '--', 'a'], /--rm takes no value/],
    ['a command without --', ['echo', 'hi'], /stands after --/],
    ['no command', ['--task', 'x'], /needs a command after --/],
    ['nothing after --', ['--'], /needs a command after --/],
  ])('is not understood with %s', (_what, argv, message) => {
    const error = thrownError(() => parse(run, argv));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(message);
  });

  it.each<[string, string[], RegExp]>([
    ['an option given twice', ['--memory', '1', '--memory=2', '--', 'a'], /--memory is given twice/],
    ['a flag given twice', ['--rm', '--rm', '--', 'a'], /--rm is given twice/],
    ['an empty value', ['--memory=', '--', 'a'], /--memory is empty/],
    ['an empty command', ['--', ''], /is empty/],
  ])('cannot be meant with %s', (_what, argv, message) => {
    const error = thrownError(() => parse(run, argv));
    expect(error).not.toBeInstanceOf(UsageError);
    expect(error.code).toBe('invalid_argument');
    expect(error.message).toMatch(message);
  });

  it('says how a surplus word is meant', () => {
    expect(thrownError(() => parse(exec, ['build', 'ls', '/'])).remedy).toBe('caisson exec build -- ls /');
    expect(thrownError(() => parse(cp, ['a'])).message).toBe('caisson cp needs TARGET');
    expect(thrownError(() => parse(cp, ['a', 'b', 'c'])).message).toBe('too many arguments: c');
  });

  it('passes an odd value only when it is joined to its option', () => {
    expect(thrownError(() => parse(run, ['--task', '-x', '--', 'a'])).remedy).toContain('--task=-x');
    expect(parse(run, ['--task=-x', '--', 'a']).text('task')).toBe('-x');
  });

  it('either gives values or a CaissonError, whatever the words', () => {
    const words = fc.array(
      fc.oneof(fc.string(), fc.constantFrom('--', '-', '--task', '-e', '--rm', '-it', '--memory=', '-t=')),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(words, (argv) => {
        try {
          expect(parse(run, argv).command.length).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(error).toBeInstanceOf(CaissonError);
        }
      }),
    );
  });

  it('takes options and operands of any definition, and the common options beside them', () => {
    const odd = defineCommand({
      name: 'odd',
      summary: 'x',
      operands: [
        { name: 'A', count: 'one' },
        { name: 'B', count: 'any' },
      ],
      runs: false,
      exitsAsCommand: false,
      options: { some: { type: 'list', short: 's', about: 'x' } },
      examples: [],
      run: () => Promise.resolve(0),
    });
    const given = parse(odd, ['-s1', 'a', '--some', '2', 'b', '-qh']);
    expect([given.list('some'), given.operands, given.flag('quiet'), given.flag('help')]).toEqual([
      ['1', '2'],
      ['a', 'b'],
      true,
      true,
    ]);
  });
});

function thrownError(act: () => unknown): CaissonError {
  try {
    act();
  } catch (error) {
    if (error instanceof CaissonError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

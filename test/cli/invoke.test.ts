import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { causes } from '../../src/cli/report.ts';
import { CaissonError, codes } from '../../src/errors.ts';
import { cli } from './cli.ts';
import { config } from './double-data.ts';
import { Double } from './double.ts';

const allCodes = typedKeys(codes);
const sandboxes = [{ taskId: 'build' }, { taskId: 'test' }];

describe('a failure', () => {
  it.each<[string[], string]>([
    [['rnu'], 'did you mean caisson run?'],
    [['list'], 'did you mean caisson ls?'],
    [['images'], 'did you mean caisson image ls?'],
    [['config', 'shwo'], 'did you mean config show?'],
    [['config'], 'caisson config --help'],
    [['image', 'remove'], 'one of: ls, build'],
    [[], 'caisson --help lists them'],
    [['constructor'], 'caisson --help lists all commands'],
    [['--hmoe', '/x', 'ls'], 'caisson --help'],
    [['ls', '--jsno'], 'did you mean --json?'],
  ])('to understand %j exits with 2 and a suggestion', async (argv, remedy) => {
    const { exitCode, stderr, stdout } = await cli(argv);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`\n  try: ${remedy}\n`);
  });

  it('of a value exits with 2 before anything is asked of the service', async () => {
    for (const argv of [
      ['--memory', '0'],
      ['--cpu', '0'],
      ['--network', 'half'],
      ['--timeout', 'soon'],
      ['-o', 'yaml'],
      ['-e', '1X=2'],
    ]) {
      const { exitCode, stderr, double } = await cli(['run', ...argv, '--', 'true']);
      expect([exitCode, double.requests]).toEqual([2, []]);
      expect(stderr).toContain('(invalid_argument)');
    }
  });

  it.each(allCodes)('with code %s exits as the table of codes says', async (code) => {
    const { exitCode, stderr } = await cli(['ls'], {
      open: () => Promise.reject(new CaissonError(code, 'it broke', { remedy: 'mend it' })),
    });
    expect(exitCode).toBe(codes[code].exitCode);
    expect(stderr).toBe(`caisson: it broke (${code})\n  try: mend it\n`);
  });

  it('is shown without what could act on a terminal (OH-11)', async () => {
    const { stderr } = await cli(['ls'], {
      open: () => Promise.reject(new CaissonError('internal', 'a\u001b]0;x\u0007\nb\u202e', { remedy: '\u009b2J' })),
    });
    expect(stderr).toBe('caisson: a\\x1b]0;x\\x07\n  b\\u{202e} (internal)\n  try: \\x9b2J\n');
  });

  it('is JSON on stderr when JSON is asked for, also when the words do not parse', async () => {
    const failed = await cli(['ls', '-o', 'json'], {
      open: () => Promise.reject(new CaissonError('unavailable', 'no engine', { details: { host: 'h' } })),
    });
    expect([failed.stdout, JSON.parse(failed.stderr)]).toEqual([
      '',
      { error: { code: 'unavailable', message: 'no engine', retryable: true, remedy: null, details: { host: 'h' } } },
    ]);
    expect(JSON.parse((await cli(['ls', '--json', '--nope'])).stderr)).toMatchObject({
      error: { code: 'invalid_argument' },
    });
    expect((await cli(['run', '--nope', '--', '--json'])).stderr).toContain('unknown option');
  });

  it('tells its causes with CAISSON_DEBUG=1, but not the words of third parties (EN-09)', async () => {
    const cause = new CaissonError('unavailable', 'ours', {
      cause: Object.assign(new Error('token=hunter2'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    });
    const open = () => Promise.reject(new CaissonError('unavailable', 'no engine', { cause }));
    const { stderr } = await cli(['ls'], { env: { CAISSON_DEBUG: '1' }, open });
    expect(stderr).toContain('  cause: unavailable: ours\n');
    expect(stderr).toContain('cause: Error code=ECONNREFUSED syscall=connect');
    expect(stderr).not.toContain('hunter2');
    expect((await cli(['ls'], { open })).stderr).not.toContain('cause');
  });

  it('with a chain that goes round ends', () => {
    const round = new Error('x');
    round.cause = round;
    expect(causes(round).length).toBe(10);
  });

  it('to load the configuration is what config check prints', async () => {
    const open = () =>
      Promise.reject(
        new CaissonError('invalid_argument', 'config.yaml line 3: unknown key terminal.bakend', {
          remedy: 'did you mean terminal.backend?',
        }),
      );
    const { exitCode, stderr } = await cli(['config', 'check'], { open });
    expect([exitCode, stderr]).toEqual([
      125,
      'caisson: config.yaml line 3: unknown key terminal.bakend (invalid_argument)\n  try: did you mean terminal.backend?\n',
    ]);
  });
});

describe('commands', () => {
  it('give the service back, and the signals too', async () => {
    const { double, listeners } = await cli(['ls']);
    expect([double.calls, listeners]).toEqual([['close'], []]);
  });

  it('take the options that hold everywhere before their name too', async () => {
    const homes: (string | undefined)[] = [];
    for (const argv of [
      ['--home', '/x', '-q', 'config', 'check'],
      ['config', 'check', '-q', '--home=/x'],
      ['--home=/x', 'config', 'check', '-q'],
    ]) {
      const { exitCode, stdout } = await cli(argv, {
        open: async ({ home }) => {
          homes.push(home);
          return (await cli([])).double;
        },
      });
      expect([exitCode, stdout]).toEqual([0, '']);
    }
    expect(homes).toEqual(['/x', '/x', '/x']);
  });

  it('create tells the id and how it came, and what is missing', async () => {
    const { stdout, stderr, double } = await cli([
      'create',
      'new',
      '--memory',
      '2g',
      '--cpu',
      '0.5',
      '--disk',
      '10g',
      '--network',
      'none',
      '--image',
      'i',
      '--backend',
      'docker',
      '--recreate',
      '--allow-degraded',
      '-w',
      '/w',
    ]);
    expect([stdout, stderr]).toEqual([
      'sbx_new0000000000000 created\n',
      'caisson: missing here: a disk limit of 1 KB (terminal.container_disk: null asks for none): overlay2 on ext4 has no quota\n',
    ]);
    expect(double.requests[0]).toEqual({
      taskId: 'new',
      backend: 'docker',
      image: 'i',
      limits: { cpuCores: 0.5, memoryBytes: 2 * 1024 ** 3, diskBytes: 10 * 1024 ** 3 },
      network: 'none',
      cwd: '/w',
      allowDegraded: true,
      recreate: true,
      command: [''],
    });
    expect((await cli(['create', 'build'], { sandboxes })).stdout).toBe('sbx_build00000000000 found\n');
    expect((await cli(['create', '--task', 'build', '-q'], { sandboxes })).stdout).toBe('sbx_build00000000000\n');
    expect((await cli(['create', 'a', '--task', 'b'])).exitCode).toBe(2);
    expect((await cli(['create'])).exitCode).toBe(2);
  });

  it.each([
    ['run', '--task', 'build'],
    ['exec', 'build'],
  ])('%s %s passes the id on that a caller chose, so that a retry runs nothing twice', async (...words) => {
    const { exitCode, double } = await cli([...words, '--exec-id', 'exec_nightly-1', '--', 'true'], { sandboxes });
    expect([exitCode, double.requests.at(-1)?.execId]).toEqual([0, 'exec_nightly-1']);
    expect((await cli([...words, '--', 'true'], { sandboxes })).double.requests.at(-1)).not.toHaveProperty('execId');
  });

  it('rm goes on after a failure and exits with its code', async () => {
    const { exitCode, stdout, stderr, double } = await cli(['rm', 'build', 'gone', 'test', '--keep-files'], {
      sandboxes,
    });
    expect([exitCode, stdout]).toEqual([125, 'build\ntest\n']);
    expect(stderr).toContain('caisson: there is no sandbox gone (not_found)\n');
    expect(double.calls).toEqual(['remove build keeping files', 'remove test keeping files', 'close']);
    expect((await cli(['rm', '--all', '--json'], { sandboxes })).stdout).toBe('["build","test"]\n');
    expect((await cli(['rm', '--all', 'build'], { sandboxes })).exitCode).toBe(2);
    expect((await cli(['rm'])).exitCode).toBe(2);
    expect((await cli(['stop', '--all'], { sandboxes })).double.calls).toEqual(['stop build', 'stop test', 'close']);
    expect((await cli(['start', 'build'], { sandboxes })).stdout).toBe('sbx_build00000000000 started\n');
  });

  it.each<[string[], string]>([
    [['a', 'build:/w'], 'in /here/a build /w'],
    [['./x:y', 'build:/w'], 'in /here/x:y build /w'],
    [['/etc/hosts', 'build:rel'], 'in /etc/hosts build rel'],
    [['build:/w/f', 'out/'], 'out build /w/f /here/out/'],
    [['build:/w/a:b', '.'], 'out build /w/a:b /here'],
  ])('cp %j asks for the right direction', async (argv, call) => {
    const { exitCode, double } = await cli(['cp', ...argv]);
    expect([exitCode, double.calls[0]]).toEqual([0, call]);
  });

  it.each([
    ['build:/f', '-'],
    ['-', 'build:/f'],
  ])('cp %s %s is refused: it would make a file of that name', async (...sides) => {
    const { exitCode, stderr, double } = await cli(['cp', ...sides]);
    expect([exitCode, double.calls]).toEqual([2, []]);
    expect(stderr).toContain('caisson exec TASK -- cat PATH');
  });

  it('cp tells what was left out, and refuses anything but one side in a sandbox', async () => {
    expect((await cli(['cp', 'a', 'build:/w'])).stderr).toBe(
      'caisson: copied 2 files, 1 directory, 2.9 KB\ncaisson: left out a\\x1b[2Jb: a symbolic link\n',
    );
    expect((await cli(['cp', 'a', 'b'])).exitCode).toBe(2);
    expect((await cli(['cp', 'a:/x', 'b:/y'])).exitCode).toBe(2);
    expect((await cli(['cp', 'a', 'build:'])).exitCode).toBe(2);
  });

  it('image build takes the only recipe, or a name and a method', async () => {
    expect((await cli(['image', 'build'])).stdout).toBe('caisson/sandbox:1 sha256:default\n');
    expect((await cli(['image', 'build', 'web', '--method', 'packages'])).stdout).toBe(
      'caisson/web:1 sha256:packages\n',
    );
    expect((await cli(['image', 'build', '--method', 'magic'])).exitCode).toBe(2);
    expect(JSON.parse((await cli(['config', 'schema'])).stdout)).toEqual({ type: 'object' });
  });
});

describe('notices of the configuration', () => {
  const open = () =>
    Promise.resolve(Object.assign(new Double(), { config: { ...config, notices: ['the store was repaired\u001b'] } }));

  it('are reported once, escaped, and not to programs', async () => {
    expect((await cli(['ps'], { open })).stderr).toBe('caisson: the store was repaired\\x1b\n');
    expect((await cli(['ps', '-q'], { open })).stderr).toBe('');
    expect((await cli(['ps', '--json'], { open })).stderr).toBe('');
    expect(JSON.parse((await cli(['config', 'check', '--json'], { open })).stdout)).toMatchObject({
      ok: true,
      notices: ['the store was repaired\u001b'],
    });
  });
});

describe('variables', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'caisson-env-'));
    await writeFile(join(directory, 'good'), '# a comment\n\nA=1\nB=from file\nTOKEN\r\n');
    await writeFile(join(directory, 'bad'), 'A=1\nhunter2 is my password\n');
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('come from files, then options, then our own environment by name', async () => {
    const { double } = await cli(
      ['run', '--env-file', join(directory, 'good'), '-e', 'B=2=2', '-e', 'EMPTY=', '--', 'true'],
      { env: { TOKEN: 'secret' } },
    );
    expect(double.requests.at(-1)?.env).toEqual({ A: '1', B: '2=2', TOKEN: 'secret', EMPTY: '' });
  });

  it('are refused without telling what was written (EN-09)', async () => {
    for (const argv of [
      ['--env-file', join(directory, 'bad')],
      ['-e', 'hunter2 x=1'],
      ['-e', '=hunter2'],
    ]) {
      const { exitCode, stderr } = await cli(['run', ...argv, '--', 'true']);
      expect(exitCode).toBe(2);
      expect(stderr).not.toContain('hunter2');
    }
    expect((await cli(['run', '--env-file', join(directory, 'bad'), '--', 'true'])).stderr).toContain('bad line 2');
    expect((await cli(['run', '-e', 'UNSET_HERE', '--', 'true'])).stderr).toContain('UNSET_HERE is not set here');
    expect((await cli(['run', '--env-file', '/nowhere', '--', 'true'])).exitCode).toBe(125);
  });
});

function typedKeys<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  const keys: Key[] = [];
  for (const key in record) keys.push(key);
  return keys;
}

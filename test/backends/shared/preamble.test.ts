/** The text that starts a command, under the shells that may be /bin/sh on a host. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandLine, type Launch, preamble, shellLine } from '../../../backends/shared/preamble.ts';

const directory = mkdtempSync(join(tmpdir(), 'caisson-preamble-'));
afterAll(() => rmSync(directory, { recursive: true }));
const guardFile = join(directory, 'guard');
const nonce = 'a1b2c3d4';

function launch(changes: Partial<Launch> = {}): Launch {
  return { command: ['true'], cwd: '/', env: {}, stdin: false, guard: null, terminal: null, ...changes };
}

const shells = [
  { name: 'sh', argv: ['sh'] },
  { name: 'bash', argv: ['bash', '--posix'] },
  { name: 'busybox', argv: ['busybox', 'sh'] },
].filter(({ argv }) => spawnSync(argv[0] ?? '', [...argv.slice(1), '-c', ':']).status === 0);

describe.each(shells)('the preamble in $name', ({ argv: [shell = '', ...options] }) => {
  /** Through a pipe, as from sshd: with a socket for its stdin, bash would read ~/.bashrc first. */
  const start = (what: Launch, input = preamble(what, nonce), more = ':') => {
    const line = shellLine(what, preamble(what, nonce)).replace('/bin/sh', [shell, ...options].join(' '));
    const args = ['-c', `{ cat "$0"; ${more}; } | "$@"`, write('text', input), shell, ...options, '-c', line];
    const { status, stdout, stderr } = spawnSync('sh', args, { env: { PATH: process.env['PATH'] } });
    return { status, stdout: stdout.toString(), stderr: stderr.toString() };
  };
  const after = (text: string): string => text.slice(text.indexOf(';') + 1);

  it('says which process it is and becomes the command', () => {
    const { status, stdout, stderr } = start(launch({ command: ['sh', '-c', 'echo $$; echo e >&2; exit 3'] }));
    const [, pid, born, rest] = /^a1b2c3d4 ok (\d+) (\d+);(.*)\n$/s.exec(stdout) ?? [];
    expect(pid).toBe(rest);
    expect(Number(born)).toBeGreaterThan(0);
    expect(stderr).toBe('a1b2c3d4;e\n');
    expect(status).toBe(3);
  });

  it('passes every kind of value, also in names that shells keep to themselves', () => {
    const env = {
      A: `it's "x" $(id) \`id\` \\ \n\n`,
      IFS: 'x',
      PATH: `${process.env['PATH']}:/more`,
      UID: '77',
      OPTIND: 'none',
      _: 'under',
      RANDOM: 'no',
      EMPTY: '',
    };
    const { stdout } = start(launch({ command: ['/bin/cat', '/proc/self/environ'], env }));
    const seen = new Set(after(stdout).split('\0'));
    for (const [name, value] of Object.entries(env)) expect(seen).toContain(`${name}=${value}`);
  });

  it('passes arguments that look like anything', () => {
    const words = ['-n', '', ' ', '$x', "'", '\n', '*', 'é', 'a=b', ';', '\\'];
    const { stdout } = start(launch({ command: ['printf', String.raw`%s\000`, ...words] }));
    expect(after(stdout).split('\0').slice(0, -1)).toEqual(words);
  });

  it.each([
    ['short', 'b'],
    ['in lines', 'b\n'],
    ['long', 'b'.repeat(1_500)],
  ])('starts nothing of a text (%s) that is torn anywhere', (_how, value) => {
    const file = join(directory, 'torn');
    const what = launch({ command: ['touch', file], env: { A: value } });
    const whole = preamble(what, nonce);
    for (let length = 0; length < whole.length - 1; length += 7 + Math.trunc(value.length / 50))
      start(what, whole.subarray(0, length));
    expect(existsSync(file)).toBe(false);
    start(what);
    expect(existsSync(file)).toBe(true);
    rmSync(file);
  });

  it('starts nothing in a sandbox that is gone, stopped or another one, or in a directory that is not there', () => {
    const file = join(directory, 'guarded');
    const what = launch({ command: ['touch', file], guard: { file: guardFile, sandbox: 'sbx_1' } });
    const word = (): string => start(what).stdout.split(' ')[1] ?? '';
    rmSync(guardFile, { force: true });
    expect(word()).toBe('gone');
    writeFileSync(guardFile, 'sbx_2 running keep f\n{}\n');
    expect(word()).toBe('gone');
    writeFileSync(guardFile, 'sbx_1 stopped keep f\n{}\n');
    expect(word()).toBe('stopped');
    expect(start(launch({ command: ['touch', file], cwd: '/no/such' })).stdout).toContain(' cwd ');
    expect(existsSync(file)).toBe(false);
    writeFileSync(guardFile, 'sbx_1 running keep f\n{}\n');
    expect(word()).toBe('ok');
    expect(existsSync(file)).toBe(true);
    rmSync(file);
  });

  it('leaves the rest of stdin to the command', () => {
    const what = launch({ command: ['cat'], stdin: true });
    const { stdout } = start(what, preamble(what, nonce), 'sleep 0.3; echo rest');
    expect(after(stdout)).toBe('rest\n');
  });
});

describe('the command line', () => {
  it('holds the two marks, and nothing else of the caller', () => {
    const what = launch({
      command: ['secret-program', 'secret-argument'],
      cwd: '/secret',
      env: { CAISSON_EXEC: 'exec_1', TOKEN: 'secret-value' },
      guard: { file: '/f', sandbox: 'sbx_1' },
    });
    const marks = 'CAISSON_SANDBOX=sbx_1 CAISSON_EXEC=exec_1';
    const [line, lines] = [Buffer.from('{ true; }\n'), Buffer.from('{ true\n}\n')];
    const reading = `/bin/sh -c 'IFS= LC_ALL=C read -r _cz_t && eval "$_cz_t"' sh`;
    expect(commandLine(what, line)).toBe(`exec env ${marks} ${reading}`);
    expect(shellLine(what, line)).toBe(`export ${marks}; exec ${reading}`);
    expect(commandLine(what, lines)).toBe(`exec env ${marks} /bin/sh -c 'eval "$(head -c $1)"' sh 9`);
  });

  it('leaves out a mark that is more than an id', () => {
    const what = launch({ env: { CAISSON_EXEC: "x'; reboot; '" } });
    for (const line of [commandLine, shellLine]) expect(line(what, preamble(what, nonce))).not.toContain('reboot');
  });

  it.each([
    [{ command: ['a\0b'] as const }],
    [{ cwd: '/a\0' }],
    [{ env: { A: '\0' } }],
    [{ env: { 'a b': '1' } }],
    [{ command: ['a=b'] as const, env: { UID: '1' } }],
  ])('refuses what cannot travel: %j', (changes) => {
    expect(() => preamble(launch(changes), nonce)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

function write(name: string, bytes: Buffer): string {
  const file = join(directory, name);
  writeFileSync(file, bytes);
  return file;
}

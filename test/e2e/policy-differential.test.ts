import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPolicy } from '../../src/policy/policy.ts';

const run = promisify(execFile);
const stageScript = fileURLToPath(new URL('policy-stage.sh', import.meta.url));
const namespaces = ['--mount', '--pid', '--net', '--fork', '--kill-child'];

const allowed = ['ls', 'git', 'echo', 'cat', 'sort', 'npm'];
const forbidden = [
  'rm',
  'curl',
  'id',
  'sh',
  'bash',
  'python3',
  'env',
  'sudo',
  'nohup',
  'xargs',
  'find',
  'tee',
  'cp',
  'nice',
  'timeout',
  'busybox',
  'awk',
  'sed',
  'time',
  'coproc',
  'l',
  's',
  'ca',
  't',
];
/** What the shell writes down that runs no program: headers of loops and choices. */
const structure = /^(?:for [A-Za-z_]\w* in|case |true\b|:)/;

const word = fc.constantFrom(
  'a',
  'b',
  '-l',
  '-a',
  'status',
  'log',
  '"a b"',
  "'x;y'",
  '\\;',
  '*',
  '?',
  '~',
  '{a,b}',
  '$x',
  '"$x"',
  '${x:-a}',
  '$((1+1))',
  '$(id)',
  '`id`',
  '$(ls)',
  '<(id)',
  "$'a\\tb'",
  'x=1',
  '#c',
  '-',
  '--',
  "'",
  '"',
  '\\',
  '!',
  '[a]',
  '=a',
  '\u00a0',
  'rm',
  'id',
  '$IFS',
  '-oF',
  '--output=b',
  'test',
  '\\\n',
  '\t',
  '%1',
  '^a',
  '@(a)',
  '1',
);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...allowed) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...forbidden,
      '$x',
      '""',
      'l""s',
      "l's'",
      '\\ls',
      'l\\\ns',
      '"ls"',
      "$'ls'",
      '{ls,a}',
      'r?',
      './ls',
      'x=ls',
      'builtin',
      'command',
      'exec',
      'eval',
      'alias',
      'trap',
      '.',
      'source',
      '[',
      'test',
      '[[',
      '((',
      'function',
      'set',
      'printf',
      'read',
      'export',
      'cd',
      'hash',
      '! ls',
      'time ls',
    ),
  },
);
const redirect = fc.constantFrom(
  '',
  '',
  '',
  '',
  ' > /dev/null',
  ' 2>&1',
  ' >c',
  ' >>c',
  ' <a',
  ' &>c',
  ' <<< a',
  ' <>c',
  ' >|c',
  ' 2>/dev/null',
  ' <<E\na\nE',
  " <<'E'\n$(id)\nE",
  ' <<E\n$(id)\nE',
  ' >&2',
  ' 3>c',
);
const simple = fc
  .tuple(name, fc.array(word, { maxLength: 3 }), redirect)
  .map(([program, words, to]) => [program, ...words].join(' ') + to);
const joint = fc.constantFrom(
  ';',
  ' && ',
  ' || ',
  ' | ',
  ' & ',
  '\n',
  '|&',
  ' ; ',
  '\r\n',
  ';;',
  '\u2028',
  ' #',
  '\v',
  '&&\n',
  '',
);
const list = fc
  .array(fc.tuple(simple, joint), { minLength: 1, maxLength: 3 })
  .map((parts) =>
    parts.flatMap(([command, between], at) => (at === parts.length - 1 ? [command] : [command, between])).join(''),
  );
const shape = fc.constantFrom<(text: string) => string>(
  (t) => t,
  (t) => t,
  (t) => t,
  (t) => `(${t})`,
  (t) => `{ ${t}; }`,
  (t) => `for i in 1 2; do ${t}; done`,
  (t) => `if ls; then ${t}; fi`,
  (t) => `ls(){ ${t}; }; ls`,
  (t) => `"$(${t})"`,
  (t) => `echo "${t}"`,
  (t) => `echo '${t}'`,
  (t) => `case a in a) ${t};; esac`,
  (t) => `x=ls; ${t}`,
  (t) => `${t} &`,
  (t) => `alias ls=id\n${t}`,
  (t) => `until ls; do ${t}; done`,
  (t) => `git log ${t}`,
  (t) => `cat <<E\n${t}\nE`,
  (t) => `! ${t}`,
  (t) => `time ${t}`,
);
const command = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(shape, list).map(([form, text]) => form(text)) },
  { weight: 1, arbitrary: fc.array(fc.oneof(word, name, joint), { maxLength: 8 }).map((parts) => parts.join('')) },
);

const canStage = await staged();
if (!canStage && process.env['CAISSON_REQUIRE_ENGINES'] === '1')
  throw new Error('unshare cannot make namespaces here; it needs root');

describe.skipIf(!canStage)('CP-26 what is allowed, run for real', () => {
  let ran: { readonly lines: readonly Line[]; readonly files: readonly string[]; readonly count: number };
  const generated = fc.sample(command, { numRuns: 20_000, seed: 20_261_121 });

  beforeAll(async () => {
    const policy = await openPolicy({
      mode: 'supervised',
      rules: { allow: allowed.map((each) => `terminal(${each}:*)`) },
    });
    const accepted = [...new Set(generated)].filter(
      (text) => policy.decide({ command: text, cwd: '/stage', reach: 'host' }).verdict === 'allow',
    );
    ran = { ...(await runAll(accepted)), count: accepted.length };
  }, 90_000);

  it('is a good part of 20,000 strings', () => {
    expect(generated.length).toBeGreaterThanOrEqual(20_000);
    expect(ran.count).toBeGreaterThan(500);
    expect(ran.lines.length).toBeGreaterThan(ran.count / 2);
  });

  it('ran allowed programs and nothing else', () => {
    const others = ran.lines.filter(
      ({ line }) => !allowed.includes(line.split(' ', 1)[0] ?? '') && !structure.test(line),
    );
    expect(others).toEqual([]);
  });

  it('wrote nothing', () => expect(ran.files).toEqual(['a', 'b']));

  it('would show a program that is not allowed, and a file that is written', async () => {
    const canary = await runAll(['ls && id', 'echo x > written', "x='rm a'; $x"]);
    expect(canary.lines.map(({ line }) => line)).toEqual(['ls', 'id', 'echo x', "x='rm a'", 'rm a']);
    expect(canary.files).toEqual(['a', 'b', 'written']);
  });
});

interface Line {
  readonly command: string;
  readonly line: string;
}

/** What the tracing shells wrote, without their plus signs, and the files that are there at the end. */
async function runAll(
  commands: readonly string[],
): Promise<{ readonly lines: readonly Line[]; readonly files: readonly string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'caisson-stage-'));
  try {
    const list = join(directory, 'list');
    const stage = await mkdtemp(join(directory, 'stage-'));
    await writeFile(list, commands.map((each) => `${each}\0`).join(''));
    const { stdout } = await run(
      'unshare',
      [...namespaces, 'bash', stageScript, list, stage, ...allowed, ...forbidden],
      { env: { PATH: process.env['PATH'] }, maxBuffer: 64 * 1024 * 1024, timeout: 80_000 },
    );
    const [traced = '', files = ''] = stdout.split('\n@ files\n');
    return {
      lines: traced.split('\n@ ').flatMap((part) => linesOf(part, commands)),
      files: files.split('\n').filter((each) => each !== ''),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function linesOf(part: string, commands: readonly string[]): readonly Line[] {
  const [number, ...lines] = part.split('\n');
  const command = commands[Number(number) - 1] ?? '';
  return lines.filter((line) => line.startsWith('+')).map((line) => ({ command, line: line.replace(/^\++ /, '') }));
}

/** Namespaces need root, and a kernel that lets it. */
async function staged(): Promise<boolean> {
  return await run('unshare', [...namespaces, 'true']).then(
    () => true,
    () => false,
  );
}

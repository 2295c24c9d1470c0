/**
 * Forty steps on a terminal: a shell, an editor, a pager, `top`, Ctrl-C and new sizes. After each of them the screen is the one that
 * `docker exec -it` of the same container shows. A question that is answered elsewhere leaves a readable screen too.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, type Home, makeHome } from './home.ts';
import { type Screen, type Size, screensOf } from './screens.ts';

const onPty = fileURLToPath(new URL('../fixtures/on-pty.py', import.meta.url));
const timeout = 120_000;
const rows = 24;

/** What is waited for, what is typed then, and the size that the terminal gets then. */
type Step = readonly [shown: string, typed: string, size?: Size];

/** Quotes keep the echo of a line from passing for its output. */
const tour = (columns: number): readonly Step[] => [
  ['$ ', 'cd "$(mktemp -d)"; echo fir""st\n'],
  ['first', 'printf "%s\\n" a b c; echo do""ne\n'],
  ['done', `echo ${'long '.repeat(30)} | tr lo L0\n`],
  ['L0ng L0ng', 'ech'],
  ['ech', '\u007f\u007f\u007fecho edi""ted\n'],
  ['edited', '\u001b[A'],
  ['edi""ted', '\n'],
  ['edited', 'sleep 50\n'],
  ['sleep 50', '\u0003'],
  ['$ ', 'echo "co""de $?"\n'],
  ['code 130', 'cat\n'],
  ['cat', 'twice\n'],
  ['twice\r\ntwice', '\u0004'],
  ['$ ', 'printf "\\033[7mrever\\163ed\\033[m \\303\\251\\n"\n'],
  ['reversed', 'until stty size|grep -q ^20;do :;done;echo si""zed\n', [columns - 7, rows - 4]],
  ['sized', 'stty size\n'],
  [`${rows - 4} ${columns - 7}`, 'echo back', [columns, rows]],
  ['back', '\nclear; echo t""op\n'],
  ['top', 'seq 1 100 >n; vi n\n'],
  ['1/100', '10G'],
  ['10/100', 'itext\u001b'],
  ['', '/50\n'],
  ['50/100', 'dd'],
  ['', 'G'],
  ['99/99', '', [columns - 7, rows - 4]],
  ['', 'gg', [columns, rows]],
  ['', ':wq\n'],
  ['99L', 'seq 1 200 >l; less l\n'],
  ['23', ' '],
  ['46', '/77\r'],
  ['99', 'G'],
  ['200', 'g'],
  ['', 'q'],
  ['$ ', 'top\n'],
  ['PID', '\u0003'],
  ['$ ', 'c=$?; clear; echo "af""ter $c"\n'],
  ['after', 'read -r line; echo "<$line>"\n'],
  ['line', 'typed\n'],
  ['<typed>', 'echo la""st\n'],
  ['last', 'exit 5\n'],
];

interface Ended {
  readonly output: string;
  readonly code: number;
  readonly marks: readonly number[];
  readonly before: unknown;
  readonly after: unknown;
}

async function typed(home: Home, words: readonly string[], plan: object): Promise<Ended> {
  const env = { ...home.env, TERM: 'xterm' };
  const { stdout } = await promisify(execFile)('python3', [onPty, JSON.stringify(plan), ...words], { env });
  return JSON.parse(stdout);
}

/** Figures of `top` change from one moment to the next: its heads stay. */
const steady = (screen: Screen): Screen =>
  screen.some((line) => line.startsWith('CPU:'))
    ? screen.flatMap((line) => /^(?:Mem:|CPU:|Load| +PID)/.exec(line)?.[0] ?? [])
    : screen;

describe.each([80, 60])('on a terminal of %i columns', (columns) => {
  let home: Home;
  let container: string;
  beforeAll(async () => {
    home = await makeHome();
    await home.cli(['create', 't']);
    [container = ''] = await home.containers();
  }, timeout);
  afterAll(async () => {
    await home.cli(['rm', 't']);
    await home[Symbol.asyncDispose]();
  }, timeout);

  it('each of forty steps shows what docker shows', { timeout }, async () => {
    const steps = tour(columns);
    expect(steps.length).toBe(40);
    const sizes = steps.map(([, , size]) => size);
    const screens = async (ended: Ended) => await screensOf(ended, [columns, rows], sizes);
    const plan = { steps, size: [columns, rows], settle: 0.2, patience: 90 };
    const shell = ['env', 'PS1=$ ', 'sh'];
    const { DOCKER_HOST: host = '' } = home.env;
    const docker = ['docker', '-H', host, 'exec', '-it', '-w', '/workspace', container, ...shell];
    const caisson = [process.execPath, cli, 'exec', '-it', 't', '--', ...shell];
    const [ours, theirs] = await Promise.all([typed(home, caisson, plan), typed(home, docker, plan)]);
    const [mine, others] = [await screens(ours), await screens(theirs)];
    for (const [index, step] of steps.entries())
      expect([step, steady(mine[index] ?? [])]).toEqual([step, steady(others[index] ?? [])]);
    expect([mine.length, ours.code, theirs.code]).toEqual([40, 5, 5]);
    expect(ours.after).toEqual(ours.before);
  });

  it('a question goes away when it is answered elsewhere, and the command goes on', { timeout }, async () => {
    const steps = [['Choice [', '']] as const;
    const words = [process.execPath, cli, 'exec', 't', '--ask', 'terminal(touch:*)', '--', 'touch', '/tmp/asked'];
    const shown = typed(home, words, { steps, size: [columns, rows], patience: 90 });
    const waiting = async (): Promise<string> => (await home.cli(['approvals', 'ls', '-q'])).stdout.trim();
    await expect.poll(waiting, { timeout: 30_000, interval: 500 }).toMatch(/^apr_\w+$/);
    expect((await home.cli(['approvals', 'approve', await waiting()])).code).toBe(0);
    const ended = await shown;
    expect([ended.code, ended.after]).toEqual([0, ended.before]);
    const [screen = []] = await screensOf({ ...ended, marks: [ended.output.length] }, [columns, rows]);
    const text = screen.join('\n');
    expect(text).toContain('  touch /tmp/asked');
    expect(text).toMatch(/Choice \[[^\]]+\]:\s*\n\s*answered elsewhere: once, by /);
  });
});

/** A command on a terminal beside `docker exec -it`: the same bytes in both directions, and programs that drive a shell. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { cli, type Home, makeHome } from './home.ts';
import { openOn, type Service } from './http-service.ts';

const onPty = fileURLToPath(new URL('../fixtures/on-pty.py', import.meta.url));
const timeout = 60_000;
const image = 'caisson-test/debian:latest';

interface Plan {
  /** What is waited for, and what is typed then; each character is one byte. */
  readonly steps: readonly (readonly [shown: string, typed: string])[];
  readonly set?: readonly ('inlcr' | 'igncr')[];
}

interface Ended {
  readonly output: string;
  readonly code: number;
  readonly before: unknown;
  readonly during: unknown;
  readonly after: unknown;
}

let home: Home;
let service: Service;
let container: string;

beforeAll(async () => {
  home = await makeHome(dockerHost());
  await home.cli(['create', 't', '--image', image]);
  [container = ''] = await home.containers();
  service = await openOn(home, 'docker');
}, timeout);
afterAll(async () => {
  await service.stop();
  await home.cli(['rm', 't']);
  await home[Symbol.asyncDispose]();
}, timeout);

type Way = 'embedded' | 'through the service' | 'docker';

async function on(way: Way, command: readonly string[], plan: Plan): Promise<Ended> {
  const { DOCKER_HOST: host = '' } = home.env;
  const embedded = way === 'embedded' ? ['--embedded'] : [];
  const words =
    way === 'docker'
      ? ['docker', '-H', host, 'exec', '-it', '-w', '/workspace', container, ...command]
      : [process.execPath, cli, ...embedded, 'exec', '-it', 't', '--', ...command];
  return await typed(words, plan);
}

async function typed(words: readonly string[], plan: Plan): Promise<Ended> {
  const env = { ...home.env, TERM: 'xterm' };
  const { stdout } = await promisify(execFile)('python3', [onPty, JSON.stringify(plan), ...words], { env });
  return JSON.parse(stdout);
}

const sh = (text: string): readonly string[] => ['sh', '-c', text];

describe.each(['embedded', 'through the service'] as const)('a terminal %s', (way) => {
  it('gets each byte of the command as docker gives it', { timeout }, async () => {
    const bytes = String.raw`AB\nCD\r\nEF\tG\000\177\377\nH\r`;
    const command = sh(`stty raw -echo; printf '${bytes}'; read -r line`);
    const plan: Plan = { steps: [['H\r', '\n']] };
    const [ours, theirs] = [await on(way, command, plan), await on('docker', command, plan)];
    expect(theirs.output).toBe('AB\nCD\r\nEF\tG\0\u007f\u00ff\nH\r');
    expect(ours.output).toBe(theirs.output);
    expect(ours.after).toEqual(ours.before);
  });

  it.each([[], ['inlcr'], ['igncr']] as const)(
    'gives each typed byte to the command: %j',
    { timeout },
    async (...set) => {
      const command = sh('stty raw -echo; printf up:; head -c 7 | od -An -tx1');
      const plan: Plan = { steps: [['up:', '\r\n\u0003\u001a\u0013\u0011\u00ff']], set };
      const [ours, theirs] = [await on(way, command, plan), await on('docker', command, plan)];
      expect(theirs.output).toBe('up: 0d 0a 03 1a 13 11 ff\n');
      expect(ours.output).toBe(theirs.output);
      expect(ours.after).toEqual(ours.before);
    },
  );

  it('has the settings of docker while the command runs, and its own after each end', { timeout }, async () => {
    for (const end of ['exit 7', 'kill -9 $$', 'kill -TERM $$']) {
      const command = sh(`printf up:; read -r line; ${end}`);
      const plan: Plan = { steps: [['up:', '\n']] };
      const [ours, theirs] = [await on(way, command, plan), await on('docker', command, plan)];
      expect(ours.during).toEqual(theirs.during);
      expect(ours.during).not.toEqual(ours.before);
      expect(ours.after).toEqual(ours.before);
      expect(ours.code).toBe(theirs.code);
    }
  });

  it('lets a program drive bash by its prompts', { timeout }, async () => {
    const prompt = 'PROMPT-1> ';
    const lines = ['echo one; echo two', 'x=4$((2)); cd /tmp', 'echo "$x $PWD"; false', 'echo "$?"', 'printf "no end"'];
    const steps = [
      ['$ ', `PS1='PROMPT-'"1> "; stty -echo\n`] as const,
      ...[...lines, 'exit 5'].map((line) => [prompt, `${line}\n`] as const),
    ];
    const bash = ['env', 'PS1=$ ', 'bash', '--norc', '--noprofile', '--noediting'];
    const [ours, theirs] = [await on(way, bash, { steps }), await on('docker', bash, { steps })];
    const answers = ours.output.split(prompt).slice(1);
    expect(answers).toEqual(['one\r\ntwo\r\n', '', '42 /tmp\r\n', '1\r\n', 'no end', 'exit\r\n']);
    expect([ours.output, ours.code]).toEqual([theirs.output, 5]);
  });
});

it(
  '`attach` shows the output of a command on a terminal as it is, and what has no terminal as before',
  { timeout },
  async () => {
    const text = "printf 'AB\\nCD\\r\\n'; until [ -e /tmp/go ]; do sleep 0.1; done; rm /tmp/go";
    const { DOCKER_HOST: host = '' } = home.env;
    const attached = async (id: string): Promise<Ended> => {
      const shown = typed([process.execPath, cli, 'attach', id], { steps: [['CD', '']] });
      await promisify(execFile)('docker', ['-H', host, 'exec', container, 'touch', '/tmp/go']);
      return await shown;
    };
    const onTerminal = typed([process.execPath, cli, 'exec', '-it', 't', '--', 'sh', '-c', `stty -opost; ${text}`], {
      steps: [['CD', '']],
    });
    await expect.poll(runningExecs, { timeout: 20_000 }).toHaveLength(1);
    const [id = ''] = await runningExecs();
    const ours = await attached(id);
    expect(ours.output).toBe('AB\nCD\r\n');
    expect(ours.after).toEqual(ours.before);
    await onTerminal;
    const { stdout } = await home.cli(['exec', '--detach', 't', '--', 'sh', '-c', text]);
    expect((await attached(stdout.trim())).output).toBe('AB\r\nCD\r\r\n');
  },
);

async function runningExecs(): Promise<readonly string[]> {
  const { items } = Object(await (await service.ask('/v1/execs')).json());
  const all: readonly { readonly id: string; readonly exit: unknown }[] = items;
  return all.filter(({ exit }) => exit === null).map(({ id }) => id);
}

it('`sh` changes no byte either', { timeout }, async () => {
  const steps = [
    ['# ', "stty raw -echo; printf 'AB\\nC''D'\n"],
    ['CD', 'exit\n'],
  ] as const;
  const ours = await typed([process.execPath, cli, 'sh', 't'], { steps });
  expect(ours.output).toContain('AB\nCD');
  expect(ours.after).toEqual(ours.before);
});

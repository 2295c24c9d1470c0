/** A day in the life of a service with secrets around it, and a search for them everywhere afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { connect } from '../engines/engine-api.ts';
import { cli, type Home, makeHome } from './home.ts';

/** In no form that a pattern knows, so that only what is done about the environment keeps them in. */
const value = (at: number): string => `zqx${at}-plain-looking-value-of-number-${at}-end`;
const declared = 'DECLARED_CODEWORD';
const fakes = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [at === 0 ? declared : `FAKE_SECRET_${at}`, value(at)]),
);
/** Any of them, also encoded. */
const forms = Object.values(fakes).flatMap((text) => [
  text,
  Buffer.from(text).toString('base64').slice(0, 32),
  Buffer.from(text).toString('hex'),
]);
const anySecret = (text: string): readonly string[] => forms.filter((form) => text.includes(form));

interface CommandOutput {
  readonly code: number | null;
  readonly text: string;
}

/** The command line with the secrets in its environment. `running` is called when the command has said so. */
async function caisson(
  home: Home,
  args: readonly string[],
  extra: NodeJS.ProcessEnv = {},
  running?: () => Promise<void>,
): Promise<CommandOutput> {
  const env = { ...home.env, ...fakes, CAISSON_DEBUG: '1', ...extra };
  const child = spawn(process.execPath, [cli, ...args], { env, cwd: home.path, stdio: 'pipe' });
  child.stdin.end();
  let text = '';
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('running')) ready.resolve();
    });
  const ended = once(child, 'close');
  if (running !== undefined) await ready.promise.then(running);
  await ended;
  return { code: child.exitCode, text };
}

/** Without what commands themselves have written into the directory of their task. */
async function filesOf(home: Home): Promise<string> {
  const entries = await readdir(home.path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const kept = files.filter((file) => !file.startsWith(join(home.path, 'sandboxes')));
  return (await Promise.all(kept.map((file) => readFile(file, 'latin1').catch(() => '')))).join('\n');
}

/** The argument vectors of all processes of this host, those in the containers too. */
async function processList(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
  return lines.join('\n').replaceAll('\0', ' ');
}

/** All that the engine tells of our containers and of the commands that run in them. */
async function engineOf(home: Home): Promise<string> {
  const docker = connect(dockerHost() ?? '');
  const reported: unknown[] = [];
  for (const id of await home.containers()) {
    const inspected = await docker.getContainer(id).inspect();
    reported.push(inspected, await docker.getContainer(id).top({ ps_args: '-eo pid,args' }));
    for (const exec of inspected.ExecIDs ?? []) reported.push(await docker.getExec(exec).inspect());
    const until = String(Math.ceil(Date.now() / 1000));
    reported.push(await home.engine(['events', '--since', '1h', '--until', until, '--filter', `container=${id}`]));
  }
  return JSON.stringify(reported);
}

it.each(['docker', 'local'])(
  'on %s the value of a declared secret, and of 39 others, is nowhere after errors, crashes and debug output (EN-09)',
  { timeout: 120_000 },
  async (backend) => {
    await using home = await makeHome();
    await using user = await makeHome();
    const text = `approvals: {mode: "off"}\nterminal: {backend: ${backend}, env_passthrough: [${declared}]}\n`;
    await writeFile(join(home.path, 'config.yaml'), text, { mode: 0o600 });
    const seen: { what: string; text: string }[] = [];
    const note = (what: string, said: string): void => void seen.push({ what, text: said });
    const run = async (args: readonly string[], extra?: NodeJS.ProcessEnv): Promise<CommandOutput> => {
      const said = await caisson(home, args, { HOME: user.path, ...extra });
      note(args.join(' '), said.text);
      return said;
    };
    const use = `[ "\${#${declared}}" -eq ${value(0).length} ] && [ -z "$FAKE_SECRET_1" ] && echo running; env; echo "$${declared}" | base64`;
    const during = async (): Promise<void> => {
      note('process list', await processList());
      if (backend === 'docker') note('engine', await engineOf(home));
    };
    const said = await caisson(
      home,
      ['run', '--task', 'demo', '--', 'sh', '-c', `${use}; sleep 2`],
      { HOME: user.path },
      during,
    );
    note('run', said.text);
    expect(said.text).toContain(`${declared}=[REDACTED:${declared}]`);
    expect((await run(['exec', 'demo', '--', 'sh', '-c', `echo running; exit 3; ${use}`])).code).toBe(3);
    await run(['exec', 'demo', '--timeout', '1s', '--', 'sh', '-c', 'env; sleep 30']);
    await run(['exec', 'demo', '-w', '/nowhere', '--', 'env']);
    await run(['exec', 'demo', '--', '/no/such/program']);
    await run(['run', '--image', 'no such image', '--', 'env']);
    await run(['run', '--task', 'crash', '--', 'env'], { CAISSON_TEST_FAILPOINT: 'after-create:crash' });
    await run(['run', '--task', 'wrong', '--', 'env'], { CAISSON_TEST_FAILPOINT: 'after-ready:error' });
    await during();
    // Somebody who knows it spells it, so that it is in the argument vector: in no record of Caisson all the same.
    await run(['exec', 'demo', '--', 'sh', '-c', `echo ${value(0)}`]);
    await run(['exec', 'demo', '--detach', '--', 'sh', '-c', `env; : ${value(0)}; sleep 1`]);
    await run(['ps', 'demo']);
    await run(['logs', 'demo']);
    await run(['inspect', 'demo', '-o', 'json']);
    await run(['config', 'show', '--origin']);
    await run(['audit', 'tail']);
    await run(['doctor']);
    note('state directory', await filesOf(home));
    expect(seen.filter((each) => anySecret(each.text).length > 0).map(({ what }) => what)).toEqual([]);
    expect(seen.find(({ what }) => what === 'state directory')?.text).toContain(declared);
    for (const task of ['demo', 'crash', 'wrong']) await run(['rm', task]);
  },
);

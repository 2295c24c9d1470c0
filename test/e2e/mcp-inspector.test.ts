/** The inspector of the protocol's authors, as it is published, in both protocols: on stdio and over HTTP. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedAt, isInstalled } from '../engines/installed.ts';
import { openWorld, type World } from '../http/world.ts';
import type { Loose } from '../mcp/hosts.ts';
import { type StdioHome, stdioHome } from '../mcp/stdio-home.ts';

const run = promisify(execFile);

let folder: string;
let world: World;
let home: StdioHome;
let env: Record<string, string>;

/** A program of the package. What it says to people goes to stderr. */
async function program(name: 'mcp-inspector' | 'mcpdo', ...args: readonly string[]): Promise<string> {
  const at = join(installedAt('mcp-inspector'), 'node_modules/.bin', name);
  const { stdout } = await run(process.execPath, [at, ...args], { env, timeout: 60_000 });
  return stdout;
}

const inspect = async (...args: readonly string[]): Promise<Loose> =>
  JSON.parse(await program('mcp-inspector', '--cli', ...args, '--format', 'json', '-q'));
const mcpdo = async (...args: readonly string[]): Promise<Loose> =>
  JSON.parse(await program('mcpdo', '--format', 'json', ...args));

describe.skipIf(!isInstalled('mcp-inspector'))('the inspector', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'caisson-inspector-'));
    world = await openWorld({ config: 'approvals: {remote_timeout: 30}' });
    home = stdioHome('approvals: {remote_timeout: 30}');
    env = { PATH: process.env['PATH'] ?? '', HOME: folder, MCP_INSPECTOR_SECRET_STORE: 'memory' };
    for (const [, name = '', value = ''] of (await program('mcpdo', 'private')).matchAll(/export (\w+)='([^']+)'/g))
      env[name] = value;
  });
  afterAll(async () => {
    await program('mcpdo', 'daemon', 'stop').catch(() => undefined);
    await home[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
    await rm(env['MCP_INSPECTOR_DAEMON_DIR'] ?? folder, { recursive: true, force: true });
  });

  /** What a host of the command line is started with. */
  const stdio = (): readonly string[] => {
    const place = home.place;
    if ('url' in place) throw new Error('it is on stdio');
    const variables = Object.entries(place.env).map(([name, value]) => `${name}=${value}`);
    return ['/usr/bin/env', ...variables, place.command, ...place.args];
  };
  const http = (): readonly string[] => [
    ...[`${world.url}/mcp`, '--header', `Authorization: Bearer ${world.agent}`, '--stored-auth-only'],
  ];

  const dataIn = ({ content }: Loose): Loose => JSON.parse(content[0].text);

  it.each(['modern', 'legacy'])('lists and calls tools on stdio and over HTTP (%s)', async (era) => {
    for (const target of [stdio(), http()]) {
      const listed = await inspect(...target, '--protocol-era', era, '--method', 'tools/list');
      expect((listed.tools ?? listed.result.tools).length).toBe(14);
      const args = JSON.stringify({ task: `inspected-${era}`, command: 'echo seen; exit 3' });
      const call = ['--method', 'tools/call', '--tool-name', 'run_command', '--tool-args-json', args];
      const called = await inspect(...target, '--protocol-era', era, ...call);
      expect(dataIn(called.result ?? called)).toMatchObject({ exit_code: 3, stdout: 'seen\n' });
    }
  });

  it.each(['modern', 'legacy'])(
    'shows the question of a command on stdio and passes its answer on (%s)',
    async (era) => {
      const connection = ['--connection', `@stdio-${era}`];
      await program('mcpdo', ...connection, 'connect', '--era', era, '--elicit', 'form', '--', ...stdio());
      const file = join(home.root, `ran-${era}`);
      const command = `command:=${JSON.stringify(`rm -rf ./x; echo ran > ${file}`)}`;
      const { elicitationPending: pending } = await mcpdo(
        ...connection,
        'tools/call',
        'run_command',
        'task:=a',
        command,
      );
      expect(pending).toMatchObject({ mode: 'form', message: expect.stringContaining('rm -rf ./x') });
      expect(existsSync(file)).toBe(false);
      const answered = await mcpdo(...connection, 'elicitation/respond', pending.elicitationId, 'choice:=once');
      expect(dataIn(answered)).toMatchObject({ exit_code: 0 });
      expect(existsSync(file)).toBe(true);
    },
  );

  it.each(['modern', 'legacy'])(
    'gets the page of a question over HTTP, and goes on with the answer of a person (%s)',
    async (era) => {
      const connection = ['--connection', `@http-${era}`];
      const [url = '', ...how] = http();
      await program('mcpdo', ...connection, 'connect', url, '--era', era, '--elicit', 'url', ...how);
      const call = ['tools/call', 'run_command', 'task:=b', `command:="rm -rf ./page-${era}; echo ran"`];
      const { elicitationPending: pending } = await mcpdo(...connection, ...call);
      expect(pending).toMatchObject({ mode: 'url', url: expect.stringMatching(/\/approvals\/apr_[0-9a-f]{24}$/) });
      const id = String(pending.url).split('/').at(-1);
      await world.ask(`/v1/approvals/${id}`, { token: world.person, body: { choice: 'once' } });
      const answered = await mcpdo(...connection, 'elicitation/respond', pending.elicitationId, '--done');
      expect(dataIn(answered)).toMatchObject({ exit_code: 0, stdout: 'ran\n' });
    },
  );
});

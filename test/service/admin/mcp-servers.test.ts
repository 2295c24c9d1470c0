/** `mcp_servers`: what a server is started with, and that its secrets are seen nowhere else. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Caisson } from '../../../src/service/caisson.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { known } from '../../config/known.ts';
import { openCaisson } from '../../../src/main.ts';

/** Section in the form that the document prints. */
const documented = `mcp_servers:
  github:
    command: "npx"
    args: ["-y", "@modelcontextprotocol/server-github"]
    env:
      GITHUB_PERSONAL_ACCESS_TOKEN: "ghp_..." # Only this is passed
`;

const host = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  XDG_CACHE_HOME: '/var/cache/x',
  LC_CTYPE: 'C',
  OPENAI_API_KEY: 'sk-of-the-agent-itself',
  DEPLOY_TOKEN: 'deploy-token-of-the-host',
  NODE_OPTIONS: '--no-warnings',
};

async function openedWith(text: string): Promise<Caisson> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-servers-'));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 });
  const env = { ...host, HOME: root, CAISSON_TERMINAL_BACKEND: 'local' };
  const caisson = await openCaisson({ home, env, cwd: root });
  onTestFinished(async () => {
    await caisson.close();
    rmSync(root, { recursive: true });
  });
  return caisson;
}

describe('a server of the documented snippet', () => {
  it('is started with its own variables, who and where, and nothing else of the host', async () => {
    const { mcpServers } = await openedWith(`${documented}terminal: {env_passthrough: [DEPLOY_TOKEN]}\n`);
    const { command, args, env } = await mcpServers.child('github');
    expect([command, ...args]).toEqual(['npx', '-y', '@modelcontextprotocol/server-github']);
    const { HOME: home, ...rest } = env;
    expect(home).toContain('caisson-servers-');
    expect(rest).toEqual({
      PATH: host.PATH,
      LANG: 'C.UTF-8',
      XDG_CACHE_HOME: '/var/cache/x',
      GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_...',
    });
  });

  it('is found by its name only', async () => {
    const { mcpServers } = await openedWith(documented);
    expect(await mcpServers.names()).toEqual(['github']);
    const missing = { code: 'not_found', details: { server: 'githbu' }, remedy: 'did you mean github?' };
    await expect(mcpServers.child('githbu')).rejects.toThrow(expect.objectContaining(missing));
    for (const name of ['constructor', '__proto__', 'slack'])
      await expect(mcpServers.child(name)).rejects.toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('has a placeholder, which is reported once and replaced nowhere', async () => {
    const caisson = await openedWith(documented);
    expect(caisson.config.notices.filter((notice) => notice.includes('GITHUB_PERSONAL_ACCESS_TOKEN'))).toEqual([
      'GITHUB_PERSONAL_ACCESS_TOKEN holds a placeholder, ghp_..., instead of a value',
    ]);
    const { stdout } = await caisson.run({ command: ['echo', 'ghp_...'] });
    expect(stdout.text).toBe('ghp_...\n');
  });

  it.each([
    ['short', ['fewer than 8 characters']],
    ['xxxxxxxx', ['placeholder']],
    ['<your token>', ['placeholder']],
    ['ghp_0123456789abcdefghij', []],
  ])('with the value %s reports %j', async (value, expected) => {
    const { config } = await openedWith(documented.replace('ghp_...', value));
    const reported = config.notices.filter((notice) => notice.includes('GITHUB_PERSONAL_ACCESS_TOKEN'));
    expect(reported).toEqual(expected.map((part) => expect.stringContaining(part)));
  });
});

it('what it gets is what a child really sees', async () => {
  const { mcpServers } = await openedWith('mcp_servers: {env: {command: env, env: {API_KEY: value-of-the-key}}}\n');
  const { command, args, env } = await mcpServers.child('env');
  const names = spawnSync(command, args, { env, encoding: 'utf8' }).stdout.match(/^[A-Z_]+(?==)/gm);
  expect(names?.toSorted()).toEqual(['API_KEY', 'HOME', 'LANG', 'PATH', 'XDG_CACHE_HOME']);
});

it('its secrets are replaced in what commands print, in texts, and in what is shown', async () => {
  const secret = 'value-of-the-server-token';
  const caisson = await openedWith(`mcp_servers: {one: {command: one, env: {API_KEY: ${secret}, MODE: fast}}}\n`);
  const { stdout } = await caisson.run({ command: ['echo', `fast ${secret}`] });
  expect(stdout.text).toBe('fast [REDACTED:API_KEY]\n');
  const redactor = caisson.secrets.redactor();
  const reported = [...redactor.write(Buffer.from(`it said ${secret}`)), ...redactor.end()];
  expect(Buffer.concat(reported).toString()).toBe('it said [REDACTED:API_KEY]');
  expect(JSON.stringify(await caisson.config.show())).not.toContain(secret);
  expect((await caisson.config.show()).find(({ key }) => key === 'mcp_servers')).toMatchObject({
    value: { one: { command: 'one', env: ['API_KEY', 'MODE'] } },
    origin: expect.stringMatching(/^file .*config\.yaml:1$/),
  });
});

describe('a server that is written wrongly is named', () => {
  it.each([
    ['one: {comand: x}', 'mcp_servers.one.comand: there is no such key, did you mean command?'],
    ['one: {}', 'mcp_servers.one.command: expected a program by name or path'],
    ['one: {command: x, args: y}', 'mcp_servers.one.args: expected a list of arguments, got a string'],
    [
      'one: {command: x, env: {PORT: 80}}',
      'mcp_servers.one.env.PORT: expected texts by names of variables, got a number',
    ],
    ['one: {command: x, env: {A-B: secret-value}}', 'the variable "A-B" cannot be set'],
    ['-one: {command: x}', 'expected a name of letters, digits, dots, dashes and underscores'],
    ['one: npx', 'mcp_servers.one: expected a mapping of keys, got a string'],
  ])('%s', async (text, message) => {
    const home = mkdtempSync(join(tmpdir(), 'caisson-servers-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    writeFileSync(join(home, 'config.yaml'), `mcp_servers:\n  ${text}\n`, { mode: 0o600 });
    const failure: unknown = await loadConfig({ backends: known, home, env: {}, cwd: home }).catch(
      (error: unknown) => error,
    );
    expect(String(failure)).toContain(message);
    expect(String(failure)).not.toContain('secret-value');
  });
});

describe('a server in a sandbox', () => {
  const entry = `mcp_servers:
  github: {command: npx, args: [-y, x], env: {TOKEN: "..."}, image: node, memory: 512, cpu: 2, network: open}
  beside: {command: beside, share: true}
  plain: {command: plain}
`;

  it('has its own task, image, limits and network, and of the host LANG, LC_* and TERM', async () => {
    const { mcpServers } = await openedWith(`${entry}terminal: {env_passthrough: [DEPLOY_TOKEN]}\n`);
    expect(await mcpServers.inside('github')).toEqual({
      request: {
        server: 'github',
        taskId: 'mcp-github',
        image: 'node',
        network: 'open',
        limits: { cpuCores: 2, memoryBytes: 512 * 2 ** 20 },
      },
      command: ['npx', '-y', 'x'],
      env: { LANG: 'C.UTF-8', LC_CTYPE: 'C', TOKEN: '...' },
      shares: false,
    });
    expect(await mcpServers.inside('plain')).toMatchObject({ request: { taskId: 'mcp-plain', network: 'none' } });
  });

  it('shares the sandbox of a task where its entry says so, and has to be given one then', async () => {
    const { mcpServers } = await openedWith(entry);
    expect(await mcpServers.inside('beside', { task: 'build' })).toMatchObject({
      request: { server: 'beside', taskId: 'build' },
      shares: true,
    });
    await expect(mcpServers.inside('beside')).rejects.toThrow('shares the sandbox of a task, and none is named');
    await expect(mcpServers.inside('plain', { task: 'build' })).rejects.toThrow('has a sandbox of its own');
    await expect(mcpServers.inside('missing')).rejects.toThrow('there is no MCP server');
  });

  it('is not started where other tasks could read what it is given', async () => {
    const caisson = await openedWith(entry);
    const { request, command, env } = await caisson.mcpServers.inside('plain');
    await expect(caisson.run({ ...request, network: undefined, command, env } as never)).rejects.toThrow(
      'could read what the MCP server plain is given',
    );
    for (const work of [
      () => caisson.run({ taskId: 'mcp-plain', command: ['env'] }),
      () => caisson.sessions.run({ taskId: 'mcp-plain', name: 'a', text: 'env' }),
      () => caisson.files.read({ task: 'mcp-plain', path: '/proc/1/environ' }),
    ])
      await expect(work()).rejects.toThrow(/is that of the MCP server plain|no sandbox for "mcp-plain"/);
  });

  it('has its calls judged by rules on its tools, and by the mode', async () => {
    const rules = '{deny: ["mcp(github:delete_*)"], allow: ["mcp(plain)"], ask: ["mcp(github:merge)"]}';
    const { mcpServers } = await openedWith(`${entry}approvals: {rules: ${rules}, tool_mode: supervised}\n`);
    const call = (server: string, tool: string) =>
      mcpServers.admit({ server, tool, arguments: { secret: 1 }, taskId: 'mcp-x' });
    await expect(call('github', 'delete_repo')).rejects.toThrow('mcp of github:delete_repo is refused');
    await expect(call('github', 'merge')).rejects.toThrow(expect.objectContaining({ code: 'approval_required' }));
    await expect(call('github', 'other')).rejects.toThrow(expect.objectContaining({ code: 'approval_required' }));
    await call('plain', 'anything/at.all');
    for (const tool of ['', 'a b', 'x'.repeat(129), 'a\nb', '../../github:delete_repo'])
      await expect(call('github', tool)).rejects.toThrow(/is not the name of a tool|needs an approval/);
    await expect(call('missing', 'x')).rejects.toThrow('there is no MCP server');
  });

  it('is judged by a rule for all of its tools, whatever is in their names', async () => {
    const { mcpServers } = await openedWith(`${entry}approvals: {rules: {deny: ["mcp(github)"]}}\n`);
    for (const tool of ['a', 'a/b', 'a.b:c', '..'])
      await expect(mcpServers.admit({ server: 'github', tool, arguments: {}, taskId: 't' })).rejects.toThrow(
        'is refused',
      );
    await mcpServers.admit({ server: 'plain', tool: 'a', arguments: {}, taskId: 't' });
  });
});

/** MCP servers as they are published, in sandboxes of a real engine, without a network. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { agentsImage, importAgentsImage } from '../engines/agents-image.ts';
import { dockerHost } from '../engines/docker.ts';
import { cli, type Home, makeHome } from './home.ts';

const host = dockerHost();
const image = agentsImage.reference;
const timeout = 120_000;

beforeAll(async () => {
  if (host !== null) await importAgentsImage(host);
}, timeout);

/** Twenty, each where it must not be found: in the environment, in what commands get by name, and in files that they get. */
const planted = Array.from({ length: 20 }, (_, index) => ({
  name: `PLANTED_${index}`,
  value: `planted-secret-${index}-of-the-host`,
}));
const [inFile, inDotenv, ...inEnv] = planted.map(({ name, value }) => ({ name, value }));
const ownToken = 'own-token-of-the-server-4711';

const servers = (name: string, more = '') => `
  ${name}:
    command: node
    args: [/node_modules/@modelcontextprotocol/server-${name}/dist/index.js${name === 'filesystem' ? ', /' : ''}]
    env: {OWN_TOKEN: ${ownToken}}
    image: ${image}
    memory: 512
${more}`;

async function configured(home: Home, rules = '{}'): Promise<void> {
  await writeFile(join(home.path, '.env'), `${inDotenv?.name}=${inDotenv?.value}\n`, { mode: 0o600 });
  await writeFile(join(home.path, 'token.json'), `{"token": "${inFile?.value}"}`, { mode: 0o600 });
  const names = [inDotenv, ...inEnv.slice(0, 6)].map((each) => each?.name).join(', ');
  const config = `mcp_servers: ${['everything', 'filesystem', 'memory'].map((name) => servers(name)).join('')}
terminal:
  backend: docker
  docker_image: ${image}
  env_passthrough: [${names}]
  docker_forward_env: [${inEnv
    .slice(6, 9)
    .map(({ name }) => name)
    .join(', ')}]
  credential_files: [token.json]
approvals: {rules: ${rules}, timeout: 30}
`;
  await writeFile(join(home.path, 'config.yaml'), config, { mode: 0o600 });
}

const hostEnv = (home: Home): Record<string, string> => {
  const { CAISSON_TERMINAL_DOCKER_IMAGE: _image, ...env } = home.env;
  return { ...env, LANG: 'C.UTF-8', ...Object.fromEntries(inEnv.map(({ name, value }) => [name, value])) };
};

async function connected(home: Home, name: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test-host', version: '1' });
  const args = [cli, 'mcp', 'run', name];
  const start = { command: process.execPath, args, env: hostEnv(home), stderr: 'ignore' } as const;
  await client.connect(new StdioClientTransport(start));
  return Object.assign(client, { [Symbol.asyncDispose]: async () => await client.close() });
}

const textOf = (result: unknown): string => JSON.stringify(result);

describe.skipIf(host === null)('caisson mcp run, without a network in docker', () => {
  it('shows servers none of 20 planted secrets of the host, and their own variables', { timeout }, async () => {
    await using home = await makeHome();
    await configured(home);
    await using everything = await connected(home, 'everything');
    const seen = textOf(await everything.callTool({ name: 'get-env', arguments: {} }));
    expect(seen).toContain(ownToken);
    expect(seen).toContain('C.UTF-8');
    await using files = await connected(home, 'filesystem');
    const environment = textOf(
      await files.callTool({ name: 'read_text_file', arguments: { path: '/proc/self/environ' } }),
    );
    const credentials = textOf(await files.callTool({ name: 'directory_tree', arguments: { path: '/root' } }));
    const links = textOf(await files.callTool({ name: 'list_directory', arguments: { path: '/sys/class/net' } }));
    for (const text of [seen, environment, credentials]) expect(text).not.toMatch(/planted|PLANTED|token\.json/i);
    expect(links).toContain('lo');
    expect(links).not.toContain('eth0');
    await using memory = await connected(home, 'memory');
    const entities = [{ name: 'a', entityType: 'b', observations: ['c'] }];
    await memory.callTool({ name: 'create_entities', arguments: { entities } });
    expect(textOf(await memory.callTool({ name: 'read_graph', arguments: {} }))).toContain('observations');
  });

  it("keeps what a server is given from the commands of the agent's task", { timeout }, async () => {
    await using home = await makeHome();
    await configured(home);
    await using everything = await connected(home, 'everything');
    expect(textOf(await everything.callTool({ name: 'get-env', arguments: {} }))).toContain(ownToken);
    const look = 'env; cat /proc/*/environ | tr "\\0" "\\n"; ls /root';
    const env = hostEnv(home);
    const seen = await home.cli(['run', '--task', 'agent', '--raw-output', '--', 'sh', '-c', look], undefined, env);
    expect(seen.stdout).toContain('PATH=');
    expect(seen.stdout).not.toContain(ownToken);
    const inside = await home.cli(['exec', 'mcp-everything', '--', 'env'], undefined, env);
    expect(inside).toMatchObject({ code: 125, stdout: '' });
    expect(inside.stderr).toContain('is that of the MCP server everything');
    const files = await home.cli(['cp', 'mcp-everything:/proc/1/environ', join(home.path, 'stolen')], undefined, env);
    expect(files.code).toBe(125);
    const record = await home.cli(['logs', 'mcp-everything'], undefined, env);
    expect(record.stdout + record.stderr).not.toContain(ownToken);
  });

  it(
    'judges calls by rules, asks for those that want it, and takes secrets out of failures alone',
    { timeout },
    async () => {
      await using home = await makeHome();
      await configured(home, '{deny: ["mcp(filesystem:write*)"], ask: ["mcp(filesystem:create_directory)"]}');
      await using files = await connected(home, 'filesystem');
      const write = { path: '/tmp/x', content: 'x' };
      const denied = await files.callTool({ name: 'write_file', arguments: write });
      expect(denied).toMatchObject({ isError: true });
      expect(textOf(denied)).toContain('mcp of filesystem:write_file is refused');
      const made = files.callTool({ name: 'create_directory', arguments: { path: '/tmp/made' } });
      let id: string | undefined;
      while (id === undefined) {
        const { stdout } = await home.cli(['approvals', 'ls', '-o', 'json']);
        expect(stdout).not.toContain('undefined');
        id = /apr_[0-9a-f]{24}/.exec(stdout)?.[0];
      }
      expect((await home.cli(['approvals', 'approve', id])).code).toBe(0);
      expect(textOf(await made)).toContain('Successfully created');
      const failed = await files.callTool({ name: 'read_text_file', arguments: { path: `/no/${ownToken}` } });
      expect(failed).toMatchObject({ isError: true });
      expect(textOf(failed)).not.toContain(ownToken);
      const fine = await files.callTool({ name: 'read_text_file', arguments: { path: '/proc/self/environ' } });
      expect(textOf(fine)).toContain(ownToken);
    },
  );

  it('prints a snippet by which a host with a bare environment starts each server', { timeout }, async () => {
    await using home = await makeHome();
    await configured(home);
    const { stdout } = await home.cli(['mcp', 'config']);
    expect(stdout).not.toContain(ownToken);
    const { mcpServers } = JSON.parse(stdout);
    expect(Object.keys(mcpServers)).toEqual(['everything', 'filesystem', 'memory']);
    const { command, args, env } = mcpServers.memory;
    const client = new Client({ name: 'test-host', version: '1' });
    const bare = { ...env, DOCKER_HOST: home.env['DOCKER_HOST'] ?? '' };
    await client.connect(new StdioClientTransport({ command, args, env: bare, stderr: 'ignore' }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read_graph');
    await client.close();
  });
});

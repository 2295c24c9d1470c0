/** Each configuration of docs/mcp.md, started as its host does: with the environment of a desktop and nothing else. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from '../http/world.ts';
import { connect, kinds } from './hosts.ts';
import { type StdioHome, stdioHome } from './stdio-home.ts';
import { launcher } from '../program.ts';

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');

/** The sentence above each block names its host. */
const snippets = [...page.matchAll(/\n([^\n]+):\n\n```json\n([^`]+)```/g)].map(
  ([, host = '', text = '']) => [host.split(', in ')[0] ?? '', JSON.parse(text)] as const,
);

let home: StdioHome;
let world: World;
beforeAll(async () => {
  home = stdioHome();
  world = await openWorld();
  mkdirSync(join(home.root, 'bin'));
  symlinkSync(process.execPath, join(home.root, 'bin/node'));
  // The command stands for the one that npm makes for an installed package.
  writeFileSync(join(home.root, 'bin/caisson'), `#!/bin/sh\nexec ${launcher} "$@"\n`, { mode: 0o755 });
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

it('the page has five hosts on stdio, and one over HTTP', () => {
  expect(snippets.map(([host]) => host)).toEqual([
    ...['Claude Desktop', 'Claude Code', 'Cursor', 'VS Code', 'Zed'],
    expect.stringContaining('`caisson serve` answers at `/mcp`'),
  ]);
});

it.each(snippets)('%s starts it, and lists its tools', async (_host, config) => {
  const { caisson } = config.mcpServers ?? config.servers ?? config.context_servers;
  const state = { HOME: home.root, CAISSON_HOME: join(home.root, 'home') };
  const bare = { PATH: `${join(home.root, 'bin')}:/usr/bin:/bin`, LANG: 'C.UTF-8', TERM: 'dumb' };
  const place =
    caisson.url === undefined
      ? {
          command: execFileSync('which', [caisson.command], { env: bare, encoding: 'utf8' }).trim(),
          args: caisson.args,
          env: { ...bare, ...state, ...caisson.env },
        }
      : {
          url: String(caisson.url).replace('http://127.0.0.1:7480', world.url),
          token: caisson.headers.Authorization === 'Bearer TOKEN' ? world.agent : '',
        };
  for (const kind of kinds) {
    await using host = await connect(kind, place);
    expect((await host.tools()).length).toBe(14);
  }
});

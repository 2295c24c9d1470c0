/** What the MCP servers of the configuration are started with. */
import type { McpServersApi } from '../api.ts';
import type { Config, Loaded } from '../../config/types.ts';
import { CaissonError } from '../../errors.ts';
import { nearest } from '../../lib/nearest.ts';
import { mcpChildEnv } from '../../secrets/filters.ts';

export function mcpServersOf({ config: { mcp_servers: servers }, env }: Loaded): McpServersApi {
  return {
    names: async () => Object.keys(servers),
    child: async (name) => {
      const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
      if (server === undefined) throw unknownServer(name, Object.keys(servers));
      const { command, args = [], env: own = {} } = server;
      return { command, args: [...args], env: mcpChildEnv(env, own) };
    },
  };
}

/** For people: names of variables, and never their values. */
export function shownServers(servers: Config['mcp_servers']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, { ...server, env: Object.keys(server.env ?? {}) }] as const),
  );
}

function unknownServer(name: string, known: readonly string[]): CaissonError {
  const meant = nearest(name, known);
  const all = known.length === 0 ? 'there are none' : `there are ${known.slice(0, 20).join(', ')}`;
  return new CaissonError(
    'not_found',
    `there is no MCP server ${JSON.stringify(name.slice(0, 64))} under mcp_servers`,
    {
      details: { server: name.slice(0, 64) },
      remedy: meant === null ? `write it into the configuration; ${all}` : `did you mean ${meant}?`,
    },
  );
}

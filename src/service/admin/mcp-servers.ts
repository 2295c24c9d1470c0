/** What the MCP servers of the configuration are started with. */
import { hash } from 'node:crypto';
import type { McpServersApi } from '../api.ts';
import type { Config, Loaded } from '../../config/types.ts';
import { CaissonError } from '../../errors.ts';
import type { FileSubject } from '../../guard/call.ts';
import type { Gate } from '../../guard/gate.ts';
import { nearest } from '../../lib/nearest.ts';
import { mcpChildEnv, mcpInsideEnv } from '../../secrets/filters.ts';
import { taskOfServer } from '../../values/server-task.ts';

const mebibyte = 1024 ** 2;
const maxShownUnits = 1000;
/** The names that the protocol has for tools (SEP-986), and some more. */
const toolName = /^[\w.:/-]{1,128}$/;

type Server = Config['mcp_servers'][string];

export function createMcpServersApi({ config: { mcp_servers: servers }, env }: Loaded, guard: Gate): McpServersApi {
  const find = (name: string): Server => {
    const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (server === undefined) throw unknownServerError(name, Object.keys(servers));
    return server;
  };
  return {
    names: async () => Object.keys(servers),
    shares: async (name) => find(name).share ?? false,
    child: async (name) => {
      const { command, args = [], env: own = {} } = find(name);
      return { command, args: [...args], env: mcpChildEnv(env, own) };
    },
    inside: async (name, { task } = {}) => {
      const server = find(name);
      const { command, args = [], env: own = {}, share: shares = false } = server;
      const request = { server: name, ...(shares ? sharedPlace(name, task) : ownPlace(name, server, task)) };
      return { request, command: [command, ...args], env: mcpInsideEnv(env, own), shares };
    },
    admit: async ({ server, tool, arguments: given, taskId }, options = {}) => {
      find(server);
      const subject = subjectOf({ name: `${server}:${checkedTool(tool)}`, given });
      const place = { taskId, backend: 'mcp', reach: 'container', cwd: '/' } as const;
      await guard.admit({ execId: null, ...place, subject, envNames: [], stdin: false }, options);
    },
  };
}

/** The sandbox of a task as it is there, or as it is made by itself. */
function sharedPlace(name: string, task: string | undefined) {
  if (task !== undefined) return { taskId: task };
  throw new CaissonError('invalid_argument', `the MCP server ${name} shares the sandbox of a task, and none is named`, {
    remedy: '--task TASK',
  });
}

function ownPlace(
  name: string,
  { backend, image, network = 'none', cpu, memory, disk }: Server,
  task: string | undefined,
) {
  if (task !== undefined)
    throw new CaissonError('invalid_argument', `the MCP server ${name} has a sandbox of its own, and a task is named`, {
      remedy: `leave out --task, or set mcp_servers.${name}.share: true`,
    });
  const limits = {
    ...(cpu === undefined ? {} : { cpuCores: cpu }),
    ...(memory === undefined ? {} : { memoryBytes: memory * mebibyte }),
    ...(disk === undefined ? {} : { diskBytes: disk * mebibyte }),
  };
  return {
    taskId: taskOfServer(name),
    network,
    ...(backend === undefined ? {} : { backend }),
    ...(image === undefined ? {} : { image }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

function checkedTool(tool: string): string {
  if (toolName.test(tool)) return tool;
  throw new CaissonError('invalid_argument', `${JSON.stringify(tool.slice(0, 64))} is not the name of a tool`);
}

/** Rules read the name alone; people are shown what the call is given, too. */
function subjectOf({ name, given }: { readonly name: string; readonly given: unknown }): FileSubject {
  const text = JSON.stringify(given ?? {});
  const shown = text.length <= maxShownUnits ? text : `${text.slice(0, maxShownUnits)}...`;
  return {
    kind: 'file',
    tool: 'mcp',
    also: [],
    paths: [name, shown],
    digest: () => hash('sha256', text),
    touched: async () => ({ paths: [name], whole: true, project: '/' }),
  };
}

/** For people: names of variables, and never their values. */
export function shownServers(servers: Config['mcp_servers']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, { ...server, env: Object.keys(server.env ?? {}) }] as const),
  );
}

function unknownServerError(name: string, known: readonly string[]): CaissonError {
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

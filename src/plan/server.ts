/**
 * Sandboxes of MCP servers hold what the servers are given, such as tokens: no other request may run anything in them, and nothing of
 * this host is passed on to the servers beside it.
 */
import type { Guarantees } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { taskOfServer } from '../values/server-task.ts';
import type { Plan, SandboxRequest } from './types.ts';

/** `servers`: names of all that are configured. Throws `permission_denied`. */
export function checkServerTask(
  { server }: SandboxRequest,
  {
    taskId,
    servers,
    isClient,
  }: { readonly taskId: string | undefined; readonly servers: readonly string[]; readonly isClient: boolean },
): void {
  if (server !== undefined && isClient)
    throw serverTaskError('a client of the service cannot run an MCP server of its host');
  const holder = servers.find((name) => taskOfServer(name) === taskId);
  if (holder !== undefined && holder !== server)
    throw serverTaskError(
      `the sandbox of task ${taskId} is that of the MCP server ${holder}, and may hold its secrets`,
    );
}

function serverTaskError(message: string): CaissonError {
  return new CaissonError('permission_denied', message, {
    remedy: 'take another task; `caisson mcp run` runs a server, and `caisson rm` removes its sandbox',
  });
}

/** The plan of a server, in its own sandbox or in a task's. Throws `not_supported` where the backend does not keep tasks apart. */
export function planOfServer(plan: Plan, server: string): Plan {
  const bare: Plan = { ...plan, forwardEnv: [], setEnv: {}, passEnv: [], skills: [] };
  if (plan.taskId !== taskOfServer(server)) return bare;
  if (!keepsTasksApart(plan.guarantees))
    throw new CaissonError(
      'not_supported',
      `on backend ${plan.spec.backend} commands of other tasks could read what the MCP server ${server} is given`,
      { remedy: `set mcp_servers.${server}.backend to one with containers, or share: true to run it beside the task` },
    );
  return { ...bare, credentials: { ...plan.credentials, configured: [], bySkills: [] } };
}

const keepsTasksApart = ({ isolation }: Guarantees): boolean => isolation === 'container' || isolation === 'vm';

/** In which ways the host can ask its user. */
import { CLIENT_CAPABILITIES_META_KEY, type McpServer, type ServerContext } from '@modelcontextprotocol/server';

export interface Modes {
  readonly form: boolean;
  readonly url: boolean;
}

/** Modern hosts declare it with each request, old ones once. `elicitation: {}` is a form (revision 2026-07-28, elicitation). */
export function modesOf(ctx: ServerContext, server: McpServer): Modes {
  const ofRequest: unknown = Reflect.get(Object(ctx.mcpReq.envelope), CLIENT_CAPABILITIES_META_KEY);
  // oxlint-disable-next-line typescript/no-deprecated -- the old protocol declares it once, and nothing else has it
  const declared: unknown = ofRequest ?? server.server.getClientCapabilities();
  const elicitation: unknown = Reflect.get(Object(declared), 'elicitation');
  if (typeof elicitation !== 'object' || elicitation === null) return { form: false, url: false };
  const url = 'url' in elicitation;
  return { form: 'form' in elicitation || !url, url };
}

/** One server of the protocol: the tools that its caller may use, and output as resources. Cheap: one is made for each request. */
import { McpServer } from '@modelcontextprotocol/server';
import { version } from '../lib/build.ts';
import { duringCall } from './call.ts';
import { instructions } from './instructions.ts';
import type { McpDependencies } from './parts.ts';
import { failureOf, Reply, resultOf } from './reply.ts';
import { registerOutput } from './resources.ts';
import type { Tool } from './tool.ts';
import { toolsFor } from './tools/all.ts';

/** The list changes with the scopes of the token only. */
const cacheHint = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;

export function serverWith(parts: McpDependencies): McpServer {
  const server = new McpServer(
    { name: 'caisson', title: 'Caisson', version: version() },
    {
      instructions,
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      cacheHints: { 'tools/list': cacheHint },
    },
  );
  for (const tool of toolsFor(parts.scopes)) register(server, tool, parts);
  if (parts.scopes.includes('read')) registerOutput(server, parts);
  return server;
}

function register(server: McpServer, tool: Tool, parts: McpDependencies): void {
  const { name, title, description, input, hints } = tool;
  const annotations = {
    readOnlyHint: hints.readOnly,
    destructiveHint: hints.destructive,
    idempotentHint: hints.idempotent,
    openWorldHint: hints.openWorld,
  };
  const config = { title, description, inputSchema: input, annotations };
  server.registerTool(name, config, async (args, ctx) => {
    try {
      const done = await duringCall({ tool: name, args, ctx, server, parts }, (call) => tool.run(call, args));
      return done instanceof Reply ? done.result : resultOf(done);
    } catch (error) {
      return failureOf({ error, requestId: parts.requestIdOf(ctx), home: parts.home });
    }
  });
}

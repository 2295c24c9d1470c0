import { defineCommand } from '../command.ts';
import { sandboxOptions } from '../option.ts';

export const mcpConfig = defineCommand({
  name: 'mcp config',
  summary: 'Print what a host needs to start MCP servers in sandboxes',
  about: `Prints the part "mcpServers" that hosts have in their configuration, as JSON: each server of
mcp_servers, or those that are named, started by caisson mcp run. It holds no secret.`,
  operands: [{ name: 'NAME', count: 'any' }],
  runs: false,
  exitsAsCommand: false,
  options: { task: sandboxOptions.task },
  examples: [['for a host that starts all of them', 'mcp config']],
  run: async (given, context) => {
    const api = await context.remote();
    const names = given.operands.length === 0 ? await api.mcpServers.names() : given.operands;
    const task = given.text('task');
    const servers = await Promise.all(
      names.map(async (name) => {
        const shares = await api.mcpServers.shares(name);
        return { name, ...(shares && task !== undefined ? { task } : {}) };
      }),
    );
    const { snippetOf } = await import('../../mcp/run/snippet.ts');
    const caisson = [process.execPath, process.argv[1] ?? 'caisson'] as const;
    const snippet = snippetOf(servers, { caisson, home: api.config.home });
    await context.print(`${JSON.stringify(snippet, null, 2)}\n`);
    return 0;
  },
});

import { defineCommand } from '../command.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve the tools of MCP on stdin and stdout',
  about: `For a host that speaks the Model Context Protocol and starts it: docs/mcp.md has the configuration of
several. It ends when the host closes stdin; commands that were started in the background go on.

A command that needs an approval is asked about by the host, where it can; otherwise, and where
caisson serve runs on the state directory, answer it with caisson approvals.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['what a host starts', 'mcp'],
    ['with a state directory of its own', 'mcp --home /srv/agent'],
  ],
  run: async (_given, context) => {
    const { stdin, stdout } = context.world;
    const { serveOnStdio, embedded, through } = await import('../../mcp/stdio.ts');
    const line = await context.line();
    const way = line === null ? embedded(await context.remote()) : through(line.client, line);
    await serveOnStdio(way, { stdin, stdout, signal: context.signal, say: context.say });
    return 0;
  },
});

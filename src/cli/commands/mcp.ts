import { defineCommand } from '../command.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve the tools of MCP on stdin and stdout',
  about: `For a host that speaks the Model Context Protocol and starts it: docs/mcp.md has the configuration of
several. It ends when the host closes stdin; commands that were started in the background go on.

A command that needs an approval is asked about by the host, where it can; otherwise answer it with
caisson approvals.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['what a host starts', 'mcp'],
    ['with a state directory of its own', 'mcp --home /srv/agent'],
  ],
  run: async (_given, context) => {
    const api = await context.remote();
    const { stdin, stdout } = context.world;
    const { serveOnStdio } = await import('../../mcp/stdio.ts');
    await serveOnStdio(api, { stdin, stdout, signal: context.signal, say: context.say });
    return 0;
  },
});

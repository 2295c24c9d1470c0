import { defineCommand } from '../command.ts';
import { sandboxOptions } from '../option.ts';

export const mcpRun = defineCommand({
  name: 'mcp run',
  summary: 'Run an MCP server of the configuration in a sandbox',
  about: `Starts the server that mcp_servers names in a sandbox of its own, and passes its messages on standard
input and output. It gets the variables of its entry, and of this host LANG, LC_* and TERM alone.
Calls of tools are judged by rules such as mcp(NAME:TOOL); one that is asked about waits for
caisson approvals. With share: true in its entry it runs in the sandbox of --task instead.`,
  operands: [{ name: 'NAME', count: 'one' }],
  runs: false,
  exitsAsCommand: true,
  options: { task: sandboxOptions.task },
  examples: [
    ['a server of the configuration', 'mcp run github'],
    ['one that shares the sandbox of a task', 'mcp run files --task build'],
  ],
  run: async (given, context) => {
    const [name = ''] = given.operands;
    const task = given.text('task');
    const { world, say, options } = context;
    const api = await context.remote();
    const { runServer } = await import('../../mcp/run/serve.ts');
    const host = { input: world.stdin, output: world.stdout, log: world.stderr, say };
    const exitCode = await runServer(api, { name, ...(task === undefined ? {} : { task }) }, host, options);
    return context.interrupted() ?? exitCode;
  },
});

import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { readEnv } from '../env.ts';
import { commandOptions, type GivenOf, sandboxOptions } from '../option.ts';
import { sandboxRequest } from '../request.ts';
import { UsageError } from '../usage.ts';

const options = {
  inside: { type: 'flag', about: 'run the agent itself in the sandbox' },
  project: { type: 'text', value: 'DIR', about: 'its directory (default: the current one)' },
  sync: { type: 'flag', about: 'copy the project both ways instead of binding it' },
  ...sandboxOptions,
  env: commandOptions.env,
  'env-file': commandOptions['env-file'],
  allow: commandOptions.allow,
  ask: commandOptions.ask,
  deny: commandOptions.deny,
} as const;

type AcpGiven = GivenOf<typeof options>;

export const acp = defineCommand({
  name: 'acp',
  summary: 'Have an agent of an editor work in a sandbox',
  about: `Speaks the Agent Client Protocol on standard input and output: have the editor start this
instead of its agent. Commands and files of the agent are those of a sandbox in which the project
is at its own path. Questions are asked in the editor.

With --inside the agent runs in the sandbox too, and sees of this machine the project alone: the
image must hold it, and -e passes on what it needs, such as the key of its model. Without, the
agent runs here, with all that the user has, and only what it asks the editor for is in the sandbox.`,
  operands: [],
  runs: true,
  exitsAsCommand: true,
  options,
  examples: [
    ['an agent that runs in the sandbox', 'acp --inside --image agents -e MODEL_KEY -- my-agent --acp'],
    ['an agent of this machine', 'acp -- my-agent --acp'],
  ],
  run: async (given, context) => {
    const [program, ...args] = given.command;
    if (program === undefined) throw new UsageError('there is no agent after --');
    return await connect(given, [program, ...args], context);
  },
});

async function connect(given: AcpGiven, command: readonly [string, ...string[]], context: Context): Promise<number> {
  const { world, signal } = context;
  const env = readEnv(given.list('env'), given.list('env-file'), world);
  const { Asking } = await import('../../acp/asked.ts');
  const { realProject, openWorkplace, settingsOf } = await import('../../acp/workplace.ts');
  const project = realProject(resolve(world.cwd, given.text('project') ?? '.'));
  const asking = new Asking();
  const api = await context.asking(asking.approver, project);
  const settings = await settingsOf(api);
  const task = given.text('task');
  const request = { ...sandboxRequest(given), ...(task === undefined ? {} : { taskId: task }) };
  const { place, synced } = await openWorkplace(api, { project, request, sync: given.flag('sync') }, context.options);
  if (synced) context.notice(`the project is copied to the sandbox of task ${place.taskId}, and back after each turn`);
  const { agentInside, agentOnHost } = await import('../../acp/agent.ts');
  const agent = given.flag('inside')
    ? await agentInside(command, place, { env, stderr: world.stderr })
    : await agentOnHost(command, { cwd: project, env: { ...world.env, ...env }, stderr: world.stderr });
  context.clearStatus();
  const { serve } = await import('../../acp/serve.ts');
  const editor = { input: world.stdin, output: world.stdout };
  const exitCode = await serve({ place, agent, asking, settings, synced, editor, signal, say: context.say });
  return context.interrupted() ?? exitCode ?? 0;
}

/** A sandbox agent of @openai/agents: its shell and its patches work in a sandbox of Caisson. */
import { applyDiff, type Model, run } from '@openai/agents';
import * as sandbox from '@openai/agents/sandbox';
import { openCaisson } from 'caisson';
import { type Caisson, make } from 'caisson/adapters/openai-agents';

export async function work(caisson: Caisson, model: string | Model, goal: string): Promise<string> {
  const client = make({ ...sandbox, applyDiff }, caisson, { taskId: 'agent' });
  const agent = new sandbox.SandboxAgent({ name: 'agent', model, instructions: 'Do what the user asks.' });
  const { finalOutput } = await run(agent, goal, { sandbox: { client } });
  return finalOutput ?? '';
}

if (import.meta.main) {
  const caisson = await openCaisson();
  try {
    console.log(await work(caisson, process.env['MODEL'] ?? 'gpt-5', process.argv.slice(2).join(' ')));
  } finally {
    await caisson.close();
  }
}

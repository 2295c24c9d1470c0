/** An agent of deepagents whose files and commands are those of a sandbox. */
import { openCaisson } from 'caisson';
import { type Caisson, make } from 'caisson/adapters/deepagents';
import * as deepagents from 'deepagents';

type Model = NonNullable<NonNullable<Parameters<typeof deepagents.createDeepAgent>[0]>['model']>;

export async function work(caisson: Caisson, model: Model, goal: string): Promise<string> {
  const backend = await make(deepagents, caisson, { taskId: 'agent' });
  const agent = deepagents.createDeepAgent({ model, backend });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: goal }] });
  return messages.at(-1)?.text ?? '';
}

if (import.meta.main) {
  const caisson = await openCaisson();
  try {
    console.log(await work(caisson, process.env['MODEL'] ?? 'openai:gpt-5', process.argv.slice(2).join(' ')));
  } finally {
    await caisson.close();
  }
}

/** An agent of the AI SDK: its tools work in a sandbox, which the SDK hands to them. */
import * as ai from 'ai';
import { openCaisson } from 'caisson';
import { type Caisson, make } from 'caisson/adapters/ai';
import { z } from 'zod';

type Sandbox = ai.Experimental_SandboxSession;

const bash = ai.tool({
  description: 'Runs shell text in the sandbox.',
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }, { experimental_sandbox, abortSignal }) =>
    await there(experimental_sandbox).run({ command, ...(abortSignal === undefined ? {} : { abortSignal }) }),
});

const write = ai.tool({
  description: 'Writes a text file in the sandbox.',
  inputSchema: z.object({ path: z.string(), content: z.string() }),
  execute: async (file, { experimental_sandbox }) => {
    await there(experimental_sandbox).writeTextFile(file);
    return 'written';
  },
});

function there(sandbox: Sandbox | undefined): Sandbox {
  if (sandbox === undefined) throw new Error('the call has no sandbox');
  return sandbox;
}

export async function work(caisson: Caisson, model: ai.LanguageModel, goal: string): Promise<string> {
  const sandbox = await make(ai, caisson, { taskId: 'agent' });
  const { text } = await ai.generateText({
    model,
    instructions: sandbox.description,
    prompt: goal,
    tools: { bash, write },
    experimental_sandbox: sandbox,
    stopWhen: ai.isStepCount(20),
  });
  return text;
}

if (import.meta.main) {
  const caisson = await openCaisson();
  try {
    console.log(await work(caisson, process.env['MODEL'] ?? 'openai/gpt-5', process.argv.slice(2).join(' ')));
  } finally {
    await caisson.close();
  }
}

/** An agent in one loop: a model says which command to run, Caisson runs it in the sandbox of a task, the model sees what came of it. */
import { type CaissonApi, CaissonError, openCaisson } from 'caisson';
import { type CaissonClient, connectCaisson } from 'caisson/client';
import { type Message, reply, type ToolCall } from './model.ts';

const maxTurns = 20;
const taskId = 'agent';

const goal = process.argv.slice(2).join(' ');
if (goal === '') throw new Error('usage: node agent.ts WHAT TO DO');

// The same program on a service that runs elsewhere, as a client with a token.
const { CAISSON_URL: url, CAISSON_TOKEN: token = '' } = process.env;
const caisson = url === undefined ? await openCaisson() : connectCaisson({ url, token });
try {
  console.log(await work(caisson, goal));
} finally {
  // Files of the task stay in its sandbox: `caisson exec agent -- ls`. `caisson rm agent` removes both.
  await caisson.close();
}

async function work(caisson: CaissonApi | CaissonClient, goal: string): Promise<string> {
  const messages: Message[] = [
    {
      role: 'system',
      content: 'You have a shell in a sandbox. Use the tool to do what the user asks, then say what you did.',
    },
    { role: 'user', content: goal },
  ];
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const message = await reply(messages);
    messages.push(message);
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return message.content ?? '';
    for (const call of calls)
      messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(await outcomeOf(caisson, call)) });
  }
  throw new Error(`no answer after ${maxTurns} turns`);
}

/** What a model can act on: the exit and both streams, or why the command was not run. */
async function outcomeOf(caisson: CaissonApi | CaissonClient, call: ToolCall): Promise<object> {
  try {
    const { exit, stdout, stderr } = await caisson.run({
      taskId,
      command: ['sh', '-c', commandOf(call)],
      timeoutMs: 120_000,
    });
    console.error(`$ ${commandOf(call)}`);
    return {
      reason: exit.reason,
      exitCode: exit.exitCode,
      stdout: stdout.text,
      stderr: stderr.text,
      notes: exit.notes,
    };
  } catch (error) {
    if (error instanceof CaissonError) return { error: error.message, code: error.code, try: error.remedy };
    throw error;
  }
}

/** The arguments are the model's own text, so nothing about them is certain. */
function commandOf({ function: { arguments: text } }: ToolCall): string {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed === 'object' && parsed !== null && 'command' in parsed && typeof parsed.command === 'string')
    return parsed.command;
  throw new CaissonError('invalid_argument', 'the tool takes {"command": "..."}');
}

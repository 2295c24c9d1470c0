/** One request to an endpoint that speaks the chat completions protocol: MODEL_BASE_URL, MODEL_NAME, MODEL_API_KEY. */

export interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly ToolCall[];
}

interface Completion {
  readonly choices: readonly { readonly message: Message }[];
}

const terminal = {
  type: 'function',
  function: {
    name: 'terminal',
    description: 'Runs a command line of sh in the sandbox. The sandbox, with its files, is the same in every call.',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
};

export async function reply(messages: readonly Message[]): Promise<Message> {
  const { MODEL_BASE_URL: base, MODEL_NAME: model, MODEL_API_KEY: key } = process.env;
  if (base === undefined || model === undefined) throw new Error('set MODEL_BASE_URL and MODEL_NAME');
  const response = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, messages, tools: [terminal] }),
  });
  if (!response.ok) throw new Error(`the model's endpoint answered ${response.status}`);
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the endpoint is the operator's own
  const { choices } = (await response.json()) as Completion;
  const message = choices[0]?.message;
  if (message === undefined) throw new Error('the model gave no message');
  return message;
}

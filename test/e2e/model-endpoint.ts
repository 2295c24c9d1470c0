/** An endpoint of a model on this host that follows a script, in the wire format of chat completions. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

type Turn = { readonly command: string } | { readonly answer: string };

const request = z.looseObject({
  model: z.string(),
  tools: z.array(z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) })),
  messages: z.array(
    z.looseObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: z.string().nullable(),
      tool_call_id: z.string().optional(),
    }),
  ),
});

export interface Model extends AsyncDisposable {
  readonly url: string;
  readonly keys: readonly string[];
  /** Each with what the last call of the tool gave; the first has none. */
  readonly requests: readonly (z.infer<typeof request> & { readonly outcome?: unknown })[];
}

export async function startModel(script: readonly Turn[]): Promise<Model> {
  const requests: (z.infer<typeof request> & { outcome?: unknown })[] = [];
  const keys: string[] = [];
  const reply = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    keys.push(asked.headers.authorization ?? '');
    const body = request.parse(JSON.parse(await text(asked)));
    const last = body.messages.at(-1);
    const isOutcome = last?.role === 'tool' && last.tool_call_id === `call_${requests.length - 1}`;
    requests.push(isOutcome ? { ...body, outcome: JSON.parse(last.content ?? '') } : body);
    const turn = asked.url === '/v1/chat/completions' ? script[requests.length - 1] : undefined;
    answer.writeHead(turn === undefined ? 404 : 200, { 'content-type': 'application/json' });
    answer.end(JSON.stringify(turn === undefined ? {} : completionOf(turn, `call_${requests.length - 1}`)));
  };
  const server = createServer((asked, answer) => {
    reply(asked, answer).catch(() => answer.writeHead(400).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has an address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    keys,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function completionOf(turn: Turn, id: string): object {
  const call = (command: string): object => ({
    id,
    type: 'function',
    function: { name: 'terminal', arguments: JSON.stringify({ command }) },
  });
  const message =
    'answer' in turn
      ? { role: 'assistant', content: turn.answer }
      : { role: 'assistant', content: null, tool_calls: [call(turn.command)] };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'answer' in turn ? 'stop' : 'tool_calls' }],
  };
}

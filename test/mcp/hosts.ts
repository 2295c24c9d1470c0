/** Hosts: unmodified clients of the protocol, the current one in both revisions and the old one, on stdio and over HTTP. */
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** What a server says, as JSON.parse gives it. */
export type Loose = ReturnType<typeof JSON.parse>;

export type ServerAddress =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly token: string };

/** The request of a form or a page, answered as a user would. */
export type Ask = (params: Loose) => Promise<Answer> | Answer;

export interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string>;
}

export interface How {
  /** What it declares. Absent: it cannot ask. */
  readonly elicitation?: Readonly<Record<string, object>>;
  readonly ask?: Ask;
}

export interface CallHow {
  readonly onprogress?: (progress: { readonly progress: number; readonly message?: string | undefined }) => void;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

export interface Result {
  readonly isError: boolean;
  /** The text, parsed when it is JSON. */
  readonly data: Loose;
  readonly content: readonly Loose[];
}

export interface Host extends AsyncDisposable {
  readonly instructions: () => string | undefined;
  readonly tools: () => Promise<readonly Loose[]>;
  readonly call: (name: string, args: object, how?: CallHow) => Promise<Result>;
  readonly read: (uri: string) => Promise<readonly Loose[]>;
}

export const kinds = ['the current client', 'the current client in the old protocol', 'the old client'] as const;
export type Kind = (typeof kinds)[number];

const info = { name: 'test host', version: '1.0.0' };

export async function connect(kind: Kind, place: ServerAddress, { elicitation, ask }: How = {}): Promise<Host> {
  const capabilities = elicitation === undefined ? {} : { elicitation };
  const client =
    kind === 'the old client' ? await old(place, capabilities, ask) : await current(kind, place, capabilities, ask);
  return {
    instructions: () => client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    read: async (uri) => (await client.readResource({ uri })).contents,
    call: async (name, args, how = {}) => {
      const result: Loose = await client.callTool({ name, arguments: { ...args } }, how);
      return { isError: result.isError === true, content: result.content, data: dataOf(result) };
    },
    [Symbol.asyncDispose]: async () => await client.close(),
  };
}

/** Both clients, by what is used of them: the old one has a schema between the parameters and the options. */
interface Client {
  getInstructions(): string | undefined;
  listTools(): Promise<{ readonly tools: readonly Loose[] }>;
  readResource(params: { readonly uri: string }): Promise<{ readonly contents: readonly Loose[] }>;
  callTool(
    params: { readonly name: string; readonly arguments: Record<string, unknown> },
    how: CallHow,
  ): Promise<Loose>;
  close(): Promise<void>;
}

function dataOf({ content }: Loose): Loose {
  try {
    return JSON.parse(content[0].text);
  } catch {
    return content[0]?.text;
  }
}

async function current(kind: Kind, place: ServerAddress, capabilities: object, ask: Ask | undefined): Promise<Client> {
  const mode = kind === 'the current client' ? ({ pin: '2026-07-28' } as const) : ('legacy' as const);
  const client = new NewClient(info, { capabilities, versionNegotiation: { mode } });
  if (ask !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }): Promise<Loose> => await ask(params));
  const transport =
    'url' in place
      ? new NewHttp(new URL(place.url), { requestInit: { headers: { authorization: `Bearer ${place.token}` } } })
      : new NewStdio({ command: place.command, args: [...place.args], env: { ...place.env }, stderr: 'ignore' });
  await client.connect(transport);
  return {
    getInstructions: () => client.getInstructions(),
    listTools: async () => await client.listTools(),
    readResource: async (params) => await client.readResource(params),
    callTool: async (params, how) => await client.callTool(params, how),
    close: async () => await client.close(),
  };
}

async function old(place: ServerAddress, capabilities: object, ask: Ask | undefined): Promise<Client> {
  const client = new OldClient(info, { capabilities });
  if (ask !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }): Promise<Loose> => await ask(params));
  const transport =
    'url' in place
      ? new OldHttp(new URL(place.url), { requestInit: { headers: { authorization: `Bearer ${place.token}` } } })
      : new OldStdio({ command: place.command, args: [...place.args], env: { ...place.env }, stderr: 'ignore' });
  await client.connect(transport);
  return {
    getInstructions: () => client.getInstructions(),
    listTools: async () => await client.listTools(),
    readResource: async (params) => await client.readResource(params),
    callTool: async (params, how) => await client.callTool(params, undefined, how),
    close: async () => await client.close(),
  };
}

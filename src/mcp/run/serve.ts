/** Runs an MCP server of the configuration in a sandbox, for the host that has started this process. */
import type { Readable, Writable } from 'node:stream';
import { CaissonError, toCaissonError } from '../../errors.ts';
import { linesOf, MessageWriter } from '../../lib/message-lines.ts';
import { type CaissonApi, type Options, type Redactor, type Running, shellCode } from '../../service/api.ts';
import { Relay } from './relay.ts';
import { notStarted, saysSilence, started } from './start.ts';

export interface Host {
  readonly input: Readable;
  readonly output: Writable;
  /** Stream for messages that the server has for people. */
  readonly log: Writable;
  readonly say: (text: string) => void;
}

type RunningServer = Pick<Running, 'stdin' | 'stdout' | 'stderr' | 'exit' | 'where' | 'cancel'>;

/** What running a server needs of Caisson. */
export interface ServerApi {
  exec(...input: Parameters<CaissonApi['exec']>): Promise<RunningServer>;
  readonly mcpServers: Pick<CaissonApi['mcpServers'], 'inside' | 'admit'>;
  readonly secrets: { redactor(): Pick<Redactor, 'write' | 'end'> };
}

interface ServerChoice {
  readonly name: string;
  /** In whose sandbox, where the configuration says `share`. */
  readonly task?: string;
}

/** A server ends at the end of its input; one that does not is ended. */
const graceMs = 2000;

/** Until the host or the server has gone. Resolves to the exit code of the server, as a shell shows it. */
export async function runServer(
  api: ServerApi,
  { name, task }: ServerChoice,
  host: Host,
  options: Options,
): Promise<number> {
  const { request, command, env, shares } = await api.mcpServers.inside(name, task === undefined ? {} : { task });
  if (shares) host.say(`warning: commands of task ${request.taskId} can read what the MCP server ${name} is given`);
  // What the server writes are messages: one in which something was replaced would be none. Its records are without secrets.
  const how = { command, env, stdin: true, rawOutput: true, timeoutMs: null };
  const heard = saysSilence(name, host.say);
  const start = (given: Options): Promise<RunningServer> => api.exec({ ...request, ...how }, given);
  const running = await started(name, start, options).catch((error: unknown) => {
    heard();
    throw error;
  });
  const redact = (text: string): string => {
    const redactor = api.secrets.redactor();
    return Buffer.concat([...redactor.write(Buffer.from(text)), ...redactor.end()]).toString();
  };
  const { stdin } = running;
  if (stdin === null) {
    heard();
    throw await notStarted(name, running, redact);
  }
  const taskId = running.where.taskId;
  const asked = (id: string): void => host.say(`a call waits for an answer: caisson approvals approve ${id}`);
  const relay = new Relay({
    toHost: new MessageWriter(host.output),
    toServer: new MessageWriter(stdin),
    admit: async (call, signal) =>
      await api.mcpServers.admit({ server: name, taskId, ...call }, { signal, question: { onAsked: asked } }),
    redact,
    say: host.say,
  });
  return await passing(running, { relay, host, redact, heard, signal: options.signal });
}

interface Passing {
  readonly relay: Relay;
  readonly host: Host;
  readonly redact: (text: string) => string;
  /** Called when something has come from the server, and at its end. */
  readonly heard: () => void;
  readonly signal: AbortSignal | undefined;
}

async function passing(running: RunningServer, { relay, host, redact, heard, signal }: Passing): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  const log = pump(running.stderr, async (line) => void host.log.write(`${redact(line)}\n`), host.say);
  try {
    const fromHost = pump(host.input, async (line) => await relay.fromHost(line), host.say);
    const fromServer = pump(
      running.stdout,
      async (line) => {
        heard();
        await relay.fromServer(line);
      },
      host.say,
    );
    await Promise.race([fromHost, fromServer, stopped]);
    running.stdin?.end();
    await Promise.race([fromServer, stopped, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
  } finally {
    heard();
    relay.close();
    host.input.destroy();
    await running.cancel();
  }
  await log;
  return shellCode(await running.exit);
}

/** Ends with its source, and never rejects: what fails is said. */
async function pump(source: Readable, pass: (line: string) => Promise<void>, say: Host['say']): Promise<void> {
  try {
    for await (const line of linesOf(source)) await pass(line);
  } catch (error) {
    if (error instanceof CaissonError || source.errored !== null) say(toCaissonError(error).message);
  }
}

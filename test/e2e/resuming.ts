/** A client that reads a stream of events to its end, across any number of broken connections. */
import { type IncomingMessage, request } from 'node:http';

export type Event = Readonly<Record<string, unknown>>;
export type Framing = 'ndjson' | 'sse';

interface Reading {
  readonly url: string;
  readonly token: string;
  readonly framing: Framing;
  /** The path of the execs of a sandbox. */
  readonly execs: string;
  readonly execId: string;
  readonly command: readonly string[];
}

const accept: Readonly<Record<Framing, string>> = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' };

/** Sends the request again until it has seen an event of it, since it cannot know whether it arrived. */
export async function readThrough(reading: Reading): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (let connections = 0; events.at(-1)?.['type'] !== 'exit'; connections += 1) {
    if (connections > 100) throw new Error(`${reading.execId} has no end after ${connections} connections`);
    await readOnce(reading, events).catch((error: unknown) => {
      if (!['ECONNRESET', 'EPIPE'].includes(Object(error).code)) throw error;
    });
  }
  return events;
}

/** Keeps what came whole; rejects when the connection breaks. */
async function readOnce(reading: Reading, events: Event[]): Promise<void> {
  let text = '';
  const end = reading.framing === 'sse' ? '\n\n' : '\n';
  for await (const chunk of await ask(reading, Number(events.at(-1)?.['seq'] ?? 0))) {
    text += String(chunk);
    const parts = text.split(end);
    text = parts.pop() ?? '';
    for (const part of parts) {
      const event = eventOf(reading.framing, part);
      if (event !== null && event['type'] !== 'ping') events.push(event);
    }
  }
}

function eventOf(framing: Framing, part: string): Event | null {
  if (framing === 'ndjson') return Object(JSON.parse(part));
  const field = (name: string): string | undefined =>
    part.split('\n').flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []))[0];
  const data = field('data');
  if (data === undefined) return null;
  const event = Object(JSON.parse(data));
  if (field('id') !== String(event.seq)) throw new Error(`the id of ${data} is ${field('id')}`);
  return event;
}

/** A connection of its own for each request, which the proxy can cut without an effect on another one. */
async function ask(reading: Reading, seq: number): Promise<IncomingMessage> {
  const { url, token, framing, execs, execId, command } = reading;
  const resumes = seq > 0;
  const place = `${execs}/${execId}${framing === 'ndjson' ? `?after=${seq}` : ''}`;
  const headers = {
    authorization: `Bearer ${token}`,
    accept: accept[framing],
    'content-type': 'application/json',
    ...(resumes && framing === 'sse' ? { 'last-event-id': String(seq) } : {}),
  };
  return await new Promise((resolve, reject) => {
    const sending = request(url + (resumes ? place : execs), {
      method: resumes ? 'GET' : 'POST',
      headers,
      agent: false,
    });
    sending.once('error', reject).once('response', (response: IncomingMessage) => {
      response.setEncoding('utf8');
      if (response.statusCode === 200) return resolve(response);
      reject(new Error(`${execId}: status ${response.statusCode}`));
      response.destroy();
    });
    sending.end(resumes ? undefined : JSON.stringify({ command, execId }));
  });
}

/** What one stream of the command wrote, whatever the encoding of its parts. */
export function bytesOf(events: readonly Event[], stream: 'stdout' | 'stderr' = 'stdout'): Buffer {
  const parts = events.filter(({ type }) => type === stream);
  return Buffer.concat(
    parts.map(({ data, encoding }) => Buffer.from(String(data), encoding === 'base64' ? 'base64' : 'utf8')),
  );
}

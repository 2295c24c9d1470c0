/** The two framings of one event model. JSON text has no line break of its own, so that one event is one line of both. */

export type Framing = 'ndjson' | 'sse';
export type StreamEvent = Readonly<Record<string, unknown>>;

export const contentTypes: Readonly<Record<Framing, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  sse: 'text/event-stream; charset=utf-8',
};

export function frame(framing: Framing, event: StreamEvent): string {
  const text = JSON.stringify(event);
  if (framing === 'ndjson') return `${text}\n`;
  const { seq, type } = event;
  return `${typeof seq === 'number' ? `id: ${seq}\n` : ''}event: ${String(type)}\ndata: ${text}\n\n`;
}

/** Keeps proxies from closing what is silent; it has no place in the order of events. */
export const heartbeat: Readonly<Record<Framing, string>> = { ndjson: '{"type":"ping"}\n', sse: ': ping\n\n' };

import type { Redaction } from '../../redact/redactor.ts';
import type { Exit } from '../../values/exit.ts';
import { redactionsNote } from '../../values/outcome.ts';
import type { ExecEvent, StreamName } from '../../values/exec-event.ts';

/** Delivered even though something is held, so that memory has a bound. */
const maxBytes = 1024 * 1024;
const names = ['stdout', 'stderr'] as const;

/**
 * Yields the events without secrets. Output is delivered as far as nothing of it is held: a reader that goes on later from the `seq`
 * of an event has missed nothing, and does not begin in the middle of a secret.
 */
export async function* redactEvents(
  events: AsyncIterable<ExecEvent>,
  redaction: Redaction,
): AsyncGenerator<ExecEvent, void, void> {
  const streams = { stdout: redaction.stream(), stderr: redaction.stream() };
  const waiting: Record<StreamName, Buffer[]> = { stdout: [], stderr: [] };
  let bytes = 0;
  let last: ExecEvent | null = null;
  let safe = 0;
  function* tell(): Generator<ExecEvent, void, void> {
    const full = names.filter((name) => waiting[name].length > 0);
    for (const [at, type] of full.entries()) {
      const seq = at === full.length - 1 ? (last?.seq ?? safe) : safe;
      if (last !== null) yield { ...last, seq, event: { type, bytes: Buffer.concat(waiting[type].splice(0)) } };
    }
    safe = last?.seq ?? safe;
    bytes = 0;
  }
  function* end(): Generator<ExecEvent, void, void> {
    for (const name of last === null ? [] : names) waiting[name].push(...streams[name].end());
    yield* tell();
    last = null;
  }
  for await (const each of events) {
    const { event } = each;
    if (event.type === 'stdout' || event.type === 'stderr') {
      last = each;
      bytes += event.bytes.length;
      waiting[event.type].push(...streams[event.type].write(event.bytes));
      if ((streams.stdout.idle && streams.stderr.idle) || bytes > maxBytes) yield* tell();
    } else {
      if (event.type === 'exit') yield* end();
      safe = each.seq;
      const redactions = streams.stdout.counts.redactions + streams.stderr.counts.redactions;
      yield { ...each, event: withoutSecrets(event, redaction, redactions) };
    }
  }
  yield* end();
}

function withoutSecrets(event: ExecEvent['event'], redaction: Redaction, redactions: number): ExecEvent['event'] {
  if (event.type === 'started') return { ...event, command: event.command.map((word) => redaction.text(word)) };
  return event.type === 'exit' ? { ...event, exit: counted(event.exit, redactions) } : event;
}

function counted(exit: Exit, redactions: number): Exit {
  const note = redactionsNote(redactions, { reader: false });
  return { ...exit, redactions, notes: note === null ? exit.notes : [...exit.notes, note] };
}

import { describe, expect, it } from 'vitest';
import { redactEvents } from '../../../src/exec/detached/redact.ts';
import { exitWithout } from '../../../src/values/outcome.ts';
import type { ExecEvent } from '../../../src/values/exec-event.ts';
import { Redaction } from '../../../src/redact/redactor.ts';
import { where } from '../requests.ts';

const secret = 'a-value-to-hide';
const redaction = new Redaction([{ name: 'MY_TOKEN', value: secret }]);

async function* eventsOf(list: readonly ExecEvent['event'][]): AsyncGenerator<ExecEvent> {
  for (const [at, event] of list.entries()) yield { execId: 'exec_1', seq: at + 1, at: '2026-01-02T12:00:00Z', event };
}

async function reported(list: readonly ExecEvent['event'][]): Promise<readonly ExecEvent[]> {
  return await Array.fromAsync(redactEvents(eventsOf(list), redaction));
}

const out = (text: string): ExecEvent['event'] => ({ type: 'stdout', bytes: Buffer.from(text) });
const err = (text: string): ExecEvent['event'] => ({ type: 'stderr', bytes: Buffer.from(text) });

describe('the output of a detached process', () => {
  it('is reported without secrets, also split over events of two streams, and counts them', async () => {
    const events = await reported([
      { type: 'started', command: ['echo', secret], cwd: '/', tty: false, where },
      out(`one ${secret.slice(0, 9)}`),
      err('DB_PASSWORD=hunter'),
      out(`${secret.slice(9)} two`),
      err('22'),
      { type: 'exit', exit: exitWithout('canceled', 'x') },
    ]);
    const said = { stdout: '', stderr: '' };
    for (const { event } of events)
      if (event.type === 'stdout' || event.type === 'stderr') said[event.type] += Buffer.from(event.bytes).toString();
    expect(said).toEqual({ stdout: 'one [REDACTED:MY_TOKEN] two', stderr: 'DB_PASSWORD=[REDACTED:password]' });
    expect(events[0]?.event).toMatchObject({ command: ['echo', '[REDACTED:MY_TOKEN]'] });
    expect(events.at(-1)?.event).toMatchObject({ type: 'exit', exit: { redactions: 2 } });
    const numbers = events.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('is asked to its end when the reader stops before the process does', async () => {
    const events = await reported([out('token=abc12345')]);
    expect(events.map(({ event }) => ('bytes' in event ? String(event.bytes) : event.type))).toEqual([
      'token=[REDACTED:token]',
    ]);
  });

  it('can be gone on from after any event: nothing is lost, and no secret begins in its middle', async () => {
    const list = [
      out('plain\n'),
      out(`token=${secret.slice(0, 3)}`),
      err('x\n'),
      out(`${secret.slice(3)}\n`),
      err('y\n'),
    ];
    const whole = await reported(list);
    expect(whole.map(({ seq }) => seq)).toEqual([1, 1, 4, 5]);
    for (const { seq } of whole) {
      const rest = await reported(list.slice(seq));
      const text = [...whole.filter((each) => each.seq <= seq), ...rest].map(({ event }) =>
        'bytes' in event ? String(event.bytes) : '',
      );
      expect(text.join('')).not.toContain(secret.slice(3));
    }
  });
});

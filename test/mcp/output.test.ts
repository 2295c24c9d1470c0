/** Output of commands in bounded texts and pages. */
import { runData } from '../../src/mcp/tools/run-result.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cursorOf, start, textOf } from '../../src/mcp/output/cursor.ts';
import { Kept } from '../../src/mcp/output/kept.ts';
import { Page } from '../../src/mcp/output/page.ts';
import { oneLine, shortLine } from '../../src/mcp/output/text.ts';
import type { ExecEvent } from '../../src/service/api.ts';

const eventOf = (seq: number, stream: 'stdout' | 'stderr', bytes: Uint8Array): ExecEvent => ({
  execId: 'exec_a',
  seq,
  at: '',
  event: { type: stream, bytes },
});

it('pages of any size hold all of a text, wherever a character was cut', () => {
  const pieces = fc.array(
    fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const), fc.integer({ min: 1, max: 9 })),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      pieces,
      fc.integer({ min: 1, max: 12 }),
      (text, cuts, maxBytes) => {
        const rest = { stdout: Buffer.from(text), stderr: Buffer.from(text) };
        const events: ExecEvent[] = [];
        const cut = (stream: 'stdout' | 'stderr', length: number): void => {
          if (rest[stream].length > 0)
            events.push(eventOf(events.length + 1, stream, rest[stream].subarray(0, length)));
          rest[stream] = rest[stream].subarray(length);
        };
        for (const [stream, length] of cuts) cut(stream, length);
        for (const stream of ['stdout', 'stderr'] as const) cut(stream, 1000);
        const read = { stdout: '', stderr: '' };
        let cursor = start;
        for (;;) {
          const page = new Page(cursor, { maxBytes, streams: ['stdout', 'stderr'] });
          for (const event of events.filter(({ seq }) => seq > cursor.seq)) if (!page.take(event)) break;
          const { stdout, stderr, next } = page.read();
          read.stdout += stdout;
          read.stderr += stderr;
          cursor = cursorOf(textOf(next));
          if (!page.full) break;
        }
        expect(read).toEqual({ stdout: Buffer.from(text).toString(), stderr: Buffer.from(text).toString() });
      },
    ),
  );
});

it('a line of a file that is cut says so, and is cut between characters', () => {
  expect([shortLine('abc', 3), shortLine('abcd', 3)]).toEqual(['abc', 'abc[... the rest of the line is left out ...]']);
  expect(shortLine('ab😀', 3)).toBe('ab[... the rest of the line is left out ...]');
});

it('a long stream keeps its head and its tail, says how much is missing, and has its last line', () => {
  const kept = new Kept(8);
  for (const part of ['häää', 'ää middle of it ', 'the tail\nend\n']) kept.push(Buffer.from(part));
  const { text } = kept.read(true);
  expect(text).toMatch(/^hää?ä?\n\[\.\.\. \d+ bytes are left out here \.\.\.\]\nail\nend\n$/);
  expect([kept.truncated, kept.lastLine]).toEqual([true, 'end']);
  expect(text).not.toContain('\ufffd');
});

it('a line for people has nothing that a terminal acts on', () => {
  expect(oneLine('a\u001b[31mred\u202e\u0007\tb\n', 20)).toBe('a [31mred b');
});

it('a run names the controls that are not enforced where they were asked for, not those of the defaults each time', () => {
  const where = { backend: 'docker', taskId: 'a', sandboxId: 'sbx_1', host: null, resource: null, recreated: false };
  const disk = { control: 'diskBytes', wanted: 1, reason: 'no quota' } as const;
  const degraded = [
    { ...disk, asked: false },
    { ...disk, wanted: 2, asked: true },
  ];
  expect(runData('exec_1', null, { where, degraded, lostSince: null })['degraded']).toEqual([degraded[1]]);
});

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { OutputLimit } from '../../src/exec/output-limit.ts';
import { Tap } from '../../src/exec/tap.ts';
import { Redaction } from '../../src/redact/redactor.ts';

/** Every byte of it is looked at many times, and nothing of it is a secret. */
const costly = 'key='.repeat(512 * 1024);

function tapOn(chunk: string): Tap {
  const source = new Readable({ read: () => undefined });
  source.push(chunk);
  source.push(null);
  return new Tap(source, {
    name: 'stdout',
    limit: new OutputLimit(null, () => undefined),
    record: null,
    redact: { stream: new Redaction().stream(), reader: false, prompts: false },
    recorded: null,
    endsLate: false,
  });
}

async function textOf(readable: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of readable.iterator()) if (Buffer.isBuffer(part)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('output that takes long to redact', () => {
  it('is redacted in turns, between which everything else runs, and ends behind its last byte', async () => {
    const tap = tapOn(costly);
    const text = textOf(tap.out);
    let turns = 0;
    while (!tap.ended) {
      turns += 1;
      await setImmediate();
    }
    expect(await text).toBe(costly);
    // 2 MiB take some hundred milliseconds, of which a turn has ten and a slice.
    expect(turns).toBeGreaterThan(10);
    expect(tap.incomplete).toBe(false);
  });

  it('is whole before words of Caisson, and where the stream is given up', async () => {
    const tap = tapOn(costly);
    const text = textOf(tap.out);
    while (tap.bytes === 0) await setImmediate();
    tap.append('caisson: ended\n');
    tap.close();
    expect(await text).toBe(`${costly}caisson: ended\n`);
  });
});

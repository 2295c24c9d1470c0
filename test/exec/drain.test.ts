import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Outputs } from '../../src/backend.ts';
import { OutputLimit } from '../../src/exec/output-limit.ts';
import { drain } from '../../src/exec/drain.ts';
import { Tap } from '../../src/exec/tap.ts';

function tapOf(source: PassThrough): Tap {
  const tap = new Tap(source, {
    name: 'stdout',
    limit: new OutputLimit(null, () => {}),
    record: null,
    recorded: null,
    redact: null,
    endsLate: false,
  });
  tap.drain();
  return tap;
}

const saying = (outputs: Outputs) => ({ outputs: async () => outputs });

it('waits for a proof, however long the stream is quiet', async () => {
  const source = new PassThrough();
  const tap = tapOf(source);
  const proof = Promise.withResolvers<Outputs>();
  const drained = drain([tap], { outputs: () => proof.promise });
  await sleep(1_500);
  source.end('late');
  proof.resolve({ is: 'ended' });
  expect(await drained).toEqual({ is: 'ended' });
  expect([tap.ended, tap.bytes]).toEqual([true, 4]);
});

it('gives a stream up that brings neither a byte nor a proof, and reports it as cut', async () => {
  const drained = await drain([tapOf(new PassThrough())], { outputs: () => new Promise<never>(() => {}) });
  expect(drained).toMatchObject({ is: 'cut' });
}, 15_000);

it('reads a held stream until it is quiet, and at most for a second', async () => {
  const source = new PassThrough();
  const chatter = setInterval(() => source.write('.'), 20);
  const from = performance.now();
  expect(await drain([tapOf(source)], saying({ is: 'held', pids: [7] }))).toEqual({ is: 'held', pids: [7] });
  clearInterval(chatter);
  expect(performance.now() - from).toBeGreaterThan(900);
});

it('reports a stream that breaks behind its proof as cut', async () => {
  const source = new PassThrough();
  const tap = tapOf(source);
  source.destroy(new Error('reset'));
  expect(await drain([tap], saying({ is: 'ended' }))).toEqual({
    is: 'cut',
    why: 'stdout broke before its end: reset',
  });
});

import type { Outputs, Process } from '../backend.ts';
import { settledOrLate } from './settled.ts';
import type { Tap } from './tap.ts';

/** How long a stream that a process holds is read on after the last byte: what is written then is shown, but not waited for. */
const quietMs = 250;
/** The bound of that for a process that writes without end. */
const totalMs = 1000;
/** A stream that is read, brings no byte and has no proved end for so many ticks has stalled. A busy reader ticks late. */
const stallTicks = 20;
/** Turns of the event loop to wait when both streams have ended, so that no mark can come any more. */
const overTicks = 4;
/** The bound for streams on which bytes arrive without end. */
const maxTicks = 240;
const tickMs = 250;
/** What is on its way between a proof and the reader is in this process: it arrives within turns of the event loop. */
const arrivalMs = 5000;

/**
 * Waits for the proved end of the streams of a command that has ended (see `Tap.drain`). The proof is the process's word;
 * the clock here only gives up, and what it gives up is reported as `cut`.
 */
export async function drain(taps: readonly Tap[], process: Pick<Process, 'outputs'>): Promise<Outputs> {
  const outputs = await provedOrStalled(taps, process.outputs());
  if (outputs.is === 'held') await quiet(taps);
  else if (!(await allEnded(taps, outputs.is === 'ended' ? arrivalMs : quietMs)) && outputs.is === 'ended')
    return { is: 'cut', why: 'the end of a stream did not arrive' };
  const broken = taps.find((tap) => tap.broken !== null);
  return broken === undefined ? outputs : { is: 'cut', why: `${broken.name} broke before its end: ${broken.broken}` };
}

async function provedOrStalled(taps: readonly Tap[], proof: Promise<Outputs>): Promise<Outputs> {
  let seen = bytesOf(taps);
  let quietTicks = 0;
  for (let ticks = 0; ticks < maxTicks; ticks += 1) {
    if (await settledOrLate(proof, tickMs)) return await proof;
    const bytes = bytesOf(taps);
    quietTicks = bytes === seen ? quietTicks + 1 : 0;
    seen = bytes;
    if (quietTicks >= (taps.every(({ ended }) => ended) ? overTicks : stallTicks)) break;
  }
  return { is: 'cut', why: 'the command has ended, and the proved end of its streams did not arrive' };
}

async function allEnded(taps: readonly Tap[], waitMs: number): Promise<boolean> {
  const open = taps.filter((tap) => !tap.ended);
  return open.length === 0 || (await settledOrLate(Promise.all(open.map((tap) => tap.done)), waitMs));
}

async function quiet(taps: readonly Tap[]): Promise<void> {
  const from = performance.now();
  const ended = Promise.all(taps.map((tap) => tap.done));
  for (;;) {
    const open = taps.filter((tap) => !tap.ended);
    if (open.length === 0) return;
    const quietAt = Math.max(from, ...open.map((tap) => tap.lastAt)) + quietMs;
    const waitMs = Math.min(quietAt, from + totalMs) - performance.now();
    if (waitMs <= 0) return;
    await settledOrLate(ended, Math.ceil(waitMs));
  }
}

function bytesOf(taps: readonly Tap[]): number {
  return taps.reduce((sum, { bytes }) => sum + bytes, 0);
}

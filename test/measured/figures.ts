/**
 * Loaded into a program before its own code (`node --import`): answers each message of its parent with the memory of the process
 * and the delay of its event loop since the message before. `collect`: after a collection, for which `--expose-gc` is needed.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Figures {
  readonly rssMb: number;
  readonly heapMb: number;
  /** What V8 has of the system for its heap. */
  readonly heapTotalMb: number;
  /** Buffers and what else lies beside the heap. */
  readonly externalMb: number;
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
  readonly cpuMs: number;
}

const resolution = 5;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();

/** Node counts the interval of its timer among the delay. */
const beyondTimer = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution);

function figures(): Figures {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    rssMb: rss / 2 ** 20,
    heapMb: heapUsed / 2 ** 20,
    heapTotalMb: heapTotal / 2 ** 20,
    externalMb: external / 2 ** 20,
    delayP99Ms: beyondTimer(delay.percentile(99)),
    delayMaxMs: beyondTimer(delay.max),
    cpuMs: (user + system) / 1000,
  };
}

process.on('message', (asked) => {
  const answer = figures();
  if (Object(asked).collect === true) globalThis.gc?.();
  process.send?.(Object(asked).collect === true ? { ...answer, ...memoryAfter() } : answer);
  delay.reset();
});
process.channel?.unref();

function memoryAfter(): Pick<Figures, 'rssMb' | 'heapMb' | 'externalMb'> {
  const { rssMb, heapMb, externalMb } = figures();
  return { rssMb, heapMb, externalMb };
}

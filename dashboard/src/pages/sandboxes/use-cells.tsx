import { useLive } from '../../live/client.ts';
import { useLoaded } from '../../live/loaded.ts';
import { type Figure, recentPoints } from '../../plot/points.ts';
import { Spark } from '../../plot/spark.tsx';
import { bytesText, percentText } from '../../text/units.ts';

const everyMs = 20_000;
/** Six minutes. */
const last = 36;
const leastBytes = 16 * 1024 ** 2;

interface Input {
  readonly task: string;
  readonly runs: boolean;
}

/** Processor and memory of the last minutes. */
export function UseCells({ task, runs }: Input) {
  const { client } = useLive();
  const load = async (signal: AbortSignal) =>
    runs ? await client.sandboxes.samples(task, { last }, { signal }) : null;
  const { value } = useLoaded(load, { key: `${task} ${runs}`, ...(runs ? { everyMs } : {}) });
  const points = (figure: Figure) => (value === null ? [] : recentPoints(value, figure));
  return (
    <>
      <td>
        <Spark label="Processor" points={points('cpuCores')} least={0.1} text={percentText} />
      </td>
      <td>
        <Spark label="Memory" points={points('memoryBytes')} least={leastBytes} text={bytesText} />
      </td>
    </>
  );
}

import { useLive } from '../../live/client.ts';
import { useLoaded } from '../../live/loaded.ts';
import { recentPoints } from '../../plot/points.ts';
import { Spark } from '../../plot/spark.tsx';
import { bytesText, percentText } from '../../text/units.ts';

const everyMs = 20_000;
/** Six minutes. */
const last = 36;
const leastBytes = 16 * 1024 ** 2;

/** Processor and memory of the last minutes. */
export function UseCell({ task }: { readonly task: string }) {
  const { client } = useLive();
  const { value } = useLoaded((signal) => client.sandboxes.samples(task, { last }, { signal }), { key: task, everyMs });
  if (value === null) return null;
  return (
    <>
      <Spark label="Processor" points={recentPoints(value, 'cpuCores')} least={0.1} text={percentText} />
      <Spark label="Memory" points={recentPoints(value, 'memoryBytes')} least={leastBytes} text={bytesText} />
    </>
  );
}

import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLive } from '../../live/client.ts';
import { useNow } from '../../live/clock.ts';
import { useLoaded } from '../../live/loaded.ts';
import { Axis, type Line, Plot } from '../../plot/plot.tsx';
import { dayPoints, type Figure, recentPoints, type Samples } from '../../plot/points.ts';
import { bytesText, coresText } from '../../text/units.ts';
import { marksOf } from './marks.ts';
import { momentIn, momentOf } from './moment.ts';
import { MomentView } from './moment-view.tsx';
import { Past } from './past.ts';
import { Problem } from '../../parts/problem.tsx';

const spans = { hour: 3_600_000, day: 86_400_000 } as const;
type Span = keyof typeof spans;

const mib = 1024 ** 2;
const rate = (value: number): string => `${bytesText(value)}/s`;
const plots: readonly {
  readonly title: string;
  readonly figures: readonly (readonly [figure: Figure, label: string])[];
  readonly least: number;
  readonly text: (value: number) => string;
}[] = [
  { title: 'Processor', figures: [['cpuCores', '']], least: 0.1, text: coresText },
  { title: 'Memory', figures: [['memoryBytes', '']], least: 16 * mib, text: bytesText },
  { title: 'Processes', figures: [['pids', '']], least: 10, text: String },
  {
    title: 'Network',
    figures: [
      ['receivedPerSecond', 'received'],
      ['sentPerSecond', 'sent'],
    ],
    least: 1024,
    text: rate,
  },
];

interface Input {
  readonly task: string;
  /** RFC 3339: the moment that is looked at. */
  readonly at: string | undefined;
}

/** What the sandbox has used, and below it what happened then. */
export function Use({ task, at }: Input) {
  const { client } = useLive();
  const [span, setSpan] = useState<Span>('hour');
  const past = useMemo(() => [new Past(task, 'sandbox.state'), new Past(task, 'network.denied')] as const, [task]);
  const momentMs = momentIn(at);
  const toMs = useNow(10_000);
  const fromMs = toMs - spans[span];
  useEffect(() => {
    if (momentMs !== null && momentMs < Date.now() - spans.hour) setSpan('day');
  }, [momentMs]);
  const load = async (signal: AbortSignal) => {
    const since = new Date(Date.now() - spans[span]).toISOString();
    const [samples, acts, questions, ...events] = await Promise.all([
      client.sandboxes.samples(task, {}, { signal }),
      client.history.list({ task, since, limit: 200 }, { signal }),
      Array.fromAsync(client.audit.tail({ task, since, verdict: 'ask', count: 200 }, { signal })),
      ...past.map(async (each) => await each.load(client.events, signal)),
    ]);
    const [states = [], denials = []] = events.map((found) => found.filter((change) => change.at >= since));
    return { samples, marks: marksOf({ task, acts: acts.items, questions, states, denials }) };
  };
  const { value, problem } = useLoaded(load, { key: `${task} ${span}`, everyMs: 10_000 });
  return (
    <>
      <h2>Use</h2>
      <p class="tabs" role="group" aria-label="Span of the plots">
        {(['hour', 'day'] as const).map((each) => (
          <button key={each} type="button" aria-pressed={each === span} onClick={() => setSpan(each)}>
            Last {each}
          </button>
        ))}
      </p>
      <Problem text={problem} />
      <div class="plots">
        {plots.map(({ title, figures, least, text }) => (
          <Plot
            key={title}
            title={title}
            lines={figures.map(([figure, label]) => lineOf(value?.samples ?? null, { figure, label, span }))}
            fromMs={fromMs}
            toMs={toMs}
            least={least}
            text={text}
            momentMs={momentMs}
          />
        ))}
        <Axis marks={(value?.marks ?? []).filter(({ atMs }) => atMs >= fromMs)} fromMs={fromMs} toMs={toMs} />
      </div>
      {momentMs === null || value === null ? null : <MomentView task={task} moment={momentOf(momentMs, value)} />}
    </>
  );
}

interface LineInput {
  readonly figure: Figure;
  readonly label: string;
  readonly span: Span;
}

function lineOf(samples: Samples | null, { figure, label, span }: LineInput): Line {
  if (samples === null) return { label, points: [] };
  const recent = recentPoints(samples, figure);
  return { label, points: span === 'hour' ? recent : [...dayPoints(samples, figure), ...recent.slice(-1)] };
}

import { useState } from 'preact/hooks';
import { replaceRoute } from '../../live/address.ts';
import { useLive } from '../../live/client.ts';
import { useChanges, useCurrentFeed } from '../../live/changes.ts';
import { useLoaded } from '../../live/loaded.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Choice, Texts, Times } from '../../parts/filter-bar.tsx';
import { hashOfExec, hashOfTask, type Route, withFilter } from '../../route.ts';
import { historyAction } from '../../text/actions.ts';
import { cut, shown } from '../../text/hostile.ts';
import { commandText } from '../../text/shell.ts';
import { bytesText, durationText } from '../../text/units.ts';
import { type Act, askOf, endOf, faults, type Filters, filtersOf } from './filters.ts';
import { Problem } from '../../parts/problem.tsx';

const firstCount = 100;
const maxCount = 1000;
const heads = ['Began', 'Owner', 'Token', 'Task', 'Kind', 'End', 'Took', 'Output', 'What'] as const;

/** Who ran what, and how it ended, newest first. */
export function HistoryPage({ route }: { readonly route: Route }) {
  const { client } = useLive();
  const filters = filtersOf(route.filters);
  const ask = askOf(filters);
  const [limit, setLimit] = useState(firstCount);
  const { value, problem, again } = useLoaded((signal) => client.history.list({ ...ask, limit }, { signal }), {
    key: `${JSON.stringify(ask)} ${limit}`,
    everyMs: 10_000,
  });
  useChanges(useCurrentFeed(), again);
  return (
    <section aria-labelledby="history-title">
      <h1 id="history-title">History</h1>
      <FilterBar filters={filters} onFilter={(name, text) => replaceRoute(withFilter(route, name, text))} />
      <Copyable action={historyAction(ask)} />
      <Problem text={problem} />
      <table class="plain acts">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(value?.items ?? []).map((act, at) => (
            <Line key={act.execId ?? `${act.startedAt} ${at}`} act={act} />
          ))}
        </tbody>
      </table>
      {value?.items.length === 0 ? <p class="empty">No act is on record.</p> : null}
      {value === null || value.nextCursor === null || limit >= maxCount ? null : (
        <button type="button" onClick={() => setLimit(maxCount)}>
          More
        </button>
      )}
    </section>
  );
}

interface FilterInput {
  readonly filters: Filters;
  readonly onFilter: (name: string, text: string) => void;
}

function FilterBar({ filters, onFilter }: FilterInput) {
  const { may } = useLive();
  return (
    <div class="filters">
      <Texts names={may('admin') ? ['task', 'owner'] : ['task']} filters={filters} onFilter={onFilter} />
      <Choice label="End" value={filters.outcome} options={faults} onChange={(text) => onFilter('outcome', text)} />
      <Times filters={filters} onFilter={onFilter} />
    </div>
  );
}

function Line({ act }: { readonly act: Act }) {
  const { taskId, execId, owner, token, kind, command, startedAt, outcome, durationMs, bytes } = act;
  const text = cut(shown(commandText(command)), 200);
  return (
    <tr>
      <td>{startedAt}</td>
      <td>{shown(owner)}</td>
      <td>{token === null ? '' : shown(token)}</td>
      <td>
        <a href={hashOfTask(taskId)}>{shown(taskId)}</a>
      </td>
      <td>{kind}</td>
      <td class={outcome === 'done' || outcome === 'running' ? undefined : 'problem'}>{shown(endOf(act))}</td>
      <td>{durationMs === null ? '' : durationText(durationMs)}</td>
      <td>{bytes === null ? '' : bytesText(bytes)}</td>
      <td class="mono">
        {kind === 'exec' && execId !== null && outcome !== 'denied' ? (
          <a href={hashOfExec(taskId, execId)}>{text}</a>
        ) : (
          text
        )}
      </td>
    </tr>
  );
}

import { useState } from 'preact/hooks';
import { replaceRoute } from '../../live/address.ts';
import { useLive } from '../../live/client.ts';
import { useChanges, useCurrentFeed } from '../../live/changes.ts';
import { useLoaded } from '../../live/loaded.ts';
import { Copyable } from '../../parts/copy.tsx';
import { hashOf, hashOfTask, home, type Route, withFilter } from '../../route.ts';
import { historyAction } from '../../text/actions.ts';
import { cut, shown } from '../../text/hostile.ts';
import { commandText } from '../../text/shell.ts';
import { bytesText, durationText } from '../../text/units.ts';
import { type Act, askOf, endOf, faults, type Filters, filtersOf } from './filters.ts';

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
      {problem === null ? null : (
        <p role="alert" class="problem">
          {shown(problem)}
        </p>
      )}
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
  const names = may('admin') ? (['task', 'owner'] as const) : (['task'] as const);
  return (
    <div class="filters">
      {names.map((name) => (
        <label key={name}>
          {name === 'task' ? 'Task' : 'Owner'}{' '}
          <input
            type="search"
            value={filters[name]}
            onChange={({ currentTarget }) => onFilter(name, currentTarget.value)}
          />
        </label>
      ))}
      <label>
        End{' '}
        <select value={filters.outcome} onChange={({ currentTarget }) => onFilter('outcome', currentTarget.value)}>
          <option value="">any</option>
          {faults.map((fault) => (
            <option key={fault}>{fault}</option>
          ))}
        </select>
      </label>
      {(['since', 'until'] as const).map((name) => (
        <label key={name}>
          {name === 'since' ? 'Since' : 'Until'}{' '}
          <input
            type="datetime-local"
            value={filters[name]}
            onInput={({ currentTarget }) => onFilter(name, currentTarget.value)}
          />
        </label>
      ))}
    </div>
  );
}

function Line({ act }: { readonly act: Act }) {
  const { taskId, execId, owner, token, kind, command, startedAt, outcome, durationMs, bytes } = act;
  const text = cut(shown(commandText(command)), 200);
  const at = hashOf({ ...home, page: 'sandbox', task: taskId, tab: 'execs', filters: { exec: execId ?? '' } });
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
        {kind === 'exec' && execId !== null && outcome !== 'denied' ? <a href={at}>{text}</a> : text}
      </td>
    </tr>
  );
}

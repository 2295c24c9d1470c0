import { useState } from 'preact/hooks';
import { replaceRoute } from '../../live/address.ts';
import { useLive } from '../../live/client.ts';
import { problemText, useLoaded } from '../../live/loaded.ts';
import { Choice, Texts, Times } from '../../parts/filter-bar.tsx';
import { hashOfExec, hashOfTask, type Route, withFilter } from '../../route.ts';
import { cut, shown } from '../../text/hostile.ts';
import {
  askOf,
  detailsOf,
  filtered,
  type Filters,
  filtersOf,
  lastVerifiedText,
  type Record,
  textOf,
  verifiedText,
} from './records.ts';
import { Problem } from '../../parts/problem.tsx';

const mostRead = 2000;
const mostShown = 200;
const types = [
  'decision',
  'run',
  'exit',
  'copy',
  'file',
  'mount',
  'loss',
  'abandon',
  'trust',
  'config',
  'access',
  'egress',
] as const;

/** Who ran what, and what was decided about it: the newest records first. */
export function AuditPage({ route }: { readonly route: Route }) {
  const { client, may } = useLive();
  const filters = filtersOf(route.filters);
  const ask = askOf(filters);
  const load = async (signal: AbortSignal): Promise<readonly Record[]> =>
    await Array.fromAsync(client.audit.tail({ ...ask, count: mostRead }, { signal }));
  const { value, problem, again } = useLoaded(load, { key: JSON.stringify(ask), everyMs: 10_000 });
  const records = filtered(value ?? [], filters);
  const filter = (name: string, text: string): void => replaceRoute(withFilter(route, name, text));
  return (
    <section aria-labelledby="audit-title">
      <h1 id="audit-title">Audit</h1>
      <FilterBar filters={filters} onFilter={filter} onAgain={again} />
      {may('admin') ? <Verify /> : null}
      <Problem text={problem} />
      <p role="status">
        {records.length} of the last {value?.length ?? 0} records
        {records.length > mostShown ? `; ${mostShown} are shown` : ''}.
      </p>
      <table class="plain audit">
        <tbody>
          {records.slice(0, mostShown).map((record) => (
            <Line key={record.seq} record={record} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface FilterInput {
  readonly filters: Filters;
  readonly onFilter: (name: string, text: string) => void;
  readonly onAgain: () => void;
}

function FilterBar({ filters, onFilter, onAgain }: FilterInput) {
  const { may } = useLive();
  const names = may('admin') ? (['task', 'owner', 'rule', 'text'] as const) : (['task', 'rule', 'text'] as const);
  return (
    <div class="filters">
      <Choice label="Kind" value={filters.type} options={types} onChange={(text) => onFilter('type', text)} />
      <Choice
        label="Verdict"
        value={filters.verdict}
        options={['allow', 'ask', 'deny']}
        onChange={(text) => onFilter('verdict', text)}
      />
      <Texts names={names} filters={filters} onFilter={onFilter} />
      <Times filters={filters} onFilter={onFilter} />
      <button type="button" onClick={onAgain}>
        Again
      </button>
    </div>
  );
}

function Line({ record }: { readonly record: Record }) {
  const [task, exec] = [textOf(record['taskId']), textOf(record['execId'])];
  const verdict = textOf(record['verdict']);
  return (
    <tr>
      <td>{record.seq}</td>
      <td>{record.at}</td>
      <td>{shown(record.type)}</td>
      <td>{task === '' ? null : <a href={hashOfTask(task)}>{shown(task)}</a>}</td>
      <td class={verdict === 'deny' ? 'problem' : undefined}>{shown(verdict)}</td>
      <td class="mono">
        {cut(shown(detailsOf(record)), 400)}{' '}
        {exec === '' || task === '' ? null : <a href={hashOfExec(task, exec)}>{shown(exec)}</a>}
      </td>
    </tr>
  );
}

function Verify() {
  const { client } = useLive();
  const [said, setSaid] = useState<string | null>(null);
  const { value: status } = useLoaded(() => client.installation.status(), { key: 'verified' });
  const verify = async (): Promise<void> => {
    setSaid('…');
    setSaid(await client.audit.verify().then(verifiedText, problemText));
  };
  return (
    <p>
      <button type="button" onClick={() => void verify()}>
        Verify
      </button>{' '}
      <span role="status">{said ?? (status === null ? null : lastVerifiedText(status.audit.verified))}</span>
    </p>
  );
}

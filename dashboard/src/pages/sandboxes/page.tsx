import { useState } from 'preact/hooks';
import { replaceRoute } from '../../live/address.ts';
import { useLive } from '../../live/client.ts';
import { useNow } from '../../live/clock.ts';
import { Choice } from '../../parts/filter-bar.tsx';
import { type Route, withFilter } from '../../route.ts';
import { BulkBar } from './bulk-bar.tsx';
import { CreateForm } from './create.tsx';
import { useRows } from './loaded-rows.ts';
import { arranged, shownOf } from './rows.ts';
import { Table } from './table.tsx';
import { Problem } from '../../parts/problem.tsx';

const states = ['creating', 'ready', 'stopped', 'destroying'] as const;

export function SandboxesPage({ route }: { readonly route: Route }) {
  const { may } = useLive();
  const now = useNow(1000);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = shownOf(route.filters);
  const { all, problem, again } = useRows(shown, now);
  const rows = arranged(all, shown);
  const picked = rows.filter(({ sandbox }) => chosen.has(sandbox.id)).map(({ sandbox }) => sandbox.taskId);
  const filter = (name: string, text: string): void => replaceRoute(withFilter(route, name, text));
  return (
    <section aria-labelledby="sandboxes-title">
      <h1 id="sandboxes-title">Sandboxes</h1>
      <div class="filters">
        <label>
          Filter{' '}
          <input
            type="search"
            value={shown.text}
            onInput={({ currentTarget }) => filter('text', currentTarget.value)}
          />
        </label>
        <Choice label="State" value={shown.state} options={states} onChange={(state) => filter('state', state)} />
        <span role="status">
          {rows.length} of {all.length}
        </span>
        {may('run') ? <CreateForm onCreated={again} /> : null}
      </div>
      <Problem text={problem} />
      {may('run') ? <BulkBar tasks={picked} onDone={() => (setChosen(new Set()), again())} /> : null}
      <Table
        rows={rows}
        shown={shown}
        now={now}
        route={route}
        chosen={chosen}
        onChoose={may('run') ? setChosen : null}
      />
    </section>
  );
}

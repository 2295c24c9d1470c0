/** One sandbox: what it is, and ways to act in it. Tabs are links. */
import { useState } from 'preact/hooks';
import { useLive } from '../../live/client.ts';
import { useChanges, useCurrentFeed } from '../../live/changes.ts';
import { problemText, useLoaded } from '../../live/loaded.ts';
import { Copyable } from '../../parts/copy.tsx';
import { hashOfTask, type Route, type Tab, tabs } from '../../route.ts';
import { startAction, stopAction } from '../../text/actions.ts';
import { shown } from '../../text/hostile.ts';
import { ExecsTab } from './execs/tab.tsx';
import { FilesTab } from './files/tab.tsx';
import type { Inspected } from './inspected.ts';
import { NetworkTab } from './network.tsx';
import { OverviewTab } from './overview.tsx';
import { ProcessesTab } from './processes.tsx';
import { later } from '../../parts/later.tsx';
import { Problem } from '../../parts/problem.tsx';

/** The terminal is half of what there is to load. */
const Terminals = later(async () => (await import('./terminal/tabs.tsx')).Terminals);

const labels: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  terminal: 'Terminal',
  files: 'Files',
  execs: 'Commands',
  network: 'Network',
  processes: 'Processes',
};

export function SandboxPage({ task, route }: { readonly task: string; readonly route: Route }) {
  const { client, may } = useLive();
  const load = async (signal: AbortSignal): Promise<Inspected> => await client.sandboxes.get(task, { signal });
  const { value, problem, again } = useLoaded(load, { key: task, everyMs: 10_000 });
  useChanges(useCurrentFeed(), again);
  const offered = tabs.filter((tab) => tab !== 'terminal' || may('run'));
  const tab = offered.includes(route.tab) ? route.tab : 'overview';
  return (
    <section aria-labelledby="sandbox-title">
      <h1 id="sandbox-title">{shown(task)}</h1>
      <Problem text={problem} />
      {value === null ? null : <Head sandbox={value} onChange={again} />}
      <nav class="tabs" aria-label="Views of the sandbox">
        {offered.map((each) => (
          <a key={each} href={hashOfTask(task, each)} aria-current={each === tab ? 'page' : undefined}>
            {labels[each]}
          </a>
        ))}
      </nav>
      {value === null ? null : <Shown tab={tab} sandbox={value} route={route} />}
    </section>
  );
}

function Shown({ tab, sandbox, route }: { readonly tab: Tab; readonly sandbox: Inspected; readonly route: Route }) {
  const { taskId } = sandbox;
  if (tab === 'terminal') return <Terminals task={taskId} />;
  if (tab === 'files') return <FilesTab sandbox={sandbox} route={route} />;
  if (tab === 'execs') return <ExecsTab task={taskId} route={route} />;
  if (tab === 'network') return <NetworkTab sandbox={sandbox} />;
  if (tab === 'processes') return <ProcessesTab task={taskId} />;
  return <OverviewTab sandbox={sandbox} route={route} />;
}

function Head({ sandbox, onChange }: { readonly sandbox: Inspected; readonly onChange: () => void }) {
  const { client, may } = useLive();
  const { taskId, id, state, backend, spec } = sandbox;
  const [said, setSaid] = useState<string | null>(null);
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setSaid('…');
    await work().then(
      () => setSaid(null),
      (error: unknown) => setSaid(problemText(error)),
    );
    onChange();
  };
  const isStopped = state === 'stopped';
  return (
    <div class="head">
      <span class={`state ${state}`}>{state}</span> {shown(backend)} {shown(spec.image ?? '')} <code>{id}</code>{' '}
      {may('run') ? (
        <button
          type="button"
          onClick={() => void act(() => (isStopped ? client.sandboxes.start(taskId) : client.sandboxes.stop(taskId)))}
        >
          {isStopped ? 'Start' : 'Stop'}
        </button>
      ) : null}{' '}
      <span role="status" class="problem">
        {said === null ? null : shown(said)}
      </span>
      {may('run') ? <Copyable action={isStopped ? startAction(taskId) : stopAction([taskId])} /> : null}
    </div>
  );
}

import { useState } from 'preact/hooks';
import { useLive } from '../../../live/client.ts';
import { useNow } from '../../../live/clock.ts';
import { useChanges, useCurrentFeed } from '../../../live/changes.ts';
import { useLoaded } from '../../../live/loaded.ts';
import { hashOf, type Route } from '../../../route.ts';
import { cut, shown } from '../../../text/hostile.ts';
import { commandText } from '../../../text/shell.ts';
import { agoText, durationText } from '../../../text/units.ts';
import { exitText } from './output.ts';
import { Replay } from './replay.tsx';
import { RunForm } from './run.tsx';
import { Problem } from '../../../parts/problem.tsx';

/** Commands of the sandbox, newest first; the chosen one is replayed, and followed while it runs. */
export function ExecsTab({ task, route }: { readonly task: string; readonly route: Route }) {
  const { client, may } = useLive();
  const now = useNow(1000);
  const [most, setMost] = useState(40);
  const { value, problem, again } = useLoaded((signal) => client.execs.list({ task, limit: most }, { signal }), {
    key: `${task} ${most}`,
    everyMs: 5000,
  });
  useChanges(useCurrentFeed(), again);
  const chosen = route.filters['exec'] ?? null;
  const at = (exec: string): string => hashOf({ ...route, filters: { exec } });
  return (
    <>
      {may('run') ? <RunForm task={task} onStarted={(id) => (location.hash = at(id))} /> : null}
      <Problem text={problem} />
      {chosen === null ? null : <Replay key={chosen} execId={chosen} />}
      <table class="plain execs">
        <tbody>
          {(value?.items ?? []).map(({ id, command, startedAt, exit }) => (
            <tr key={id} aria-current={id === chosen ? 'true' : undefined}>
              <td>{agoText(startedAt, now)} ago</td>
              <td class={exit === null || exit.exitCode === 0 ? undefined : 'problem'}>{shown(exitText(exit))}</td>
              <td>{exit === null ? '' : durationText(exit.durationMs)}</td>
              <td class="mono">
                <a href={at(id)}>{cut(shown(commandText(command)), 200) || '(no record)'}</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {value?.items.length === 0 ? <p class="empty">No command is on record.</p> : null}
      {value?.nextCursor == null || most >= 1000 ? null : (
        <button type="button" onClick={() => setMost(Math.min(1000, most * 5))}>
          More
        </button>
      )}
    </>
  );
}

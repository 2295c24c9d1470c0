import { useLive } from '../../live/client.ts';
import { useLoaded } from '../../live/loaded.ts';
import { Copyable } from '../../parts/copy.tsx';
import { killAction } from '../../text/actions.ts';
import { cut, shown } from '../../text/hostile.ts';
import { commandText } from '../../text/shell.ts';
import { Problem } from '../../parts/problem.tsx';

/** Detached processes and sessions. */
export function ProcessesTab({ task }: { readonly task: string }) {
  const { client, may } = useLive();
  const load = async (signal: AbortSignal) => ({
    processes: await client.processes.list({ task }, { signal }),
    sessions: await client.sessions.list(task, { signal }),
  });
  const { value, problem, again } = useLoaded(load, { key: task, everyMs: 5000 });
  return (
    <>
      <Problem text={problem} />
      <h2>Processes</h2>
      <table class="plain">
        <tbody>
          {(value?.processes ?? []).map(({ id, command, state, note }) => (
            <tr key={id}>
              <td>
                <code>{shown(id)}</code>
              </td>
              <td>{state}</td>
              <td class="mono">{cut(shown(commandText(command)), 200)}</td>
              <td>{shown(note ?? '')}</td>
              <td>
                {may('run') && state === 'running' ? (
                  <>
                    <button type="button" class="danger" onClick={() => void client.processes.kill(id).finally(again)}>
                      Kill
                    </button>
                    <Copyable action={killAction(id)} />
                  </>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {value?.processes.length === 0 ? <p class="empty">No detached process is on record.</p> : null}
      <h2>Sessions</h2>
      <ul>
        {(value?.sessions ?? []).map(({ name, open }) => (
          <li key={name}>
            {shown(name)} {open ? 'open' : 'closed'}
          </li>
        ))}
      </ul>
      {value?.sessions.length === 0 ? <p class="empty">No session is open.</p> : null}
    </>
  );
}

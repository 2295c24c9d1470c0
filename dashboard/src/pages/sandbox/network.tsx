import type { CaissonClient } from 'caisson/client';
import { useState } from 'preact/hooks';
import { useLive } from '../../live/client.ts';
import { useChanges, useCurrentFeed } from '../../live/changes.ts';
import { problemText, useLoaded } from '../../live/loaded.ts';
import { Copyable } from '../../parts/copy.tsx';
import { allowAction } from '../../text/actions.ts';
import { isPlain, shown } from '../../text/hostile.ts';
import type { Inspected } from './inspected.ts';
import { Suggestion } from './suggestion.tsx';
import { Problem } from '../../parts/problem.tsx';

type Log = ReturnType<CaissonClient['network']['log']>;
type Connection = Log extends AsyncIterable<infer Each> ? Each : never;

const most = 200;

/** Connections of a sandbox whose network is filtered, the newest first, and what would allow the denied ones. */
export function NetworkTab({ sandbox }: { readonly sandbox: Inspected }) {
  const { taskId, spec } = sandbox;
  if (spec.network !== 'filtered')
    return <p class="empty">Its network is {spec.network}: connections are not on record.</p>;
  return <Filtered task={taskId} />;
}

function Filtered({ task }: { readonly task: string }) {
  const { client, may } = useLive();
  const load = async (signal: AbortSignal): Promise<readonly Connection[]> =>
    (await Array.fromAsync(client.network.log(task, { count: most }, { signal }))).toReversed();
  const { value, problem, again } = useLoaded(load, { key: task, everyMs: 5000 });
  useChanges(useCurrentFeed(), again);
  const [said, setSaid] = useState<string | null>(null);
  const allow = async (host: string): Promise<void> => {
    await client.network.change(task, { allow: [host] }).then(
      () => setSaid(`${host} is allowed until the sandbox is removed.`),
      (error: unknown) => setSaid(problemText(error)),
    );
    again();
  };
  return (
    <>
      <Problem text={problem} />
      <p role="status">{said === null ? null : shown(said)}</p>
      <Suggestion task={task} />
      <table class="plain">
        <tbody>
          {(value ?? []).map((each, at) => (
            <Line
              key={`${each.startedAt} ${at}`}
              task={task}
              connection={each}
              onAllow={may('approve') ? allow : null}
            />
          ))}
        </tbody>
      </table>
      {value?.length === 0 ? <p class="empty">No connection is on record.</p> : null}
    </>
  );
}

interface LineInput {
  readonly task: string;
  readonly connection: Connection;
  readonly onAllow: ((host: string) => Promise<void>) | null;
}

function Line({ task, connection, onAllow }: LineInput) {
  const { startedAt, name, port, verdict, rule, reason } = connection;
  const host =
    name === null || !isPlain(name) ? null : port === null || port === 443 || port === 80 ? name : `${name}:${port}`;
  return (
    <tr>
      <td>{startedAt}</td>
      <td class={verdict === 'deny' ? 'problem' : undefined}>{verdict === 'deny' ? 'denied' : 'allowed'}</td>
      <td class="mono">
        {shown(name ?? 'no name')}:{port ?? '?'}
      </td>
      <td>
        {shown(rule)}: {shown(reason)}
      </td>
      <td>
        {verdict === 'deny' && host !== null && onAllow !== null ? (
          <>
            <button type="button" onClick={() => void onAllow(host)}>
              Allow for this task
            </button>
            <Copyable action={allowAction(task, host)} />
          </>
        ) : null}
      </td>
    </tr>
  );
}

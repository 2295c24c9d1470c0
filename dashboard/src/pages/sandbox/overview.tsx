import { useLive } from '../../live/client.ts';
import { useNow } from '../../live/clock.ts';
import { useLoaded } from '../../live/loaded.ts';
import type { Route } from '../../route.ts';
import { shown } from '../../text/hostile.ts';
import { agoText, durationText } from '../../text/units.ts';
import type { Inspected } from './inspected.ts';
import { Use } from './use.tsx';

/** What was wanted beside what holds, and what ends it. */
export function OverviewTab({ sandbox, route }: { readonly sandbox: Inspected; readonly route: Route }) {
  const { degraded } = sandbox;
  return (
    <>
      <Facts sandbox={sandbox} />
      <Use task={sandbox.taskId} at={route.filters['at']} />
      <h2>Wanted beside effective</h2>
      <Limits task={sandbox.taskId} />
      {degraded.length === 0 ? null : <h2>Asked for, and not held</h2>}
      <ul>
        {degraded.map(({ control, reason }) => (
          <li key={control}>
            {shown(control)}: {shown(reason)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Facts({ sandbox }: { readonly sandbox: Inspected }) {
  const now = useNow(1000);
  const { createdAt, usedAt, spec, endsBy } = sandbox;
  const ends = endsBy.flatMap(({ by, does, at }) =>
    at === null ? [] : [`${does} by ${by} in ${durationText(Math.max(0, Date.parse(at) - now))}`],
  );
  return (
    <dl class="facts">
      <dt>Made</dt>
      <dd>{agoText(createdAt, now)} ago</dd>
      <dt>Used</dt>
      <dd>{agoText(usedAt, now)} ago</dd>
      <dt>Ends</dt>
      <dd>{ends.length === 0 ? 'by a caller alone' : ends.join('; ')}</dd>
      <dt>Network</dt>
      <dd>{spec.network}</dd>
      <dt>Starts in</dt>
      <dd>{shown(spec.cwd)}</dd>
    </dl>
  );
}

const heads = ['Limit', 'Wanted', 'Effective', 'Standing', 'Why'] as const;

function Limits({ task }: { readonly task: string }) {
  const { client } = useLive();
  const { value } = useLoaded((signal) => client.sandboxes.limits(task, { signal }), { key: task, everyMs: 10_000 });
  return (
    <table class="plain">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head}>{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {value === null ? null : (
          <tr>
            <td>network</td>
            <td>{value.network.mode}</td>
            <td>{value.network.standing === 'not-enforced' ? 'not held' : value.network.mode}</td>
            <td class={value.network.standing === 'not-enforced' ? 'problem' : undefined}>{value.network.standing}</td>
            <td>{shown(value.network.why ?? '')}</td>
          </tr>
        )}
        {(value?.limits ?? []).map(({ name, wanted, effective, standing, why }) => (
          <tr key={name}>
            <td>{shown(name)}</td>
            <td>{wanted ?? 'none'}</td>
            <td>{effective ?? 'no limit'}</td>
            <td class={standing === 'not-enforced' ? 'problem' : undefined}>{standing}</td>
            <td>{shown(why ?? '')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

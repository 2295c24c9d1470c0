import { useEffect, useState } from 'preact/hooks';
import { useLive } from '../../live/client.ts';
import { useNow } from '../../live/clock.ts';
import { problemText } from '../../live/loaded.ts';
import { Copyable } from '../../parts/copy.tsx';
import { removeAction, stopAction } from '../../text/actions.ts';
import { shown } from '../../text/hostile.ts';
import { doneText, type Failed, isDue, type Planned, planOf, planText, type Verb } from './bulk.ts';

interface Input {
  readonly tasks: readonly string[];
  readonly onDone: () => void;
}

export function BulkBar({ tasks, onDone }: Input) {
  const { client } = useLive();
  const [plan, setPlan] = useState<Planned | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const now = useNow(250);
  const act = async ({ verb, tasks: all }: Planned): Promise<void> => {
    const lost: Failed[] = [];
    for (const task of all)
      await (verb === 'stop' ? client.sandboxes.stop(task) : client.sandboxes.remove(task)).catch((error: unknown) =>
        lost.push({ task, why: problemText(error) }),
      );
    setFailed(lost);
    setSaid(doneText(verb, all.length, lost));
    onDone();
  };
  useEffect(() => {
    if (plan === null || !isDue(plan, now)) return;
    setPlan(null);
    void act(plan);
  }, [plan, now]);
  const begin = (verb: Verb): void => {
    setSaid(null);
    setFailed([]);
    setPlan(planOf(verb, tasks, Date.now()));
  };
  return (
    <div class="bulk">
      {plan === null ? (
        <Begin tasks={tasks} onBegin={begin} />
      ) : (
        <p role="alert">
          {planText(plan, now)}{' '}
          <button type="button" onClick={() => setPlan(null)}>
            Cancel
          </button>
        </p>
      )}
      <p role="status">{said}</p>
      {failed.map(({ task, why }) => (
        <p key={task} class="problem">
          {shown(task)}: {shown(why)}
        </p>
      ))}
    </div>
  );
}

function Begin({ tasks, onBegin }: { readonly tasks: readonly string[]; readonly onBegin: (verb: Verb) => void }) {
  const count = tasks.length;
  return (
    <>
      <p>
        {count} chosen{' '}
        <button type="button" disabled={count === 0} onClick={() => onBegin('stop')}>
          Stop
        </button>{' '}
        <button type="button" class="danger" disabled={count === 0} onClick={() => onBegin('remove')}>
          Remove
        </button>
      </p>
      {count === 0 ? null : <Copyable action={stopAction(tasks)} />}
      {count === 0 ? null : <Copyable action={removeAction(tasks)} />}
    </>
  );
}

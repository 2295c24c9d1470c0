import { useState } from 'preact/hooks';
import { useLive } from '../../live/client.ts';
import { problemText } from '../../live/loaded.ts';
import { Copyable } from '../../parts/copy.tsx';
import { submitted } from '../../parts/form.ts';
import { createAction } from '../../text/actions.ts';

/** A sandbox of a task, as the configuration has it. */
export function CreateForm({ onCreated }: { readonly onCreated: () => void }) {
  const { client } = useLive();
  const [said, setSaid] = useState<string | null>(null);
  const [task, setTask] = useState('');
  const submit = async (event: SubmitEvent): Promise<void> => {
    const given = submitted(event, 'task');
    if (given === null) return;
    setSaid('Making it …');
    try {
      await client.sandboxes.create({ taskId: given.text });
      given.form.reset();
      setTask('');
      setSaid(null);
    } catch (error) {
      setSaid(problemText(error));
    }
    onCreated();
  };
  return (
    <form class="create" onSubmit={(event) => void submit(event)}>
      <label>
        New task{' '}
        <input
          name="task"
          onInput={({ currentTarget }) => setTask(currentTarget.value)}
          required
          pattern="[a-z0-9][a-z0-9_\-]*"
          maxLength={63}
        />
      </label>{' '}
      <button type="submit">Create</button> <span role="status">{said}</span>
      {task === '' ? null : <Copyable action={createAction(task)} />}
    </form>
  );
}

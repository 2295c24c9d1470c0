import { useState } from 'preact/hooks';
import { useLive } from '../../../live/client.ts';
import { problemText } from '../../../live/loaded.ts';
import { Copyable } from '../../../parts/copy.tsx';
import { submitted } from '../../../parts/form.ts';
import { runAction } from '../../../text/actions.ts';
import { shown } from '../../../text/hostile.ts';

/** Runs a line by the shell of the sandbox. The command goes on when the page is closed. */
export function RunForm({ task, onStarted }: { readonly task: string; readonly onStarted: (execId: string) => void }) {
  const { client } = useLive();
  const [said, setSaid] = useState<string | null>(null);
  const [text, setText] = useState('');
  const submit = async (event: SubmitEvent): Promise<void> => {
    const given = submitted(event, 'command');
    if (given === null) return;
    setSaid('…');
    const question = { waits: true, onAsked: () => setSaid('It waits for a person.') };
    try {
      const running = await client.exec(
        { taskId: task, existing: true, command: ['sh', '-c', given.text] },
        { question },
      );
      running.ignore();
      given.form.reset();
      setText('');
      setSaid(null);
      onStarted(running.id);
    } catch (error) {
      setSaid(problemText(error));
    }
  };
  return (
    <form class="run" onSubmit={(event) => void submit(event)}>
      <label>
        Run{' '}
        <input
          name="command"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          required
          autocomplete="off"
          spellcheck={false}
          class="mono"
        />
      </label>{' '}
      <button type="submit">Run</button> <span role="status">{said === null ? null : shown(said)}</span>
      {text === '' ? null : <Copyable action={runAction(task, text)} />}
    </form>
  );
}

import { useEffect, useState } from 'preact/hooks';
import { useLive } from '../../../live/client.ts';
import { problemText } from '../../../live/loaded.ts';
import { Copyable } from '../../../parts/copy.tsx';
import { cancelAction, logsAction } from '../../../text/actions.ts';
import { shown } from '../../../text/hostile.ts';
import { exitText, Output, tailBytes } from './output.ts';

const drawMs = 100;

/** Output of one command: the end of what is on record, and what comes. */
export function Replay({ execId }: { readonly execId: string }) {
  const { client, may } = useLive();
  const [text, setText] = useState('');
  const [end, setEnd] = useState<string | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const output = new Output();
    const timer = setInterval(() => setText(output.text), drawMs);
    const follow = async (): Promise<void> => {
      const how = { follow: true, tailBytes };
      for await (const { event } of client.execs.logs(execId, how, { signal: leaving.signal })) {
        if (event.type === 'stdout' || event.type === 'stderr') output.add(event.type, event.bytes);
        if (event.type === 'gap') output.addGap(event.stream, event.bytes);
        if (event.type === 'exit') setEnd([exitText(event.exit), ...event.exit.notes].join('. '));
      }
    };
    void follow()
      .catch((error: unknown) => leaving.signal.aborted || setEnd(problemText(error)))
      .finally(() => {
        clearInterval(timer);
        if (!leaving.signal.aborted) setText(output.text);
      });
    return () => {
      leaving.abort();
      clearInterval(timer);
    };
  }, [execId]);
  return (
    <div class="replay">
      <p>
        <code>{shown(execId)}</code> <strong role="status">{end === null ? 'runs' : shown(end)}</strong>{' '}
        {may('run') && end === null ? (
          <button type="button" class="danger" onClick={() => void client.execs.cancel(execId).catch(() => undefined)}>
            Cancel
          </button>
        ) : null}
      </p>
      <pre tabIndex={0} aria-label="Output">
        {text}
      </pre>
      <Copyable action={end === null ? cancelAction(execId) : logsAction(execId)} />
    </div>
  );
}

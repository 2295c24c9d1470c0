import { useEffect, useRef, useState } from 'preact/hooks';
import { useLive } from '../../../live/client.ts';
import { shown } from '../../../text/hostile.ts';
import { attach } from './attach.ts';

interface Input {
  readonly task: string;
  readonly execId: string;
  readonly label: string;
  readonly onClose: () => void;
}

export function Screen({ task, execId, label, onClose }: Input) {
  const { client, connect } = useLive();
  const place = useRef<HTMLDivElement>(null);
  const [end, setEnd] = useState<string | null>(null);
  useEffect(() => {
    if (place.current === null) return;
    return attach(connect(), { task, execId, label, place: place.current, onEnd: setEnd });
  }, [execId]);
  return (
    <>
      <div class="screen" ref={place} />
      <p>
        <strong role="status">{end === null ? '' : shown(end)}</strong>{' '}
        {end === null ? (
          <button type="button" class="danger" onClick={() => void client.execs.cancel(execId).catch(() => undefined)}>
            End the shell
          </button>
        ) : (
          <button type="button" onClick={onClose}>
            Close
          </button>
        )}{' '}
        <span class="hint">
          It goes on when the page is loaded again. Ctrl+Shift+E leaves the terminal by keyboard.
        </span>
      </p>
    </>
  );
}

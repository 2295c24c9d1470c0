import { useState } from 'preact/hooks';
import { added, keep, type Kept, readKept, without } from './kept.ts';
import { Screen } from './screen.tsx';

const newId = (): string => `exec_${crypto.randomUUID().replaceAll('-', '')}`;

/** Terminals of one sandbox, one of them seen. */
export function Terminals({ task }: { readonly task: string }) {
  const [all, setAll] = useState<readonly Kept[]>(() => {
    const found = readKept(sessionStorage, task);
    const kept = found.length > 0 ? found : added([], newId());
    keep(sessionStorage, task, kept);
    return kept;
  });
  const [seen, setSeen] = useState(all[0]?.execId ?? '');
  const change = (next: readonly Kept[], execId: string | undefined): void => {
    keep(sessionStorage, task, next);
    setAll(next);
    setSeen(execId ?? '');
  };
  const open = (): void => {
    const execId = newId();
    change(added(all, execId), execId);
  };
  const close = (execId: string): void => {
    const next = without(all, execId);
    change(next, execId === seen ? next.at(-1)?.execId : seen);
  };
  return (
    <div class="terminals">
      <p class="tabs" role="group" aria-label="Terminals">
        {all.map(({ execId, label }) => (
          <button key={execId} type="button" aria-pressed={execId === seen} onClick={() => setSeen(execId)}>
            Terminal {label}
          </button>
        ))}{' '}
        <button type="button" onClick={open}>
          New
        </button>
      </p>
      {all
        .filter(({ execId }) => execId === seen)
        .map(({ execId, label }) => (
          <Screen key={execId} task={task} execId={execId} label={label} onClose={() => close(execId)} />
        ))}
    </div>
  );
}

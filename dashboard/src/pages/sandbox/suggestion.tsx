import type { CaissonClient } from 'caisson/client';
import { useState } from 'preact/hooks';
import { useLive } from '../../live/client.ts';
import { problemText } from '../../live/loaded.ts';
import { shown } from '../../text/hostile.ts';

type Suggested = Awaited<ReturnType<CaissonClient['network']['suggest']>>;

/** Rules of the configuration that would allow what the sandbox has asked for, to be read and not to be taken as they are. */
export function Suggestion({ task }: { readonly task: string }) {
  const { client } = useLive();
  const [found, setFound] = useState<Suggested | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const suggest = (): void => {
    client.network.suggest(task).then(setFound, (error: unknown) => setProblem(problemText(error)));
  };
  return (
    <div>
      <button type="button" onClick={suggest}>
        Which rules would allow it
      </button>
      <p role="status" class="problem">
        {problem === null ? null : shown(problem)}
      </p>
      {found === null ? null : <Rules {...found} />}
    </div>
  );
}

function Rules({ seen, presets, allow }: Suggested) {
  if (seen === 0) return <p class="empty">It has asked for nothing.</p>;
  return (
    <dl class="facts">
      <dt>network.presets</dt>
      <dd>{presets.length === 0 ? 'none' : presets.map(shown).join(', ')}</dd>
      <dt>network.allow</dt>
      <dd>{allow.length === 0 ? 'none' : allow.map(shown).join(', ')}</dd>
    </dl>
  );
}

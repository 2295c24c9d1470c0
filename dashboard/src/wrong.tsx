/** What a person should look at, as `caisson status` says it: nothing when all is well. */
import { useLive } from './live/client.ts';
import { useLoaded } from './live/loaded.ts';
import { shown } from './text/hostile.ts';

const everyMs = 60_000;

export function Wrong() {
  const { client, token } = useLive();
  const { value, problem } = useLoaded(() => client.installation.status(), { key: token.owner, everyMs });
  // Questions have their count in the head of the page.
  const concerns = (value?.concerns ?? []).filter(({ about }) => about !== 'question');
  if (problem === null && concerns.length === 0) return null;
  return (
    <aside class="wrong" aria-label="What is wrong">
      {problem === null ? null : <p>The service does not say how it is: {shown(problem)}</p>}
      {concerns.map(({ level, message, remedy }) => (
        <p key={message} class={level === 'broken' ? 'problem' : undefined}>
          <strong>{level === 'broken' ? 'Broken' : 'Look at it'}</strong>: {shown(message)}.{' '}
          <span class="dim">{shown(remedy)}</span>
        </p>
      ))}
    </aside>
  );
}

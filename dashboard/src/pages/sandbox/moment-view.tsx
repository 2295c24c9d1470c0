import { hashOf, home } from '../../route.ts';
import { bytesText, coresText } from '../../text/units.ts';
import type { Moment } from './moment.ts';

interface Input {
  readonly task: string;
  readonly moment: Moment;
}

/** What was there at a moment that a mark leads to. */
export function MomentView({ task, moment: { atMs, figures, marks } }: Input) {
  const at = new Date(atMs).toISOString();
  return (
    <div class="moment" role="status">
      <p>
        <strong>{at}</strong>: {figures === null ? 'no figures of then are kept' : figuresText(figures)}.{' '}
        <a href={hashOf({ ...home, page: 'sandbox', task })}>Leave this moment</a>
      </p>
      <ul>
        {marks.map(({ text, href }, each) => (
          <li key={each}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function figuresText({ cpuCores, memoryBytes, pids }: NonNullable<Moment['figures']>): string {
  const parts = [
    cpuCores === null ? [] : coresText(cpuCores),
    memoryBytes === null ? [] : bytesText(memoryBytes),
    pids === null ? [] : `${Math.round(pids)} processes`,
  ];
  return parts.flat().join(', ') || 'no figures from its place';
}

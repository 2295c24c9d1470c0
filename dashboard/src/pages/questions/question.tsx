import { useState } from 'preact/hooks';
import { useNow } from '../../live/clock.ts';
import { Copyable } from '../../parts/copy.tsx';
import { hashOfTask } from '../../route.ts';
import { shown, shownLines } from '../../text/hostile.ts';
import { answerAction } from '../../text/actions.ts';
import { clockText } from '../../text/units.ts';
import { type Choice, focused, isOffered, type Keyed, needsSecond, stepOf, unfocused } from './keys.ts';
import type { Question } from './waiting.ts';

const labels: readonly (readonly [choice: Choice, key: string, label: string])[] = [
  ['deny', 'n', 'Deny'],
  ['once', 'y', 'Allow once'],
  ['session', 's', 'Allow for this task'],
  ['always', 'a', 'Always allow'],
];

interface Input {
  readonly question: Question;
  readonly onAnswer: (choice: Choice) => void;
}

export function QuestionCard({ question, onAnswer }: Input) {
  const [keyed, setKeyed] = useState<Keyed>(unfocused);
  const press = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const { next, answer } = stepOf(keyed, { key: event.key, asked: question, nowMs: performance.now() });
    setKeyed(next);
    if (answer !== null) onAnswer(answer);
  };
  return (
    <article
      class="question"
      tabIndex={0}
      aria-labelledby={`title-${question.id}`}
      onFocus={(event) => event.target === event.currentTarget && setKeyed(focused(performance.now()))}
      onBlur={() => setKeyed(unfocused)}
      onKeyDown={press}
    >
      <h2 id={`title-${question.id}`}>{shown(question.title)}</h2>
      <Facts question={question} />
      <pre class="command">{shownLines(question.display)}</pre>
      <Details question={question} />
      <Buttons question={question} onAnswer={onAnswer} />
      <p role="status" class="armed">
        {keyed.armed === null ? null : `Enter: ${keyed.armed.choice}. Any other key: nothing.`}
      </p>
      <Copyable action={answerAction(question.id, 'once')} />
    </article>
  );
}

function Facts({ question }: { readonly question: Question }) {
  const { taskId, backend, cwd, user, variables, askedBy, expiresAt, rule } = question;
  const now = useNow(1000);
  return (
    <dl class="facts">
      <dt>Task</dt>
      <dd>
        <a href={hashOfTask(taskId)}>{shown(taskId)}</a> on {shown(backend)}
      </dd>
      <dt>Directory</dt>
      <dd>{cwd === null ? 'not known' : shown(cwd)}</dd>
      {user === undefined ? null : <dt>User</dt>}
      {user === undefined ? null : <dd>{shown(user)}</dd>}
      <dt>Sets</dt>
      <dd>{variables.length === 0 ? 'no variables' : variables.map(shown).join(', ')}</dd>
      <dt>Asked by</dt>
      <dd>{askedBy === null ? 'the operator' : shown(askedBy)}</dd>
      {rule === null ? null : <dt>Rule</dt>}
      {rule === null ? null : <dd>{shown(rule)}</dd>}
      <dt>Refused in</dt>
      <dd class="clock">{expiresAt === null ? 'not known' : clockText(Date.parse(expiresAt) - now)}</dd>
    </dl>
  );
}

function Details({ question }: { readonly question: Question }) {
  const { findings, warnings, input, stdin, diff, choices, covers, proposal } = question;
  return (
    <>
      <List title="Why" items={[...findings, ...warnings]} isMarked />
      {stdin && input === null ? <p>It reads input that comes later and is not judged.</p> : null}
      {input === null ? null : <Block title="Its input" text={input} />}
      {diff === null ? null : <Diff text={diff} />}
      {choices.includes('session') ? <List title="“Allow for this task” covers" items={covers} /> : null}
      {choices.includes('always') ? <List title="“Always allow” saves" items={proposal} /> : null}
    </>
  );
}

function List({ title, items, isMarked = false }: { title: string; items: readonly string[]; isMarked?: boolean }) {
  if (items.length === 0) return null;
  return (
    <div class={isMarked ? 'why' : undefined}>
      <h3>{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item}>{shown(item)}</li>
        ))}
      </ul>
    </div>
  );
}

function Block({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <details>
      <summary>{title}</summary>
      <pre>{shownLines(text)}</pre>
    </details>
  );
}

function Diff({ text }: { readonly text: string }) {
  return (
    <pre class="diff" aria-label="What it changes">
      {shownLines(text)
        .split('\n')
        .map((line, at) => (
          <span key={at} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'gone' : undefined}>
            {`${line}\n`}
          </span>
        ))}
    </pre>
  );
}

function Buttons({ question, onAnswer }: Input) {
  const [sure, setSure] = useState<Choice | null>(null);
  const press = (choice: Choice): void => {
    if (needsSecond(choice, question) && sure !== choice) return setSure(choice);
    setSure(null);
    onAnswer(choice);
  };
  return (
    <p class="buttons">
      {labels
        .filter(([choice]) => isOffered(choice, question))
        .map(([choice, key, label]) => (
          <button key={choice} type="button" class={choice} onClick={() => press(choice)}>
            {sure === choice ? `${label}: sure?` : label} <kbd>{key}</kbd>
          </button>
        ))}
    </p>
  );
}

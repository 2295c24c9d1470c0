import { useRef, useState } from 'preact/hooks';
import { useLive } from '../../live/client.ts';
import { problemText } from '../../live/loaded.ts';
import type { Choice } from './keys.ts';
import { QuestionCard } from './question.tsx';
import type { Question, Questions } from './waiting.ts';
import { Problem } from '../../parts/problem.tsx';

export function QuestionsPage({ questions }: { readonly questions: Questions }) {
  const { client, token } = useLive();
  const heading = useRef<HTMLHeadingElement>(null);
  const [said, setSaid] = useState<string | null>(null);
  const answer = async (question: Question, choice: Choice): Promise<void> => {
    try {
      await client.approvals.answer(question.id, choice, token.name);
      setSaid(choice === 'deny' ? 'Refused.' : `Allowed: ${choice}.`);
    } catch (error) {
      setSaid(`Not answered: ${problemText(error)}`);
    }
    // Never to the next question: a key that is still down would answer it.
    heading.current?.focus();
    questions.again();
  };
  const { items, problem } = questions;
  return (
    <section aria-labelledby="questions-title">
      <h1 id="questions-title" tabIndex={-1} ref={heading}>
        Questions
      </h1>
      <Notify />
      <p role="status" class="said">
        {said}
      </p>
      <Problem text={problem} />
      {items.length === 0 ? <p class="empty">No command waits for an answer.</p> : null}
      {items.map((question) => (
        <QuestionCard key={question.id} question={question} onAnswer={(choice) => void answer(question, choice)} />
      ))}
    </section>
  );
}

function Notify() {
  const [state, setState] = useState('Notification' in globalThis ? Notification.permission : 'denied');
  if (state !== 'default') return null;
  return (
    <p>
      <button type="button" onClick={() => void Notification.requestPermission().then(setState)}>
        Notify me of questions
      </button>
    </p>
  );
}

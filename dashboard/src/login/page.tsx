import { useState } from 'preact/hooks';
import { submitted } from '../parts/form.ts';
import { logIn } from './ask.ts';
import type { Login } from './stored.ts';
import { Problem } from '../parts/problem.tsx';

interface Input {
  readonly why: string | null;
  readonly onLogin: (login: Login) => void;
}

/** The token leaves this form once, for two halves that stand for it. */
export function LoginPage({ why, onLogin }: Input) {
  const [problem, setProblem] = useState(why);
  const [isAsking, setAsking] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    const given = submitted(event, 'token');
    if (given === null) return;
    setAsking(true);
    try {
      onLogin(await logIn(given.text.trim()));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The login failed.');
      setAsking(false);
    }
  };
  return (
    <main class="login">
      <h1>Caisson</h1>
      <Problem text={problem} />
      <form onSubmit={(event) => void submit(event)}>
        <label for="token">Token</label>
        <input id="token" name="token" type="password" autocomplete="off" required maxLength={200} autofocus />
        <button type="submit" disabled={isAsking}>
          Log in
        </button>
      </form>
      <p class="hint">
        Make one with <code>caisson token create NAME --scope read --scope run --scope approve</code>. What it may not
        do is not shown.
      </p>
    </main>
  );
}

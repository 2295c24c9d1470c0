/** Opens and ends a login of this page. */
import { type Login, loginIn } from './stored.ts';

/** Throws a sentence for the person. */
export async function logIn(token: string): Promise<Login> {
  const answer = await fetch('/login', { method: 'POST', headers: { authorization: `Bearer ${token}` } }).catch(
    () => null,
  );
  if (answer === null) throw new Error('The service does not answer.');
  if (answer.status === 429) throw new Error('Too many wrong tokens came from here. Wait a minute.');
  if (answer.status !== 201) throw new Error('This token does not hold.');
  const login = loginIn(await answer.json());
  if (login === null) throw new Error('The service gave an answer that this page does not know. Load it again.');
  return login;
}

/** A service that is away has forgotten the login with its own end. */
export async function logOut({ key }: Login): Promise<void> {
  await fetch('/login', { method: 'DELETE', headers: { authorization: `Bearer ${key}` } }).catch(() => undefined);
}

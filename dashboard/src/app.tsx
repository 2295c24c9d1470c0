/** The page: a login, or what its token may see. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useRoute } from './live/address.ts';
import { LiveProvider, liveOf } from './live/client.ts';
import { logOut } from './login/ask.ts';
import { LoginPage } from './login/page.tsx';
import { forgetLogin, keepLogin, type Login, readLogin } from './login/stored.ts';
import { Shell } from './shell.tsx';

const ended = 'The login has ended: its token, its time or the service did. Log in again to go on where you are.';

export function App() {
  const [login, setLogin] = useState<Login | null>(() => readLogin(sessionStorage));
  const [why, setWhy] = useState<string | null>(null);
  const route = useRoute();
  const leave = useCallback((reason: string | null) => {
    forgetLogin(sessionStorage);
    setWhy(reason);
    setLogin(null);
  }, []);
  const live = useMemo(() => (login === null ? null : liveOf(login, () => leave(ended))), [login]);
  useEffect(() => () => void live?.client.close(), [live]);
  useEffect(() => {
    if (login === null) document.title = 'Caisson: log in';
  }, [login]);
  const enter = (next: Login): void => {
    keepLogin(sessionStorage, next);
    setLogin(next);
  };
  if (login === null || live === null) return <LoginPage why={why} onLogin={enter} />;
  return (
    <LiveProvider value={live}>
      <Shell route={route} onLogout={() => void logOut(login).then(() => leave(null))} />
    </LiveProvider>
  );
}

/** What stands around every page: the ways to the others, who is logged in, and how many questions wait. */
import { useEffect } from 'preact/hooks';
import { useLive } from './live/client.ts';
import { FeedProvider, useFeed } from './live/changes.ts';
import { useQuestions } from './pages/questions/waiting.ts';
import { QuestionsPage } from './pages/questions/page.tsx';
import { SandboxPage } from './pages/sandbox/page.tsx';
import { SandboxesPage } from './pages/sandboxes/page.tsx';
import { later } from './parts/later.tsx';
import { Boundary } from './parts/boundary.tsx';
import { shown } from './text/hostile.ts';
import { hashOf, home, type PageName, type Route } from './route.ts';
import { Wrong } from './wrong.tsx';

const HistoryPage = later(async () => (await import('./pages/history/page.tsx')).HistoryPage);
const AuditPage = later(async () => (await import('./pages/audit/page.tsx')).AuditPage);

interface Input {
  readonly route: Route;
  readonly onLogout: () => void;
}

const names: readonly (readonly [page: PageName, label: string, scope: 'read' | 'approve'])[] = [
  ['questions', 'Questions', 'approve'],
  ['sandboxes', 'Sandboxes', 'read'],
  ['history', 'History', 'read'],
  ['audit', 'Audit', 'read'],
];

export function Shell({ route, onLogout }: Input) {
  const { client, token, may } = useLive();
  const feed = useFeed(client, may('read'));
  const questions = useQuestions(feed);
  const count = questions.items.length;
  useEffect(() => {
    document.title = count === 0 ? 'Caisson' : `(${count}) Caisson`;
  }, [count]);
  const offered = names.filter(([, , scope]) => may(scope));
  if (offered.length === 0) return <Nothing onLogout={onLogout} />;
  const page = offered.some(([name]) => name === pageOf(route))
    ? route
    : { ...route, page: offered[0]?.[0] ?? 'questions' };
  return (
    <FeedProvider value={feed}>
      <a class="skip" href="#main" onClick={skip}>
        To the content
      </a>
      <header class="top">
        <strong>Caisson</strong>
        <nav aria-label="Pages">
          {offered.map(([name, label]) => (
            <a
              key={name}
              href={hashOf({ ...home, page: name })}
              aria-current={pageOf(page) === name ? 'page' : undefined}
            >
              {label}
              {name === 'questions' && count > 0 ? <span class="count">{count}</span> : null}
            </a>
          ))}
        </nav>
        <span class="who">
          {shown(token.name)} ({shown(token.owner)})
        </span>
        <button type="button" onClick={onLogout}>
          Log out
        </button>
      </header>
      {/* It is of the whole installation, and for its operator alone. */}
      {may('read') && token.owner === 'operator' && !token.isBound ? (
        <Boundary>
          <Wrong />
        </Boundary>
      ) : null}
      <main id="main" tabIndex={-1}>
        <Boundary key={`${page.page} ${page.task ?? ''} ${page.tab}`}>
          <Page route={page} questions={questions} />
        </Boundary>
      </main>
    </FeedProvider>
  );
}

function Nothing({ onLogout }: Pick<Input, 'onLogout'>) {
  return (
    <main>
      <p>This token may neither read nor approve: there is nothing to show.</p>
      <button type="button" onClick={onLogout}>
        Log out
      </button>
    </main>
  );
}

function Page({ route, questions }: { readonly route: Route; readonly questions: ReturnType<typeof useQuestions> }) {
  if (route.page === 'sandbox' && route.task !== null)
    return <SandboxPage key={route.task} task={route.task} route={route} />;
  if (route.page === 'sandboxes') return <SandboxesPage route={route} />;
  if (route.page === 'history') return <HistoryPage route={route} />;
  if (route.page === 'audit') return <AuditPage route={route} />;
  return <QuestionsPage questions={questions} />;
}

const pageOf = ({ page }: Route): PageName => (page === 'sandbox' ? 'sandboxes' : page);

/** The address has the route behind its `#`, and stays. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

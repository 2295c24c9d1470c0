import { lazy, Suspense } from 'preact/compat';
import type { Route } from '../../route.ts';

const Page = lazy(async () => (await import('./page.tsx')).HistoryPage);

export function LazyHistory({ route }: { readonly route: Route }) {
  return (
    <Suspense fallback={<p>…</p>}>
      <Page route={route} />
    </Suspense>
  );
}

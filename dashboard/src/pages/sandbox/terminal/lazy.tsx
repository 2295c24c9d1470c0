import { lazy, Suspense } from 'preact/compat';

const Terminals = lazy(async () => (await import('./tabs.tsx')).Terminals);

/** The terminal is half of the page, and is loaded when it is opened. */
export function LazyTerminal({ task }: { readonly task: string }) {
  return (
    <Suspense fallback={<p>…</p>}>
      <Terminals task={task} />
    </Suspense>
  );
}

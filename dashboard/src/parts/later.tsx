import type { ComponentType, FunctionComponent } from 'preact';
import { lazy, Suspense } from 'preact/compat';

/** A part that is loaded when it is first shown. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): FunctionComponent<Props> {
  const Part = lazy(load);
  return (props) => (
    <Suspense fallback={<p>…</p>}>
      <Part {...props} />
    </Suspense>
  );
}

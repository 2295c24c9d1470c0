import { shown } from '../text/hostile.ts';

/** What a view could not load or do. `null`: nothing went wrong. */
export function Problem({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <p role="alert" class="problem">
      {shown(text)}
    </p>
  );
}

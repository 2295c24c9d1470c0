import { Component, type ComponentChildren } from 'preact';
import { problemText } from '../live/loaded.ts';
import { shown } from '../text/hostile.ts';

interface Input {
  readonly children: ComponentChildren;
}

interface State {
  readonly error: unknown;
}

/** A part that throws says so in its place; what stands around it stays, and a key that changes begins anew. */
export class Boundary extends Component<Input, State> {
  static override getDerivedStateFromError = (error: unknown): State => ({ error });
  override state: State = { error: null };

  override render({ children }: Input, { error }: State) {
    if (error === null) return children;
    return (
      <section role="alert" class="failed">
        <h1>This page cannot be shown</h1>
        <p class="problem">{shown(problemText(error))}</p>
        <p>
          Nothing in a sandbox is affected. The other pages are there.{' '}
          <button type="button" onClick={() => this.setState({ error: null })}>
            Try again
          </button>{' '}
          <button type="button" onClick={() => location.reload()}>
            Load everything again
          </button>
        </p>
      </section>
    );
  }
}

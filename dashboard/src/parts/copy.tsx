/** An action as a line for a terminal. */
import { useState } from 'preact/hooks';
import { type Action, linesOf } from '../text/shell.ts';

export function Copyable({ action }: { readonly action: Action }) {
  const lines = linesOf(action, location.origin);
  const [said, setSaid] = useState<string | null>(null);
  if (lines === null) return <p class="hint">A name in it cannot be pasted safely.</p>;
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('copied');
    } catch {
      setSaid('The browser does not let this page copy.');
    }
  };
  return (
    <details class="copy">
      <summary>As a command</summary>
      {(['caisson', 'curl'] as const).map((name) => (
        <Line key={name} name={name} text={lines[name]} onCopy={copy} />
      ))}
      <p class="hint">
        The file <code>caller</code> has the line <code>Authorization: Bearer TOKEN</code>.
      </p>
      <p role="status">{said}</p>
    </details>
  );
}

interface LineInput {
  readonly name: string;
  readonly text: string | null;
  readonly onCopy: (text: string) => Promise<void>;
}

function Line({ name, text, onCopy }: LineInput) {
  if (text === null) return null;
  return (
    <p>
      <code>{text}</code>{' '}
      <button type="button" onClick={() => void onCopy(text)} aria-label={`Copy the line for ${name}`}>
        Copy
      </button>
    </p>
  );
}

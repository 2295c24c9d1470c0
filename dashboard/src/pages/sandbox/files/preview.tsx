import { useState } from 'preact/hooks';
import { useLive } from '../../../live/client.ts';
import { problemText, useLoaded } from '../../../live/loaded.ts';
import { Copyable } from '../../../parts/copy.tsx';
import { fileAction } from '../../../text/actions.ts';
import { shown, shownLines } from '../../../text/hostile.ts';
import { bytesText } from '../../../text/units.ts';
import { diffOf, fileAddress, mostPreviewBytes, previewOf } from './paths.ts';
import { Problem } from '../../../parts/problem.tsx';

interface Input {
  readonly task: string;
  readonly path: string;
  readonly onWritten: () => void;
}

interface Read {
  readonly text: string | null;
  readonly size: number;
  readonly sha256: string | null;
}

/** A file as text, whatever it is: HTML and SVG of a sandbox are never drawn. */
export function Preview({ task, path, onWritten }: Input) {
  const { client, may, save } = useLive();
  const load = async (signal: AbortSignal): Promise<Read> => {
    const { bytes, size, sha256 } = await client.files.read({ task, path, length: mostPreviewBytes }, { signal });
    return { text: previewOf(bytes, bytes.length === size), size, sha256 };
  };
  const { value, problem, again } = useLoaded(load, { key: `${task} ${path}` });
  const [said, setSaid] = useState<string | null>(null);
  const [draft, setDraft] = useState<string | null>(null);
  const download = async (): Promise<void> => {
    await save(fileAddress(task, path)).catch((error: unknown) => setSaid(problemText(error)));
  };
  const write = async (text: string): Promise<void> => {
    setSaid('… it may wait for a person');
    try {
      await client.files.write({ task, path, bytes: text, expected: value?.sha256 ?? null });
      setSaid('written');
      setDraft(null);
    } catch (error) {
      setSaid(problemText(error));
    }
    again();
    onWritten();
  };
  const canEdit = may('run') && value?.text !== null && value !== null && value.sha256 !== null;
  return (
    <div class="preview">
      <p>
        <code>{shown(path)}</code> {value === null ? null : bytesText(value.size)}{' '}
        <button type="button" onClick={() => void download()}>
          Download
        </button>{' '}
        {canEdit && draft === null ? (
          <button type="button" onClick={() => setDraft(value.text)}>
            Edit
          </button>
        ) : null}{' '}
        <span role="status">{said === null ? null : shown(said)}</span>
      </p>
      <Copyable action={fileAction(task, path)} />
      <Problem text={problem} />
      {value === null ? null : draft === null ? (
        <Text {...value} />
      ) : (
        <Edit
          before={value.text ?? ''}
          draft={draft}
          onDraft={setDraft}
          onWrite={write}
          onLeave={() => setDraft(null)}
        />
      )}
    </div>
  );
}

function Text({ text, size }: Read) {
  if (text === null) return <p class="empty">It is not text.</p>;
  return (
    <>
      <pre tabIndex={0}>{shownLines(text)}</pre>
      {size > mostPreviewBytes ? <p class="hint">The first {bytesText(mostPreviewBytes)} are shown.</p> : null}
    </>
  );
}

interface EditInput {
  readonly before: string;
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  readonly onWrite: (text: string) => Promise<void>;
  readonly onLeave: () => void;
}

function Edit({ before, draft, onDraft, onWrite, onLeave }: EditInput) {
  const diff = diffOf(before, draft);
  return (
    <>
      <textarea
        aria-label="Content"
        rows={16}
        value={draft}
        spellcheck={false}
        onInput={({ currentTarget }) => onDraft(currentTarget.value)}
      />
      <p>
        <button type="button" disabled={draft === before} onClick={() => void onWrite(draft)}>
          Write
        </button>{' '}
        <button type="button" onClick={onLeave}>
          Leave
        </button>
      </p>
      <pre class="diff" aria-label="What changes" tabIndex={0}>
        {diff === null
          ? 'It is too long to compare here.'
          : diff.map(([mark, text], at) =>
              mark === ' ' ? null : (
                <span key={at} class={mark === '+' ? 'added' : 'gone'}>
                  {`${mark}${shownLines(text)}\n`}
                </span>
              ),
            )}
      </pre>
    </>
  );
}

import type { CaissonClient } from 'caisson/client';
import { useState } from 'preact/hooks';
import { useLive } from '../../../live/client.ts';
import { problemText, useLoaded } from '../../../live/loaded.ts';
import { hashOf, type Route } from '../../../route.ts';
import { shown } from '../../../text/hostile.ts';
import { bytesText } from '../../../text/units.ts';
import type { Inspected } from '../inspected.ts';
import { archiveAddress, joined, parentOf } from './paths.ts';
import { Preview } from './preview.tsx';
import { Problem } from '../../../parts/problem.tsx';

type Entry = Awaited<ReturnType<CaissonClient['files']['list']>>['entries'][number];

/** A directory of the sandbox, and beside it the file that is chosen; both stand in the address. */
export function FilesTab({ sandbox, route }: { readonly sandbox: Inspected; readonly route: Route }) {
  const { client, may, save } = useLive();
  const { taskId, spec } = sandbox;
  const path = route.filters['path'] ?? spec.cwd;
  const file = route.filters['file'] ?? null;
  const { value, problem, again } = useLoaded((signal) => client.files.list({ task: taskId, path }, { signal }), {
    key: `${taskId} ${path}`,
  });
  const [said, setSaid] = useState<string | null>(null);
  const at = (filters: Readonly<Record<string, string>>): string => hashOf({ ...route, filters });
  const tell = async (work: Promise<unknown>, done: string): Promise<void> => {
    setSaid('…');
    setSaid(await work.then(() => done, problemText));
    again();
  };
  const upload = async (files: readonly File[]): Promise<void> => {
    for (const each of files) {
      const bytes = new Uint8Array(await each.arrayBuffer());
      await client.files.write({ task: taskId, path: joined(path, each.name), bytes });
    }
  };
  return (
    <Drop onDrop={may('run') ? (files) => void tell(upload(files), `${files.length} written`) : null}>
      <p class="path">
        <code>{shown(path)}</code>{' '}
        <a href={at({ path: parentOf(path) })} aria-label="The directory above">
          ↑
        </a>{' '}
        <button type="button" onClick={again}>
          Again
        </button>{' '}
        <button type="button" onClick={() => void tell(save(archiveAddress(taskId, path)), 'saved')}>
          Archive
        </button>{' '}
        {may('run') ? <Upload onFiles={(files) => void tell(upload(files), `${files.length} written`)} /> : null}{' '}
        <span role="status">{said === null ? null : shown(said)}</span>
      </p>
      <Problem text={problem} />
      <div class="files">
        <ul class="entries">
          {(value?.entries ?? []).map((entry) => (
            <Line key={entry.name} entry={entry} at={at} path={path} />
          ))}
          {value?.entries.length === 0 ? <li class="empty">It is empty.</li> : null}
          {value?.truncated === true ? <li class="empty">There is more: the list ends after 5,000.</li> : null}
        </ul>
        {file === null ? null : (
          <Preview key={`${path} ${file}`} task={taskId} path={joined(path, file)} onWritten={again} />
        )}
      </div>
    </Drop>
  );
}

interface LineInput {
  readonly entry: Entry;
  readonly path: string;
  readonly at: (filters: Readonly<Record<string, string>>) => string;
}

function Line({ entry: { name, kind, size }, path, at }: LineInput) {
  const label = shown(name);
  if (kind === 'directory')
    return (
      <li>
        <a href={at({ path: joined(path, name) })}>{label}/</a>
      </li>
    );
  if (kind !== 'file') return <li class="dim">{label}</li>;
  return (
    <li>
      <a href={at({ path, file: name })}>{label}</a> <span class="dim">{bytesText(size)}</span>
    </li>
  );
}

function Upload({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  return (
    <label class="upload">
      Upload{' '}
      <input
        type="file"
        multiple
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </label>
  );
}

interface DropInput {
  readonly onDrop: ((files: readonly File[]) => void) | null;
  readonly children: preact.ComponentChildren;
}

function Drop({ onDrop, children }: DropInput) {
  const [isOver, setOver] = useState(false);
  if (onDrop === null) return <div>{children}</div>;
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onDrop([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
    </div>
  );
}

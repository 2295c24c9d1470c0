/** The list. Of a long one the window holds a part: at most forty rows are elements of the page. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { replaceRoute } from '../../live/address.ts';
import { useLive } from '../../live/client.ts';
import { hashOfTask, type Route } from '../../route.ts';
import { cut, shown as visible } from '../../text/hostile.ts';
import { commandText } from '../../text/shell.ts';
import { agoText, durationText } from '../../text/units.ts';
import { LastLine } from './last-line.tsx';
import { UseCells } from './use-cells.tsx';
import { type Column, columns, labelsText, ownerIn, type Row, type Shown, windowOf } from './rows.ts';

const rowHeight = 32;

const heads: Readonly<Record<Column, string>> = {
  state: 'State',
  backend: 'Backend',
  task: 'Task',
  owner: 'Owner',
  labels: 'Labels',
  image: 'Image',
  age: 'Age',
  used: 'Used',
  ends: 'Ends',
  last: 'Last command',
  denials: 'Denied',
  cpu: 'Processor',
  memory: 'Memory',
};

interface Input {
  readonly rows: readonly Row[];
  readonly shown: Shown;
  readonly now: number;
  readonly route: Route;
  readonly chosen: ReadonlySet<string>;
  /** `null`: the token may not act on them. */
  readonly onChoose: ((chosen: ReadonlySet<string>) => void) | null;
}

export function Table({ rows, shown, now, route, chosen, onChoose }: Input) {
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ top: 0, height: 640 });
  const look = (): void => {
    if (box.current !== null) setPlace({ top: box.current.scrollTop, height: box.current.clientHeight });
  };
  useLayoutEffect(look, [rows.length]);
  const { first, end } = windowOf(rows.length, { ...place, rowHeight });
  const choose = (ids: readonly string[], isOn: boolean): void =>
    onChoose?.(new Set(isOn ? [...chosen, ...ids] : [...chosen].filter((id) => !ids.includes(id))));
  const all = rows.map(({ sandbox }) => sandbox.id);
  return (
    <div class="list" ref={box} onScroll={look} tabIndex={0} role="region" aria-label="List of sandboxes">
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {onChoose === null ? null : (
              <th class="pick">
                <input
                  type="checkbox"
                  aria-label="All that are shown"
                  checked={all.length > 0 && all.every((id) => chosen.has(id))}
                  onChange={({ currentTarget }) => choose(all, currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column} column={column} shown={shown} route={route} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={first} />
          {rows.slice(first, end).map((row, at) => (
            <Line
              key={row.sandbox.id}
              row={row}
              now={now}
              at={first + at + 2}
              isChosen={chosen.has(row.sandbox.id)}
              onChoose={onChoose === null ? null : (isOn) => choose([row.sandbox.id], isOn)}
            />
          ))}
          <Gap rows={rows.length - end} />
        </tbody>
      </table>
      {rows.length === 0 ? <p class="empty">No sandbox is shown.</p> : null}
    </div>
  );
}

function Gap({ rows }: { readonly rows: number }) {
  return rows <= 0 ? null : (
    <tr class="gap" aria-hidden="true">
      <td colSpan={columns.length + 1}>
        <svg width="1" height={rows * rowHeight} />
      </td>
    </tr>
  );
}

function Head({ column, shown, route }: { column: Column; shown: Shown; route: Route }) {
  const isSorted = shown.sort === column;
  const order = isSorted && !shown.isDown ? 'down' : '';
  return (
    <th class={`column-${column}`} aria-sort={isSorted ? (shown.isDown ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        class="head"
        onClick={() => replaceRoute({ ...route, filters: { ...route.filters, sort: column, order } })}
      >
        {heads[column]} {isSorted ? (shown.isDown ? '▾' : '▴') : ''}
      </button>
    </th>
  );
}

interface LineInput {
  readonly row: Row;
  readonly now: number;
  readonly at: number;
  readonly isChosen: boolean;
  readonly onChoose: ((isOn: boolean) => void) | null;
}

function Line({ row: { sandbox, last, denials }, now, at, isChosen, onChoose }: LineInput) {
  const { token } = useLive();
  const { taskId, state, backend, spec, createdAt, usedAt, expiresAt } = sandbox;
  const command = last === null ? '' : cut(visible(commandText(last.command)), 120);
  return (
    <tr class="line" aria-rowindex={at} data-task={taskId}>
      {onChoose === null ? null : (
        <td class="pick">
          <input
            type="checkbox"
            aria-label={`Choose ${visible(taskId)}`}
            checked={isChosen}
            onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
          />
        </td>
      )}
      <td>
        <span class={`state ${state}`}>{state}</span>
      </td>
      <td>{visible(backend)}</td>
      <td>
        <a href={hashOfTask(taskId)}>{visible(taskId)}</a>
      </td>
      <td>{visible(ownerIn(taskId) ?? token.owner)}</td>
      <td>{visible(labelsText(sandbox))}</td>
      <td>{visible(spec.image ?? '')}</td>
      <td>{agoText(createdAt, now)}</td>
      <td>{agoText(usedAt, now)} ago</td>
      <td>{expiresAt === null ? '' : durationText(Math.max(0, Date.parse(expiresAt) - now))}</td>
      <td class="mono">
        {last?.exit === null ? <span class="runs" title="It runs" /> : null}
        {command}
        {last === null ? null : <LastLine execId={last.id} runs={last.exit === null} />}
      </td>
      <td class={denials > 0 ? 'problem' : undefined}>{denials > 0 ? denials : ''}</td>
      <UseCells task={taskId} runs={state === 'ready'} />
    </tr>
  );
}

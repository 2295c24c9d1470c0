/** Progress on stderr: one line that is rewritten on a terminal, plain lines now and then elsewhere. */
import type { Progress } from '../service/api.ts';
import { escapeLine } from './escape.ts';
import { formatBytes } from './format.ts';
import type { World } from './world.ts';

export interface Status {
  readonly update: (progress: Progress) => void;
  /** Has a line move on a terminal until `clear`, where no progress comes. What is over within a moment shows none. */
  readonly wait: (what: string) => void;
  /** Takes the rewritten line away, so that something else can be written. */
  readonly clear: () => void;
}

const rewriteMs = 100;
const linesMs = 3000;
const tickMs = 500;
/** Progress stays on the screen for this long when no more comes. */
const staleMs = 1000;
const frames = '|/-\\';
const eraseLine = '\r\u001b[K';

export function statusOn({ stderr, nowMs }: Pick<World, 'stderr' | 'nowMs'>, quiet: boolean): Status {
  const terminal = stderr.isTTY === true;
  // What is over within a moment is not worth a line of a log.
  let lastMs = terminal ? Number.NEGATIVE_INFINITY : nowMs();
  let shown = false;
  let ticking: NodeJS.Timeout | undefined;
  const clear = (): void => {
    clearInterval(ticking);
    if (shown) stderr.write(eraseLine);
    shown = false;
  };
  const columns = (): number => stderr.columns || 80;
  const rewrite = (text: string): void => {
    stderr.write(eraseLine + text.slice(0, Math.max(20, columns() - 1)));
    shown = true;
  };
  const update = (progress: Progress): void => {
    if (quiet || nowMs() - lastMs < (terminal ? rewriteMs : linesMs)) return;
    lastMs = nowMs();
    const text = describe(progress);
    if (terminal) rewrite(barOf(progress, columns()) + text);
    else stderr.write(`${text}\n`);
  };
  const wait = (what: string): void => {
    if (quiet || !terminal) return;
    const begunMs = nowMs();
    let ticks = 0;
    clearInterval(ticking);
    ticking = setInterval(() => {
      ticks += 1;
      if (nowMs() - lastMs >= staleMs)
        rewrite(`${frames[ticks % frames.length]} ${what}, ${Math.floor((nowMs() - begunMs) / 1000)} s`);
    }, tickMs).unref();
  };
  return { update, wait, clear };
}

const barWidth = 20;
/** The words of most steps fit beside a bar in this many columns. */
const leastColumns = 70;

/** Nothing where the end is not known, or the terminal is narrow. */
function barOf({ done, total }: Progress, columns: number): string {
  if (done === null || total === null || total <= 0 || columns < leastColumns) return '';
  const filled = Math.min(barWidth, Math.floor((done / total) * barWidth));
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] `;
}

/** Amounts above this are bytes for sure; steps are shown as they are. */
const maxSteps = 10_000;

function describe({ what, done, total }: Progress): string {
  const text = escapeLine(what);
  if (done === null) return `${text} ...`;
  const amount = (total ?? done) > maxSteps ? formatBytes : String;
  if (total === null || total <= 0) return `${text} ${amount(done)}`;
  const percent = Math.min(100, Math.floor((done / total) * 100));
  return `${text} ${amount(done)} of ${amount(total)} (${percent}%)`;
}

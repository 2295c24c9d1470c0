/** What `doctor` tells of the budgets of the service. Pure. */
import type { BudgetFigures, Check } from '../service/api.ts';
import { formatDuration } from './format.ts';

/** What was refused longer ago is history. */
const recentMs = 3_600_000;
const nearlyAll = 0.9;

type Finding = Check['findings'][number];

/** `null`: nothing was refused of late, and none of them is nearly used up. */
export function budgetsCheck(budgets: readonly BudgetFigures[]): Check | null {
  const findings = budgets.flatMap((each) => [...refusedOf(each), ...fullOf(each)]);
  if (findings.length === 0) return null;
  return { status: 'ready', summary: 'callers reach limits of the service', remedy: null, facts: {}, findings };
}

function refusedOf({ name, refused, lastRefused }: BudgetFigures): readonly Finding[] {
  if (lastRefused === null || lastRefused.agoMs > recentMs) return [];
  const count = refused.owner + refused.total + refused.waiting;
  const message = `${count} requests were refused, the last one of ${lastRefused.owner} ${formatDuration(lastRefused.agoMs)} ago`;
  return [{ severity: 'warning', id: name, message, remedy: remedyOf(name) }];
}

function fullOf({ name, used, total, largest }: BudgetFigures): readonly Finding[] {
  if (total === null || used < total * nearlyAll) return [];
  const most = largest === null ? '' : `, most of it by ${largest.owner} (${largest.used})`;
  return [{ severity: 'warning', id: name, message: `${used} of ${total} are in use${most}`, remedy: remedyOf(name) }];
}

const remedyOf = (name: string): string =>
  `look at what that owner does (caisson ps, caisson audit tail), or raise server.limits.${name}`;

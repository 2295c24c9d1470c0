/** A status as lines for people, each short enough for 80 columns where its names allow. Pure. */
import type { Concern, Status } from '../service/api.ts';
import { escapeLine } from './escape.ts';
import { formatBytes, plural, shortAge } from './format.ts';
import type { Paint } from './paint.ts';
import { differencesIn } from './pending.ts';
import type { ServiceState } from './service-state.ts';

interface StatusLook {
  readonly nowMs: number;
  readonly paint: Paint;
}

export function statusLines(status: Status, service: ServiceState, { nowMs, paint }: StatusLook): readonly string[] {
  const { concerns, level } = status;
  const headline =
    level === 'well' ? paint.green('all is well') : paint.bold(`${plural(concerns.length, 'thing')} to look at`);
  return [headline, ...concerns.flatMap((each) => concernLines(each, paint)), ...factLines(status, service, nowMs)];
}

function concernLines({ level, about, message, remedy }: Concern, paint: Paint): readonly string[] {
  const mark = level === 'broken' ? paint.red('broken') : paint.yellow('attention');
  return [`  ${mark} ${escapeLine(`${about}: ${message}`)}`, `    try: ${escapeLine(remedy)}`];
}

function factLines(status: Status, service: ServiceState, nowMs: number): readonly string[] {
  const facts: readonly (readonly [string, string])[] = [
    ['service', serviceFact(status, service, nowMs)],
    ['config', configFact(status)],
    ['backends', status.backends.map(({ backend, status: state }) => `${backend} ${state}`).join(', ')],
    ['disk', diskFact(status)],
    ['sandboxes', sandboxFact(status)],
    ['commands', commandFact(status)],
    ['questions', status.approvalsWaiting === 0 ? 'none wait' : `${status.approvalsWaiting} wait`],
    ['egress', egressFact(status)],
    ['webhooks', webhookFact(status)],
    ['budgets', budgetFact(status)],
    ['audit', auditFact(status, nowMs)],
  ];
  return facts.map(([name, fact]) => `${name.padEnd(10)} ${escapeLine(fact)}`);
}

function serviceFact({ version, startedAt }: Status, service: ServiceState, nowMs: number): string {
  if (service.at === 'none') return `none runs; version ${version} of this command looked by itself`;
  const { pid, url, version: its } = service.record;
  if (service.at === 'killed') return `none runs: the last one (process ${pid}) was killed`;
  if (service.at === 'elsewhere') return `runs in another container, ${url}; this command looked by itself`;
  return `process ${pid}, version ${its}, up ${shortAge(startedAt, nowMs)}, ${url}`;
}

function configFact({ pending }: Status): string {
  if (pending.problem !== null) return 'not taken up';
  const changes = differencesIn(pending);
  return changes === 0 ? 'as it was read' : `newer than what was read: ${plural(changes, 'difference')}`;
}

function diskFact({ disk: { freeBytes, totalBytes, freeInodes } }: Status): string {
  if (freeBytes === null) return 'not known';
  const share = totalBytes === null || totalBytes === 0 ? '' : ` (${Math.round((freeBytes / totalBytes) * 100)}%)`;
  return `${formatBytes(freeBytes)} free${share}, ${freeInodes ?? 'enough'} inodes`;
}

function sandboxFact({ sandboxes }: Status): string {
  const byState = new Map<string, number>();
  for (const { state, count } of sandboxes) byState.set(state, (byState.get(state) ?? 0) + count);
  return byState.size === 0 ? 'none' : [...byState].map(([state, count]) => `${count} ${state}`).join(', ');
}

const commandFact = ({ execsRunning, day }: Status): string =>
  `${execsRunning} run; within a day ${day.lost} lost, ${day.denied} denied`;

function egressFact({ egress: { running, figures } }: Status): string {
  if (figures === null) return 'no proxy has run';
  const { open, denied } = figures;
  return `proxy ${running ? 'runs' : 'does not run'}, ${plural(open, 'connection')} open, ${denied} denied`;
}

const webhookFact = ({ webhooks }: Status): string =>
  webhooks.length === 0
    ? 'none'
    : webhooks.map(({ endpoint, waiting, givenUp }) => `${endpoint} ${waiting} wait, ${givenUp} given up`).join('; ');

const budgetFact = ({ budgets }: Status): string =>
  budgets.length === 0
    ? 'none in use'
    : budgets.map(({ name, used, total }) => `${name} ${used}${total === null ? '' : ` of ${total}`}`).join(', ');

function auditFact({ audit: { records, bytes, verified } }: Status, nowMs: number): string {
  const all = `${plural(records, 'record')}, ${formatBytes(bytes)}`;
  if (verified === null) return `${all}; never verified (caisson audit verify)`;
  return `${all}; ${verified.intact ? 'intact' : 'broken'} up to ${verified.through}, seen ${shortAge(verified.at, nowMs)} ago`;
}

/** What of a status a person should look at. Pure. */
import type { Concern, Status } from '../status.ts';

type Facts = Omit<Status, 'level' | 'concerns'>;

const gib = 1024 ** 3;
/** Below this nothing is started (`store/reserve.ts`). */
const fullBytes = 8 * 1024 ** 2;
const fullInodes = 16;
const scarceInodes = 1000;
const scarceShare = 0.05;
const recentMs = 3_600_000;
const nearlyAll = 0.9;

export function judged(facts: Facts): Status {
  const concerns = [
    ...backendConcerns(facts),
    ...diskConcerns(facts),
    ...configurationConcerns(facts),
    ...auditConcerns(facts),
    ...sandboxConcerns(facts),
    ...questionConcerns(facts),
    ...webhookConcerns(facts),
    ...budgetConcerns(facts),
  ].toSorted((a, b) => Number(b.level === 'broken') - Number(a.level === 'broken'));
  const level = concerns[0]?.level ?? 'well';
  return { level, concerns, ...facts };
}

const attention = (about: string, message: string, remedy: string): Concern => ({
  level: 'attention',
  about,
  message,
  remedy,
});
const broken = (about: string, message: string, remedy: string): Concern => ({
  level: 'broken',
  about,
  message,
  remedy,
});

function backendConcerns({ backends }: Facts): readonly Concern[] {
  return backends
    .filter(({ status }) => status !== 'ready')
    .map(({ backend, summary }) => broken('backend', `${backend}: ${summary}`, `caisson doctor ${backend}`));
}

function diskConcerns({ disk: { freeBytes, totalBytes, freeInodes } }: Facts): readonly Concern[] {
  const remedy = 'caisson gc, caisson rm, or free space on the disk of the state directory';
  if ((freeBytes !== null && freeBytes < fullBytes) || (freeInodes !== null && freeInodes < fullInodes))
    return [broken('disk', 'the disk of the state directory is full, and nothing is started', remedy)];
  const isScarce =
    freeBytes !== null && (freeBytes < gib || (totalBytes !== null && freeBytes < totalBytes * scarceShare));
  return [
    ...(isScarce
      ? [
          attention(
            'disk',
            `${Math.round(freeBytes / 1024 ** 2)} MB are free on the disk of the state directory`,
            remedy,
          ),
        ]
      : []),
    ...(freeInodes !== null && freeInodes < scarceInodes
      ? [attention('disk', `${freeInodes} inodes are free on the disk of the state directory`, remedy)]
      : []),
  ];
}

function configurationConcerns({ pending: { problem, holds, loosens, reload, restart } }: Facts): readonly Concern[] {
  const remedy = 'caisson config reload, or restore what the file said';
  if (problem !== null) return [broken('configuration', `config.yaml is not taken up: ${problem}`, remedy)];
  if (holds.length + loosens.length + reload.length + restart.length === 0) return [];
  const needs = restart.length === 0 ? remedy : 'restart the service: some keys hold from its start on';
  return [attention('configuration', 'config.yaml is newer than what the service has read', needs)];
}

function auditConcerns({ audit: { verified } }: Facts): readonly Concern[] {
  if (verified === null || verified.intact) return [];
  return [
    broken('audit', `records of the audit were changed or removed (found at ${verified.at})`, 'caisson audit verify'),
  ];
}

function sandboxConcerns({ stuck, day }: Facts): readonly Concern[] {
  const hanging = stuck.map(({ taskId, state, since }) =>
    attention(
      'sandbox',
      `${taskId} is ${state} since ${since.slice(0, 16)}Z`,
      `caisson inspect ${taskId}, caisson rm ${taskId}`,
    ),
  );
  if (day.lost === 0) return hanging;
  const count = `${day.lost} ${day.lost === 1 ? 'command has' : 'commands have'}`;
  return [
    ...hanging,
    attention('lost', `${count} an end that is not known, within a day`, 'caisson history --lost --since 24h'),
  ];
}

function questionConcerns({ approvalsWaiting: waiting }: Facts): readonly Concern[] {
  const message = `${waiting} ${waiting === 1 ? 'command waits' : 'commands wait'} for an answer`;
  return waiting === 0 ? [] : [attention('question', message, 'caisson approvals ls')];
}

function webhookConcerns({ webhooks }: Facts): readonly Concern[] {
  return webhooks
    .filter(({ givenUp }) => givenUp > 0)
    .map(({ endpoint, givenUp, waiting }) =>
      attention(
        'webhook',
        `${endpoint}: ${givenUp} events were given up, ${waiting} wait`,
        'look at the receiver, and at caisson service logs',
      ),
    );
}

function budgetConcerns({ budgets }: Facts): readonly Concern[] {
  return budgets.flatMap(({ name, used, total, lastRefused }) => {
    const remedy = `look at what callers do (caisson top, caisson history), or raise server.limits.${name}`;
    if (lastRefused !== null && lastRefused.agoMs < recentMs)
      return [
        attention('budget', `${name}: requests of ${lastRefused.owner} were refused within the last hour`, remedy),
      ];
    return total !== null && used >= total * nearlyAll
      ? [attention('budget', `${name}: ${used} of ${total} are in use`, remedy)]
      : [];
  });
}

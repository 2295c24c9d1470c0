/** Opens the service of a state directory for one command. */
import { readlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { CaissonError } from '../../errors.ts';
import { connectCaisson } from '../../client/connect.ts';
import type { CaissonClient } from '../../client/types.ts';
import type { Transport } from '../../client/transport.ts';
import { readServiceRecord, type ServiceRecord } from '../../lib/service-record.ts';
import type { ApprovalView } from '../../service/api.ts';
import type { CommandApi, Opening, ServiceLine } from '../world.ts';
import { type Caller, type Clients, commandApi } from './api.ts';
import { Line, type TokenRole } from './line.ts';
import type { Answering, Awaiting } from './questions.ts';
import { reach, silentServiceError } from './reach.ts';
import { type SessionSettings, saying } from './said.ts';
import { changedSwitches, effective, setSwitches } from './switches.ts';
import { watched } from './watched.ts';
import { given } from '../../lib/given.ts';
import { asksElsewhere } from '../../values/asks-elsewhere.ts';

/** How long a command waits for a service that has gone, for example during a restart. */
const resumeMs = 20_000;
const watching = { lookMs: 4000, answerMs: 4000 } as const;

/** `null`: the command is to open the state directory itself; where that could surprise, `onNotice` has said so. */
export async function openThrough(home: string, opening: Opening): Promise<CommandApi | null> {
  const record = await recordFor(home, opening);
  if (record === null) return null;
  const clients = await clientsFor(home, record, opening);
  const { env, cwd } = opening;
  return commandApi(clients, {
    home,
    env,
    skill: (path) => skillPath(path, { cwd, record }),
    asking: askingOn(clients, opening),
    close: async () => await clients.ask.close(),
  });
}

/** `null` as of `openThrough`. */
export async function lineTo(home: string, opening: Opening): Promise<ServiceLine | null> {
  const record = await recordFor(home, opening);
  return record === null ? null : { home, url: record.url, client: (await clientsFor(home, record, opening)).ask };
}

/** Says which variables have no effect. */
async function clientsFor(home: string, record: ServiceRecord, opening: Opening): Promise<Clients> {
  const clients = clientsOf(home, record, opening);
  const { env, onNotice } = opening;
  const set = onNotice === undefined ? [] : setSwitches(env);
  if (set.length > 0) {
    const { ignoredSwitches } = await import('./ignored.ts');
    const changed = changedSwitches(set, env, record.pid);
    for (const text of await ignoredSwitches(changed, env, clients.ask)) onNotice?.(text);
  }
  return clients;
}

async function recordFor(home: string, opening: Opening): Promise<ServiceRecord | null> {
  const record = await reach(home);
  if (record === null) {
    if (await livesElsewhere(home)) opening.onNotice?.(elsewhere);
    return null;
  }
  const why = await whyEmbedded(record, opening);
  if (why !== null) {
    opening.onNotice?.(`${why}: this command goes without the service`);
    return null;
  }
  return record;
}

const elsewhere = 'the service of this state directory runs in another container: this command goes without it';

/** The number of a process means something within its container alone; the claim of the service holds everywhere. */
async function livesElsewhere(home: string): Promise<boolean> {
  const left = readServiceRecord(home);
  if (left === null || seesSameFiles(left)) return false;
  const { isClaimed } = await import('../../store/service-claim.ts');
  return isClaimed(home);
}

/** `null`: nothing speaks against the service. */
async function whyEmbedded({ pid }: ServiceRecord, { env, ...opening }: Opening): Promise<string | null> {
  const set = setSwitches(env);
  const changed = set.length === 0 ? [] : await effective(changedSwitches(set, env, pid));
  if (changed.length > 0) return `${changed.join(', ')} is not what the service was started with`;
  if (!decides({ env, ...opening })) return null;
  const { isInside } = await import('../../guard/inside.ts');
  return isInside(env) ? 'a command that Caisson runs says nothing about its questions' : null;
}

const on = (value: string | undefined): boolean => value !== undefined && /^(?:1|true|yes|on)$/i.test(value);

const skips = ({ yolo, env }: Opening): boolean =>
  yolo === true || on(env['CAISSON_YOLO_MODE']) || on(env['HERMES_YOLO_MODE']);

/** What is decided with the request is decided by the person who typed it. */
const decides = (opening: Opening): boolean =>
  skips(opening) || opening.rules !== undefined || opening.confirms === true;

function clientsOf(home: string, record: ServiceRecord, opening: Opening): Clients {
  const line = new Line(home, record);
  const as = (standing: TokenRole): Transport =>
    watched(line.as(standing), { ...watching, silentError: () => silentServiceError(record) });
  const said: SessionSettings = {
    ...given({ rules: opening.rules }),
    ...(skips(opening) ? { yolo: true } : {}),
    ...(seesSameFiles(record) ? { project: opening.cwd } : {}),
  };
  let answering: CaissonClient | null = null;
  const ask = saying(as(decides(opening) ? 'decide' : 'ask'), said);
  return {
    ask: connectCaisson({ ...placeholder, transport: ask, resumeMs, ...given({ onTimed: opening.onTimed }) }),
    answer: () => (answering ??= connectCaisson({ ...placeholder, transport: as('answer'), resumeMs })),
  };
}

/** The line puts the token of the service in its place, which is another one after a start. */
const placeholder = { token: 'of-the-line' } as const;

function seesSameFiles({ mountNamespace }: ServiceRecord): boolean {
  try {
    return mountNamespace === null || readlinkSync('/proc/self/ns/mnt') === mountNamespace;
  } catch {
    return false;
  }
}

function skillPath(path: string, { cwd, record }: { readonly cwd: string; readonly record: ServiceRecord }): string {
  if (seesSameFiles(record)) return resolve(cwd, path);
  throw new CaissonError('not_supported', 'a skill is read by the service, which sees other files than this command', {
    remedy: 'add --embedded, which goes without the service',
  });
}

/**
 * Shows a question to the person who is there and awaits the answer. Without a person it is a refusal, unless the environment
 * says that one answers from elsewhere.
 */
function askingOn({ answer }: Clients, { approver, env, onNotice = () => undefined }: Opening): Caller['asking'] {
  if (typeof approver !== 'function')
    return async (work, options = {}) =>
      await work({ ...options, question: { ...options.question, waits: asksElsewhere(env) } });
  const answerOne = async (id: string, awaiting: Awaiting): Promise<void> => {
    const { approvals } = answer();
    const get = (each: string): Promise<ApprovalView> => approvals.get(each);
    const answerIt: Answering['answer'] = (each, choice) => approvals.answer(each, choice, '');
    const { answerQuestion } = await import('./questions.ts');
    await answerQuestion(id, { get, answer: answerIt, approver, say: onNotice }, awaiting);
  };
  return async (work, options = {}) => {
    const begun = new AbortController();
    const questions: Promise<void>[] = [];
    const onAsked = (id: string): void =>
      void questions.push(answerOne(id, { signal: options.signal, begun: begun.signal }));
    try {
      return await work({ ...options, question: { waits: true, onAsked } });
    } finally {
      begun.abort();
      await Promise.all(questions);
    }
  };
}

/** What commands ask, as a client of the service gives it. */
import type { CaissonClient } from '../../client/types.ts';
import type { ApprovalView, CopyInput, CopyResult, Options } from '../../service/api.ts';
import { CaissonError, isCode } from '../../errors.ts';
import { traceable } from './traceable.ts';
import type { CommandApi, Env } from '../world.ts';
import { newExecId } from './exec-id.ts';
import { outside } from './outside.ts';
import { withInput } from './streams.ts';

interface CommandExtras {
  readonly execId?: string;
  readonly skills?: readonly string[];
}

export interface Clients {
  readonly ask: CaissonClient;
  /** Client with the token that answers; made when it is first needed. */
  readonly answer: () => CaissonClient;
}

export interface Caller {
  readonly home: string;
  readonly env: Env;
  /** Turns the path of a skill into the one that the service reads. */
  readonly skill: (path: string) => string;
  /** Does the work with what is to happen when a question comes up, and until that is over. */
  readonly asking: <T>(work: (options: Options) => Promise<T>, options?: Options) => Promise<T>;
  readonly close: () => Promise<void>;
}

export function commandApi({ ask, answer }: Clients, { home, env, skill, asking, close }: Caller): CommandApi {
  const wanted = <Request extends CommandExtras>(request: Request): Request => ({
    ...request,
    execId: request.execId ?? newExecId(),
    ...(request.skills === undefined ? {} : { skills: request.skills.map(skill) }),
  });
  const look = (id: string): Promise<ApprovalView> => ask.approvals.get(id);
  const start: CommandApi['exec'] = async (request, options) => {
    const act = async (each: typeof request) => await asking((how) => ask.exec(each, how), options);
    return withInput(await unattended(wanted(request), { act, look }));
  };
  const run: CommandApi['run'] = async (request, options) => {
    const act = async (each: typeof request) => await asking((how) => ask.run(each, how), options);
    return await unattended(wanted(request), { act, look });
  };
  return {
    events: ask.events,
    history: ask.history,
    audit: ask.audit,
    images: ask.images,
    backends: ask.backends,
    sandboxes: ask.sandboxes,
    pool: ask.pool,
    installation: ask.installation,
    run,
    exec: start,
    execs: { ...ask.execs, run },
    processes: {
      ...ask.processes,
      start: async (request, options) => await asking((how) => ask.processes.start(wanted(request), how), options),
    },
    sessions: {
      ...ask.sessions,
      exec: async (input, options) => withInput(await asking((how) => ask.sessions.exec(input, how), options)),
      run: async (input, options) => await asking((how) => ask.sessions.run(input, how), options),
    },
    files: copies(ask, { home, env }),
    approvals: approvals(answer, env),
    policy: {
      ...ask.policy,
      hooks: {
        ...ask.policy.hooks,
        accept: outside(env, 'accepts no hook', (names) => ask.policy.hooks.accept(names)),
      },
    },
    network: {
      ...ask.network,
      change: outside(env, 'can change no rule of the network', (task, change, how) =>
        answer().network.change(task, change, how),
      ),
    },
    access: { pairing: ask.access.pairing },
    tokens: tokens(ask, env),
    config: { show: (task) => ask.config.show(task), pending: () => ask.config.pending(), home, notices: [] },
    close,
  };
}

interface Unattended<Request, Result> {
  readonly act: (request: Request) => Promise<Result>;
  readonly look: (id: string) => Promise<ApprovalView>;
}

/** No person is here, and the question waits for one elsewhere: the same id finds the answer. */
async function unattended<Request extends CommandExtras, Result>(
  request: Request,
  { act, look }: Unattended<Request, Result>,
): Promise<Result> {
  try {
    return await act(request);
  } catch (caught) {
    const error = traceable(caught, String(request.execId));
    if (!isCode(error, 'approval_required') || error.details['reason'] !== 'pending') throw error;
    const id = String(error.details['approvalId']);
    const { title, choices, findings } = await look(id);
    const why = [title, [...new Set(findings)].join(', ')].join(': ');
    throw new CaissonError(
      'approval_required',
      `the command needs an approval, and no approver is here: ${id} waits (${why})`,
      {
        details: error.details,
        remedy: [
          `caisson approvals approve ${id}, and then the same line with --exec-id ${request.execId}`,
          ...(choices.includes('session')
            ? [`or caisson approvals approve --session ${id}, and then the same line`]
            : []),
        ].join('; '),
      },
    );
  }
}

/** Loaded on use: packing and unpacking is more code than all the rest. */
function copies(client: CaissonClient, place: Pick<Caller, 'home' | 'env'>): CommandApi['files'] {
  const by =
    (verb: 'copyIn' | 'copyOut') =>
    async (input: CopyInput, options?: Options): Promise<CopyResult> => {
      const { copiesThrough } = await import('./copy.ts');
      return await copiesThrough(client.files, place)[verb](input, options);
    };
  return { copyIn: by('copyIn'), copyOut: by('copyOut') };
}

function tokens({ tokens: noun }: Clients['ask'], env: Env): CommandApi['tokens'] {
  const decides = 'can make or remove no token';
  return {
    ...noun,
    create: outside(env, decides, (input, by) => noun.create(input, by)),
    remove: outside(env, decides, (id, by) => noun.remove(id, by)),
  };
}

function approvals(answer: Clients['answer'], env: Env): CommandApi['approvals'] {
  const decides = 'cannot answer';
  return {
    list: (options) => answer().approvals.list(options),
    get: (id, options) => answer().approvals.get(id, options),
    grants: (options) => answer().approvals.grants(options),
    suggest: (options) => answer().approvals.suggest(options),
    answer: outside(env, decides, (...args) => answer().approvals.answer(...args)),
    answerAll: outside(env, decides, (...args) => answer().approvals.answerAll(...args)),
    revoke: outside(env, decides, (...args) => answer().approvals.revoke(...args)),
    skip: outside(env, decides, (...args) => answer().approvals.skip(...args)),
  };
}

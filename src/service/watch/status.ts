/** Reads what a status is made of. */
import { proxyLease } from '../../egress/places.ts';
import { egressFigures } from '../../egress/tally.ts';
import { version } from '../../lib/build.ts';
import { keptIn } from '../../lib/kept.ts';
import { freeIn } from '../../store/reserve.ts';
import { created, everyRow } from '../../store/pages.ts';
import type { SandboxRow } from '../../store/store.ts';
import type { Context } from '../../sandbox/context.ts';
import type { AuditApi, BackendsApi, ConfigView } from '../api.ts';
import type { RunningExecs } from '../exec/running-execs.ts';
import type { Status } from '../status.ts';
import { judged } from './concerns.ts';

export interface StatusParts {
  readonly context: Context;
  readonly running: RunningExecs;
  readonly backends: Pick<BackendsApi, 'check'>;
  readonly config: Pick<ConfigView, 'pending'>;
  /** Backend of requests that name none. */
  readonly defaultBackend: string;
}

const dayMs = 86_400_000;
/** The pull of an image takes minutes. */
const stuckMs = 15 * 60_000;
const backendPatienceMs = 8000;
const verifiedName = 'verified';

export async function statusOf(parts: StatusParts): Promise<Status> {
  const { context, running, config } = parts;
  const { store, home, budgets } = context;
  const { sandboxes, questions, webhooks } = await store.figures();
  const now = store.steadyNow();
  const names = new Set([parts.defaultBackend, ...sandboxes.map(({ backend }) => backend)]);
  const proxy = await store.leases.holder(proxyLease);
  return judged({
    version: version(),
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    pending: await config.pending(),
    backends: await checked(parts.backends, [...names]),
    disk: diskOf(home),
    sandboxes,
    webhooks,
    stuck: await stuckIn(context, now),
    day: {
      lost: await store.history.count('lost', now - dayMs),
      denied: await store.history.count('denied', now - dayMs),
    },
    execsRunning: running.size,
    approvalsWaiting: questions,
    egress: { running: proxy?.alive === true, figures: egressFigures(home) },
    budgets: budgets.figures().filter(({ used, lastRefused }) => used > 0 || lastRefused !== null),
    audit: { ...context.audit.figures(), verified: verifiedIn(home) },
  });
}

function diskOf(home: string): Status['disk'] {
  const free = freeIn(home);
  return { freeBytes: free?.bytes ?? null, totalBytes: free?.totalBytes ?? null, freeInodes: free?.files ?? null };
}

/** One that does not answer in time is not waited for: this is asked when something is wrong. */
async function checked(backends: Pick<BackendsApi, 'check'>, names: readonly string[]): Promise<Status['backends']> {
  return await Promise.all(
    names.map(async (backend) => {
      const late = Promise.withResolvers<Status['backends'][number]>();
      const summary = `no answer within ${backendPatienceMs / 1000} s`;
      const timer = setTimeout(() => late.resolve({ backend, status: 'unhealthy', summary }), backendPatienceMs);
      const asked = backends.check([backend]).then(([found]) => ({
        backend,
        status: found?.check.status ?? 'missing',
        summary: found?.check.summary ?? 'it is not there',
      }));
      return await Promise.race([asked, late.promise]).finally(() => clearTimeout(timer));
    }),
  );
}

const passing = ['creating', 'stopping', 'destroying'] as const;

async function stuckIn({ store }: Context, now: number): Promise<Status['stuck']> {
  const rows = await Promise.all(
    passing.map((state) => Array.fromAsync(everyRow((page) => store.sandboxes.list({ ...page, state }), created))),
  );
  const since = ({ createdAt, usedAt }: SandboxRow): number => Math.max(createdAt, usedAt);
  return rows
    .flat()
    .filter((row) => now - since(row) > stuckMs)
    .map((row) => ({ taskId: row.taskId, state: row.state, since: new Date(since(row)).toISOString() }));
}

/** A verification of the whole chain takes long, so that a status tells of the last one. */
export function rememberVerified(home: string, verify: AuditApi['verify']): AuditApi['verify'] {
  return async () => {
    const found = await verify();
    const { intact, lastSeq, broken } = found;
    const through = broken === null ? (lastSeq ?? 0) : Math.max(0, broken.seq - 1);
    keptIn(auditDirectory(home)).write(verifiedName, { at: new Date().toISOString(), through, intact });
    return found;
  };
}

function verifiedIn(home: string): Status['audit']['verified'] {
  const read = keptIn(auditDirectory(home)).read(verifiedName);
  const of = (name: string): unknown => Reflect.get(Object(read), name);
  const [at, through, intact] = [of('at'), of('through'), of('intact')];
  if (typeof at !== 'string' || typeof through !== 'number' || typeof intact !== 'boolean') return null;
  return { at, through, intact };
}

const auditDirectory = (home: string): string => `${home}/audit`;

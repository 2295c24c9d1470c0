/** Sockets: the stdin of an exec that runs, and terminals. What stands before every request stands before the upgrade too. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { CaissonError, toCaissonError } from '../../errors.ts';
import type { Options, Running } from '../../service/api.ts';
import { checkScope } from '../admit.ts';
import { callOf } from '../handle.ts';
import { callerIn } from '../caller.ts';
import { invalidRequestError } from '../invalid.ts';
import { HttpRefusal, problemOf } from '../problems.ts';
import type { Stream } from '../reply.ts';
import type { Route } from '../route.ts';
import { execIn, getExec } from '../routes/execs.ts';
import { reachableIn } from '../routes/stdin.ts';
import { execId, inSandbox, nothing, queryCount } from '../schemas/common.ts';
import { recordOf, startStreamed, streamOf } from '../stream/exec.ts';
import { unlessAborted } from '../stream/until.ts';
import { closeCodes, feedFrom, sendTo } from './attach.ts';
import { Timing } from '../timing.ts';
import type { Reachable } from '../held/live.ts';
import type { Call, Service } from '../types.ts';

type Mount = (app: FastifyInstance, service: Service) => void;

/** Between the record of an exec and the moment at which it runs. */
const startingMs = 1000;
const defaultTerminal = { columns: 80, rows: 24 } as const;

const ptyQuery = z.strictObject({
  command: z.union([z.string(), z.array(z.string()).min(1).max(1000)]).exactOptional(),
  cwd: z.string().max(4096).exactOptional(),
  execId: execId.exactOptional(),
  columns: queryCount.exactOptional(),
  rows: queryCount.exactOptional(),
});

/** `stdin`: of an exec that was started with `stdin: true`, or on a terminal; its events come as text frames. */
const stdin: Mount = (app, service) =>
  mount(app, '/v1/sandboxes/:id/execs/:execId/stdin', service, {
    raw: false,
    open: async (call) => {
      const { id, execId: exec } = checked({ params: inSandbox.extend({ execId }), query: nothing }, call).params;
      const { exit } = await execIn(call, { id, of: exec });
      const running = exit === null ? await call.service.live.soon(call.token.owner, exec, startingMs) : null;
      const events = streamOf(call, (signal) => recordOf(call, exec, { follow: true, signal }));
      return { running, events };
    },
  });

/** Finds the exec by its id alone, also one that is about to start: input that it is sent waits. */
const anyStdin: Mount = (app, service) =>
  mount(app, '/v1/execs/:execId/stdin', service, {
    raw: false,
    open: async (call) => {
      const { execId: exec } = checked({ params: z.strictObject({ execId }), query: nothing }, call).params;
      const running = await reachableIn(call, exec);
      const ended = running?.exit ?? Promise.resolve();
      // Its events are in the answer to the request that has started it.
      const events = streamOf(call, async function* (signal) {
        await unlessAborted(ended, signal);
        yield* [];
      });
      return { running, events };
    },
  });

/** `pty`: starts a program on a terminal, or with the `execId` of one that runs comes back to it. */
const pty: Mount = (app, service) =>
  mount(app, '/v1/sandboxes/:id/pty', service, {
    raw: true,
    open: async (call) => {
      const { params, query } = checked({ params: inSandbox, query: ptyQuery }, call);
      const known = query.execId === undefined ? null : call.service.live.find(call.token.owner, query.execId);
      if (known !== null) {
        await execIn(call, { id: params.id, of: known.id });
        return {
          running: known,
          events: streamOf(call, (signal) => recordOf(call, known.id, { follow: true, signal })),
        };
      }
      let running: Running | null = null;
      const { columns = defaultTerminal.columns, rows = defaultTerminal.rows, command = 'sh', ...rest } = query;
      const [program = 'sh', ...args] = typeof command === 'string' ? [command] : command;
      const request = {
        ...rest,
        ...call.skills,
        taskId: params.id,
        existing: true,
        stdin: true,
        tty: { columns, rows },
      };
      const start = (options: Options): Promise<Running> =>
        call.api.execs.start({ ...request, command: [program, ...args] }, options);
      const started = (now: Running): void => void (running = now);
      const events = await startStreamed({ call, waitForApproval: undefined, execId: query.execId, start, started });
      return { running, events };
    },
  });

export const sockets: readonly Mount[] = [stdin, anyStdin, pty];

interface Joined {
  readonly running: Reachable | null;
  readonly events: Stream;
}

interface Socket {
  readonly raw: boolean;
  readonly open: (call: Call) => Promise<Joined>;
}

function mount(app: FastifyInstance, url: string, service: Service, { raw, open }: Socket): void {
  app.route({
    method: 'GET',
    url,
    config: { socket: true },
    onRequest: (request, _reply, done) => {
      checkScope(callerIn(request), 'run');
      done();
    },
    handler: () => {
      throw noUpgradeError();
    },
    wsHandler: (socket, request) => void join(socket, { request, service, raw, open }),
  });
}

function noUpgradeError(): HttpRefusal {
  const error = new CaissonError('invalid_argument', 'this route is a WebSocket', { remedy: 'ask for an upgrade' });
  return new HttpRefusal(426, error, { upgrade: 'websocket', connection: 'upgrade' });
}

/** Listeners come first: what the client sends before the exec is there waits. */
async function join(
  socket: WebSocket,
  { request, service, raw, open }: Socket & { readonly request: FastifyRequest; readonly service: Service },
): Promise<void> {
  const gone = new AbortController();
  const token = callerIn(request);
  token.login?.ended.addEventListener('abort', () => socket.close(closeCodes.refused), { signal: gone.signal });
  socket.on('error', () => socket.terminate());
  socket.once('close', () => gone.abort());
  socket.pause();
  try {
    const call = callOf(asRoute(raw), service, {
      request,
      token,
      signal: gone.signal,
      uploads: [],
      timing: new Timing(service.metrics),
    });
    const { running, events } = await open(call);
    feedFrom(socket, running);
    socket.resume();
    await sendTo(socket, events.events, { raw, requestId: request.id });
  } catch (error) {
    socket.resume();
    socket.send(JSON.stringify({ type: 'error', error: problemOf(toCaissonError(error), request.id) }));
    socket.close(closeCodes.refused);
  }
}

/** What the parts of a call are read by. */
const asRoute = (raw: boolean): Route => (raw ? { ...getExec, skills: true } : getExec);

function checked<P extends z.ZodType, Q extends z.ZodType>(
  { params, query }: { readonly params: P; readonly query: Q },
  call: Call,
): { readonly params: z.output<P>; readonly query: z.output<Q> } {
  const [at, how, what] = [params.safeParse(call.params), query.safeParse(call.query), z.unknown().safeParse(null)];
  if (!at.success || !how.success) throw invalidRequestError({ params: at, query: how, body: what });
  return { params: at.data, query: how.data };
}

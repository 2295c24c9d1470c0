import { CaissonError } from '../../errors.ts';
import type {
  CodeInput,
  ExecEvent,
  ExecInput,
  ExecView,
  Options,
  Page,
  RunResult,
  SandboxRequest,
} from '../../service/api.ts';
import { execs } from '../../service/verbs/execs.ts';
import { runCollected } from '../exec/collect.ts';
import { eventIn } from '../exec/events.ts';
import { heard } from '../../exec/heard.ts';
import { checkedExecId, newExecId } from '../exec/ids.ts';
import { startExec } from '../exec/start.ts';
import type { ByteSource, ClientExecsApi, ClientRunInput } from '../types.ts';
import { followed } from '../wire/followed.ts';
import { base64Of } from '../wire/base64.ts';
import { page } from '../wire/page.ts';
import { segment } from '../wire/path.ts';
import type { Wire } from '../wire/wire.ts';
import { made } from './made.ts';

const { path } = execs.list;
/** A body of the service has two megabytes, and escapes may double a text. */
const maxInputUnits = 512 * 1024;

export function execsOf(wire: Wire): ClientExecsApi {
  const byHand: Omit<ClientExecsApi, 'get' | 'cancel'> = {
    start: async (request, options = {}) => {
      const { execId = newExecId() } = request;
      const { stdin = false, tty } = 'code' in request ? {} : request;
      const wanted = { path, execId: checkedExecId(execId), body: bodyOf(request), stdin, tty: tty !== undefined };
      return heard((await startExec(wire, wanted, options)).running, options);
    },
    run: async (request, options) => {
      const { execId = newExecId() } = request;
      const { input, body } = inputOf(request);
      return await runCollected<RunResult>(wire, { path, execId: checkedExecId(execId), body, input }, options);
    },
    list: async (filter = {}, options = {}): Promise<Page<ExecView>> => {
      const { owner: _owner, sandboxes: _sandboxes, ...query } = checkedFilter(filter);
      return page<ExecView>(await wire.json({ method: 'GET', path, query, signal: options.signal }), {
        id: 'text',
        where: 'object',
      });
    },
    logs: (id, how = {}, options = {}) =>
      id.startsWith('exec_')
        ? logsOf(wire, { ...how, id: checkedExecId(id) }, options)
        : taskLogs(wire, { ...how, id }, options),
  };
  return made(wire, 'execs', { rows: execs, byHand });
}

/** The operator's client sees what its token sees: a filter by owner, or by sandboxes, is not made through it. */
function checkedFilter<Filter extends object>(filter: Filter): Filter {
  const wrong = ['owner', 'sandboxes'].find((key) => Reflect.get(filter, key) !== undefined);
  if (wrong === undefined) return filter;
  throw new CaissonError('not_supported', `a list of the service has no filter ${wrong}: it lists what the token sees`);
}

function bodyOf(request: SandboxRequest & (CodeInput | ExecInput)): Readonly<Record<string, unknown>> {
  const { execId: _, ...body } = request;
  if (!('code' in body)) {
    const { input, ...rest } = body;
    return input === undefined ? rest : { ...rest, input: inBody(input) };
  }
  const { language, text } = body.code;
  return { ...body, code: { language, text: textIn(text, 'the program') } };
}

interface ExecBody {
  readonly input: ByteSource | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** JSON has texts alone: bytes that are not UTF-8 go as base64. */
function inBody(input: string | Uint8Array): string | { readonly base64: string } {
  if (typeof input === 'string') return input;
  return maybeText(input) ?? { base64: base64Of(input) };
}

/** Text and bytes go with the request, so that who is asked sees them. What is larger, or comes later, goes through the socket. */
function inputOf(request: SandboxRequest & (CodeInput | ClientRunInput)): ExecBody {
  if ('code' in request) return { input: null, body: bodyOf(request) };
  const { input, execId: _, ...body } = request;
  if (input === undefined) return { input: null, body };
  const isWhole = typeof input === 'string' || input instanceof Uint8Array;
  if (isWhole && input.length <= maxInputUnits) return { input: null, body: { ...body, input: inBody(input) } };
  const source = isWhole ? once(input) : input;
  return { input: source, body: { ...body, stdin: true } };
}

// oxlint-disable-next-line require-await -- one part, as those of a source are read
async function* once(bytes: string | Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
}

function maybeText(bytes: Uint8Array): string | null {
  if (bytes.length > maxInputUnits) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function textIn(text: string | Uint8Array, what: string): string {
  const found = typeof text === 'string' ? text : maybeText(text);
  if (found !== null) return found;
  throw new CaissonError('invalid_argument', `${what} is UTF-8, of at most half a megabyte`);
}

interface Reading {
  readonly id: string;
  readonly after?: number;
  readonly follow?: boolean;
  readonly tailBytes?: number;
}

async function* logsOf(
  wire: Wire,
  { id, after = 0, follow = false, tailBytes }: Reading,
  { signal }: Options,
): AsyncGenerator<ExecEvent, void, void> {
  // Behind an event that was seen, all is wanted: the tail of later would leave out more.
  const ask = (from: number) =>
    ({
      method: 'GET',
      path: `${path}/${id}`,
      query: { follow, after: from === 0 ? undefined : from, tailBytes: from === after ? tailBytes : undefined },
      signal,
    }) as const;
  const isLast = ({ type }: Readonly<Record<string, unknown>>): boolean => type === 'exit';
  const how = { first: ask(after), next: ask, after, signal };
  for await (const sent of followed(wire, follow ? { ...how, isLast } : how)) {
    const event = eventIn(sent);
    if (event !== null) yield event;
  }
}

/** `seq` is of each exec, so that after a lost connection all is read again, and what was seen is left out. */
async function* taskLogs(
  wire: Wire,
  { id, after = 0, follow = false, tailBytes }: Reading,
  { signal }: Options,
): AsyncGenerator<ExecEvent, void, void> {
  if (tailBytes !== undefined)
    throw new CaissonError('invalid_argument', 'tailBytes does not fit: the record of a task is that of many execs', {
      remedy: 'give it with the id of an exec, or read without it',
    });
  const seen = new Map<string, number>();
  const ask = { method: 'GET', path: `/v1/sandboxes/${segment(id)}/logs`, query: { follow }, signal } as const;
  for await (const sent of followed(wire, { first: ask, next: () => ask, signal, ownOrder: true })) {
    const event = eventIn(sent);
    if (event === null || event.seq <= Math.max(after, seen.get(event.execId) ?? 0)) continue;
    seen.set(event.execId, event.seq);
    yield event;
  }
}

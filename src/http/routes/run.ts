/** Runs a command or a program in the form that the client wants: events, one answer at the end, or the result as the last event. */
import type { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import type { CodeInput, Options, RunInput, SandboxRequest } from '../../service/api.ts';
import type { Stream } from '../reply.ts';
import type { runResult } from '../schemas/execs.ts';
import { runCollected } from '../stream/collected.ts';
import { checkWaiting, startStreamed, type Waiting } from '../stream/exec.ts';
import { resultOf } from '../stream/result.ts';
import { needsAdmin } from './sandboxes.ts';
import type { Call } from '../types.ts';

interface How<Wanted> {
  readonly wanted: Wanted;
  readonly waitForApproval: boolean | undefined;
  readonly collect: boolean | undefined;
}

interface CommandHow extends How<SandboxRequest & Omit<RunInput, 'input' | 'stdin'>> {
  readonly stdin: boolean | undefined;
  readonly input: string | Uint8Array | undefined;
}

type Answer = Promise<z.input<typeof runResult> | Stream>;

export async function runCommand(call: Call, { wanted, waitForApproval, collect, stdin, input }: CommandHow): Answer {
  const { api, form } = call;
  needsAdmin(call, wanted.rawOutput, 'rawOutput');
  if (stdin === true && input !== undefined)
    throw new CaissonError('invalid_argument', 'input and stdin are both given', {
      remedy: 'give input where all of it is known, and stdin where it comes later',
    });
  const given = input === undefined ? wanted : { ...wanted, input };
  if (form === 'json') {
    if (stdin === true)
      throw new CaissonError('invalid_argument', 'stdin comes through a socket, which a JSON answer has not');
    return resultOf(await api.execs.run(given, collecting(call, { waitForApproval, execId: wanted.execId })));
  }
  const how = { call, waitForApproval, execId: wanted.execId };
  if (collect === true)
    return await runCollected({
      ...how,
      stdin,
      run: (options, source) => api.execs.run(source === null ? given : { ...wanted, input: source }, options),
    });
  return await startStreamed({
    ...how,
    start: (options) => api.execs.start(stdin === true ? { ...wanted, stdin } : given, options),
  });
}

export async function runProgram(
  call: Call,
  { wanted, waitForApproval, collect }: How<SandboxRequest & CodeInput>,
): Answer {
  const { api, form } = call;
  needsAdmin(call, wanted.rawOutput, 'rawOutput');
  const how = { call, waitForApproval, execId: wanted.execId };
  if (form === 'json') return resultOf(await api.execs.run(wanted, collecting(call, how)));
  if (collect === true) return await runCollected({ ...how, run: (options) => api.execs.run(wanted, options) });
  return await startStreamed({ ...how, start: (options) => api.execs.start(wanted, options) });
}

/** Options for an answer that comes at the end: a client that leaves cancels the command. */
export function collecting(
  { options }: Pick<Call, 'options'>,
  { waitForApproval, execId }: Partial<Omit<Waiting, 'call'>>,
): Options {
  checkWaiting({ waitForApproval, execId });
  return { ...options, question: { waits: waitForApproval ?? true } };
}

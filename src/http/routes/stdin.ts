/** The stdin of an exec that runs, for a client without sockets: bytes of any size, staged as every upload, then end of file. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import type { Reachable } from '../held/live.ts';
import { route } from '../route.ts';
import { bare, execId, noAnswer } from '../schemas/common.ts';
import { twins } from '../twin.ts';
import type { Call } from '../types.ts';
import { execIn } from './execs.ts';

/** Between the record of an exec and the moment at which it runs. */
const startingMs = 1000;

/** Also one that is about to start. `null`: it has ended. Throws where another process runs it, and what the token may not see. */
export async function reachableIn(
  { api, service: { live }, token }: Pick<Call, 'api' | 'service' | 'token'>,
  exec: string,
): Promise<Reachable | null> {
  const running = live.find(token.owner, exec) ?? (await live.soon(token.owner, exec, startingMs));
  // One that is about to start has no record yet by which it could be looked up whether the token sees it.
  const isOwn = running !== null && (token.bounds === null || live.isOf(token, exec));
  if (isOwn) return running;
  const { exit } = await api.execs.get(exec);
  if (running === null && exit === null)
    throw new CaissonError(
      'failed_precondition',
      `the service does not run ${exec} itself, and cannot pass input on to it`,
    );
  return running;
}

const sendStdin = route({
  ...bare,
  method: 'POST',
  path: '/v1/execs/{execId}/stdin',
  scope: 'run',
  about:
    'Passes input to a command that was started with stdin, then end of file; answers when it has read it, or has ended.',
  params: z.strictObject({ execId }),
  takes: 'bytes',
  answer: noAnswer,
  run: async (call) => {
    const running = await reachableIn(call, call.params.execId);
    const { path } = await call.upload();
    await feed(running, path);
    return undefined;
  },
});

/** A client that leaves meanwhile changes nothing: all of its bytes are here. A command may end without having read them. */
async function feed(running: Reachable | null, path: string): Promise<void> {
  if (running === null || running.stdin?.writable !== true)
    throw new CaissonError('failed_precondition', 'the command has no open input', {
      remedy: 'start it with "stdin": true, and send its input once',
    });
  const fed = pipeline(createReadStream(path), running.stdin).catch(() => undefined);
  await Promise.race([fed, running.exit.catch(() => undefined)]);
}

export const stdinRoutes = twins(sendStdin, { name: 'execId', check: execIn });

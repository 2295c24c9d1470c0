/** Sessions as their owner drives them, without the service around them. */
import { text } from 'node:stream/consumers';
import type { Sandbox } from '../../../src/backend.ts';
import { newNonce } from '../../../src/exec/random.ts';
import { sessionStart } from '../../../src/exec/session/script.ts';
import { type SessionShell, Session } from '../../../src/exec/session/session.ts';

export interface ShellOutput {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export async function openSession(
  sandbox: Sandbox,
  name: string,
  where: { readonly cwd?: string; readonly key?: string } = {},
): Promise<{ readonly session: Session; readonly opened: SessionShell }> {
  const nonce = newNonce();
  const { command, program } = sessionStart(where.key ?? '', nonce, name);
  const process = await sandbox.exec(command, {
    cwd: where.cwd ?? '/',
    env: { CAISSON_EXEC: 'session' },
    stdin: true,
  });
  const session = new Session(process);
  return { session, opened: await session.open(nonce, program) };
}

export async function say(
  session: Session,
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ShellOutput> {
  const process = session.run(line, env);
  const [end, out, err] = await Promise.all([process.wait(), text(process.stdout), text(process.stderr)]);
  return { code: end.exitCode, out, err };
}

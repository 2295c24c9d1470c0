/** The Docker engine of the demonstration: the one that is there, or a private one for the time it takes. */
import { startEngine, whyNoEngine } from '../../test/engines/engine.ts';
import { install, missingPackages } from '../../test/engines/packages.ts';
import type { Caisson } from './command.ts';
import { say } from './say.ts';

export interface FoundEngine {
  /** What commands need to reach it, beyond the environment as it is. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function findEngine(caisson: Caisson): Promise<FoundEngine> {
  const { status, summary, remedy } = await dockerCheck(caisson);
  say.line(`Docker: ${status}. ${summary}`);
  if (status === 'ready') return { env: {}, stop: () => Promise.resolve() };
  // An engine that somebody named and that does not answer is theirs to mend, not ours to replace.
  if (process.env['DOCKER_HOST']) throw new Error(`the engine of DOCKER_HOST does not answer. ${remedy}`);
  return await startPrivate();
}

interface DockerCheck {
  readonly status: string;
  readonly summary: string;
  readonly remedy: string;
}

async function dockerCheck(caisson: Caisson): Promise<DockerCheck> {
  const reported = await caisson.ask(['doctor', 'docker']);
  const first: unknown = Array.isArray(reported) ? reported[0] : null;
  const text = (key: string): string => {
    const value: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, key) : null;
    return typeof value === 'string' ? value : '';
  };
  return { status: text('status'), summary: text('summary'), remedy: text('remedy') };
}

async function startPrivate(): Promise<FoundEngine> {
  if ((await whyNoEngine('plain')) !== null) await installAsRoot();
  const why = await whyNoEngine('plain');
  if (why !== null) throw new Error(`there is no Docker engine, and none can be started for the demonstration: ${why}`);
  say.line('Starting a private engine for this demonstration. It ends with it.');
  const engine = await startEngine('plain');
  return { env: { DOCKER_HOST: engine.host }, stop: () => engine.stop() };
}

/** Only where we are root already: with a sudo that does not ask, a person has still not been asked. */
async function installAsRoot(): Promise<void> {
  const missing = await missingPackages().catch(() => []); // no dpkg here: the next check says what is missing
  if (process.getuid?.() !== 0 || missing.length === 0) return;
  say.line(`Installing Debian packages: ${missing.join(' ')}`);
  await install(missing);
}

/** Modal's service on this machine, as `caisson emulate modal` starts it: a process of its own, for one test file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/caisson', import.meta.url));

/** Commands need namespaces of their own, and those need root. */
export const whyNoModal: string | null =
  process.getuid?.() === 0 ? null : 'the emulator of Modal keeps commands apart by namespaces, which need root';

export interface ModalService {
  readonly env: Readonly<Record<string, string>>;
  /** Asks for a fault; the names are those of the emulator's page. */
  order(name: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

export async function startModalService(): Promise<ModalService> {
  const child = spawn(program, ['emulate', 'modal', '-o', 'json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.endsWith('\n')) break;
  }
  const { environment, faults } = JSON.parse(text) as { environment: Record<string, string>; faults: string };
  return {
    env: environment,
    order: (name, body = {}) => ask(faults, name, JSON.stringify(body)),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function ask(socketPath: string, name: string, body: string): Promise<Readonly<Record<string, unknown>>> {
  const asked = request({ socketPath, path: `/${name}`, method: 'POST', headers: { 'content-length': body.length } });
  asked.end(body);
  const [response] = await once(asked, 'response');
  return (await json(response)) as Readonly<Record<string, unknown>>;
}

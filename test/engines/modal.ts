/** Modal's service on this machine, as `caisson emulate modal` starts it: a process of its own, for one test file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { launcher as program } from '../program.ts';

/** Commands need namespaces of their own, and those need root. */
export const whyNoModal: string | null =
  process.getuid?.() === 0 ? null : 'the emulator of Modal keeps commands apart by namespaces, which need root';

export interface ModalService {
  readonly env: Readonly<Record<string, string>>;
  /** Asks for a fault; the names are those of the emulator's page. */
  order(name: string, body?: object): Promise<unknown>;
  /** What is there, also sandboxes that have ended; `status` is null while one runs. */
  state(): Promise<ModalState>;
  stop(): Promise<void>;
}

export interface ModalState {
  readonly sandboxes: readonly {
    readonly id: string;
    readonly name: string;
    readonly network: 'open' | 'blocked' | { readonly cidrs: readonly string[]; readonly domains: readonly string[] };
    readonly status: number | null;
  }[];
  readonly images: readonly string[];
}

export async function startModalService(): Promise<ModalService> {
  const child = spawn(program, ['emulate', 'modal', '-o', 'json'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.endsWith('\n')) break;
  }
  const { environment, faults } = started.parse(JSON.parse(text));
  const order: ModalService['order'] = (name, body = {}) => ask(faults, name, JSON.stringify(body));
  return {
    env: environment,
    order,
    state: async () => state.parse(await order('state')),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const started = z.object({ environment: z.record(z.string(), z.string()), faults: z.string() });
const list = z.array(z.string());
const network = z.union([z.enum(['open', 'blocked']), z.object({ cidrs: list, domains: list })]);
const state = z.object({
  sandboxes: z.array(z.object({ id: z.string(), name: z.string(), network, status: z.number().nullable() })),
  images: z.array(z.string()),
});

async function ask(socketPath: string, name: string, body: string): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    const headers = { 'content-length': Buffer.byteLength(body) };
    const asked = request({ socketPath, path: `/${name}`, method: 'POST', headers }, (response) => {
      json(response).then(resolve, reject);
    });
    asked.on('error', reject).end(body);
  });
}

/** `caisson serve` as a process of its own, on a state directory of a test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { busybox, cli, type Home } from './home.ts';

export interface Service {
  readonly url: string;
  readonly token: string;
  readonly process: ChildProcess;
  readonly ask: (
    path: string,
    how?: { readonly body?: unknown; readonly method?: string; readonly accept?: string },
  ) => Promise<Response>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** `port`: 0 is any that is free. */
export async function start(home: Home, token: string, port = 0): Promise<Service> {
  const options = { env: { ...home.env, CAISSON_HOME: home.path }, cwd: home.path };
  const child = spawn(process.execPath, [cli, 'serve', '--port', String(port)], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.resume();
  const [url] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the service has ended'))),
  ]);
  return {
    url: String(url),
    token,
    process: child,
    ask: async (path, { body, method, accept } = {}) =>
      await fetch(String(url) + path, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(accept === undefined ? {} : { accept }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = await once(child, 'exit');
      return code === null ? null : Number(code);
    },
  };
}

export async function tokenIn(home: Home, ...scopes: readonly string[]): Promise<string> {
  const { stdout } = await home.cli(['token', 'create', 'test', ...scopes.flatMap((scope) => ['--scope', scope])]);
  return stdout.trim();
}

export const output = (events: readonly Readonly<Record<string, unknown>>[]): string =>
  events.map(({ type, data }) => (type === 'stdout' ? String(data) : '')).join('');

/** A service with a sandbox for the task `build`. */
export async function openOn(home: Home, backend: string): Promise<Service> {
  const terminal = `terminal: {backend: ${backend}, docker_image: "${busybox}", container_disk: null}`;
  const config = `${terminal}\napprovals: {mode: "off"}\nserver: {shutdown_seconds: 4}\n`;
  await writeFile(join(home.path, 'config.yaml'), config, { mode: 0o600 });
  const service = await start(home, await tokenIn(home, 'run', 'read', 'admin'));
  const made = await service.ask('/v1/sandboxes', { body: { taskId: 'build' } });
  if (made.status !== 200) throw new Error(await made.text());
  return service;
}

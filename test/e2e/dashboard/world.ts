/** A service on docker for the journeys: a process of its own, which a test may kill and start again on its port. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dockerHost } from '../../engines/docker.ts';
import { type Home, busybox, makeHome } from '../home.ts';
import { type Service, start, tokenIn } from '../http-service.ts';

const config = `terminal: {backend: docker, docker_image: "${busybox}", container_disk: null}
approvals: {rules: {ask: ["write_file(asked*)"]}, remote_timeout: 600}
server: {shutdown_seconds: 1}
`;

export interface Made {
  readonly id: string;
  readonly token: string;
}

export class DashboardWorld implements AsyncDisposable {
  readonly home: Home;
  #service: Service;

  constructor(home: Home, service: Service) {
    this.home = home;
    this.#service = service;
  }

  get url(): string {
    return this.#service.url;
  }

  async ask(...[path, how]: Parameters<Service['ask']>): Promise<unknown> {
    const answer = await this.#service.ask(path, how);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  async write(task: string, path: string, text: string): Promise<void> {
    const { url, token } = this.#service;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
    await fetch(`${url}/v1/sandboxes/${task}/files?path=${path}`, { method: 'PUT', headers, body: text });
  }

  async token(scopes: readonly string[], owner?: string): Promise<Made> {
    const body = { name: scopes.join('-'), scopes, ...(owner === undefined ? {} : { owner }) };
    return Object(await this.ask('/v1/tokens', { body }));
  }

  async tasks(): Promise<readonly string[]> {
    const { items } = Object(await this.ask('/v1/sandboxes'));
    return items.map((item: { readonly taskId: string }) => item.taskId);
  }

  /** Killed, so that it says nothing to its clients. */
  async again(): Promise<void> {
    const { url, token } = this.#service;
    await this.#service.stop('SIGKILL');
    this.#service = await start(this.home, token, Number(new URL(url).port));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const task of await this.tasks()) await this.ask(`/v1/sandboxes/${task}`, { method: 'DELETE' });
    await this.#service.stop();
    await this.home[Symbol.asyncDispose]();
  }
}

export async function openDashboardWorld(): Promise<DashboardWorld> {
  const home = await makeHome(dockerHost());
  await writeFile(join(home.path, 'config.yaml'), config, { mode: 0o600 });
  const token = await tokenIn(home, 'run', 'read', 'approve', 'admin');
  return new DashboardWorld(home, await start(home, token));
}

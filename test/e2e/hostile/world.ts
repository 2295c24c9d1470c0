/** A service on docker as a process of its own, with an owner who attacks it and one who uses it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCaisson } from '../../../src/main.ts';
import { MeasuredService } from '../../measured/service.ts';
import { busybox, type Home, makeHome } from '../home.ts';
import type { Sides } from './rounds.ts';

/** What operators give to an owner whom they do not know. */
const mallory = '{execs: 4, sandboxes: 4}';
const config = `terminal: {backend: docker, docker_image: "${busybox}", container_disk: null, container_memory: 256}
approvals: {remote_timeout: 60, rules: {ask: ["terminal(touch:*)"]}}
network: {allow: ["*.slow.example"]}
server: {shutdown_seconds: 1}
owners: {mallory: ${mallory}}
`;
const descriptors = 4096;

export interface HostileWorld extends Sides, AsyncDisposable {
  readonly home: Home;
}

export async function openHostileWorld(): Promise<HostileWorld> {
  const home = await makeHome();
  await writeFile(join(home.path, 'config.yaml'), config, { mode: 0o600 });
  const [attacker, measurer] = await tokensIn(home);
  const service = await MeasuredService.start({ home: home.path, cwd: home.path, env: home.env, descriptors });
  await makeTask({ service }, attacker, 'build');
  const before = await home.containers();
  await makeTask({ service }, measurer, 'steady');
  await post({ service }, measurer, ['/v1/sandboxes/steady/execs', { command: ['mkdir', '/workspace/notes'] }]);
  const container = (await home.containers()).find((id) => !before.includes(id)) ?? '';
  return {
    home,
    service,
    attacker,
    measurer,
    engine: { host: home.env['DOCKER_HOST'] ?? '', container },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

async function tokensIn(home: Home): Promise<readonly [attacker: string, measurer: string]> {
  const api = await openCaisson({ home: home.path, env: home.env, cwd: home.path });
  try {
    const scopes = ['run', 'read'] as const;
    const attacker = await api.tokens.create({ name: 'attacker', owner: 'mallory', scopes }, 'test');
    const measurer = await api.tokens.create({ name: 'measurer', owner: 'bob', scopes }, 'test');
    return [attacker.token, measurer.token];
  } finally {
    await api.close();
  }
}

type Served = Pick<Sides, 'service'>;

const makeTask = (world: Served, token: string, taskId: string): Promise<void> =>
  post(world, token, ['/v1/sandboxes', { taskId }]);

async function post({ service }: Served, token: string, [path, body]: readonly [string, unknown]): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' };
  const made = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!made.ok) throw new Error(await made.text());
  await made.text();
}

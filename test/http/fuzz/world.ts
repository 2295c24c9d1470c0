/** A service on this host as a process of its own, with three sandboxes and a token of each kind: its memory is its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCaisson } from '../../../src/main.ts';
import { MeasuredService } from '../../measured/service.ts';

export interface FuzzWorld extends AsyncDisposable {
  readonly service: MeasuredService;
  readonly root: string;
  /** A token with all scopes but `approve`, and one with that alone. */
  readonly agent: string;
  readonly person: string;
}

export async function openFuzzWorld(): Promise<FuzzWorld> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-fuzz-'));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(join(root, 'fuzz'));
  const config = 'terminal: {backend: local}\napprovals: {remote_timeout: 1}\nserver: {shutdown_seconds: 0.5}\n';
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  const env = {
    PATH: process.env['PATH'],
    HOME: root,
    DOCKER_HOST: `unix://${root}/none.sock`,
    CAISSON_SECURITY_TIRITH_ENABLED: 'false',
  };
  const { agent, person } = await prepare({ home, env, cwd: root });
  const service = await MeasuredService.start({ home, cwd: root, env });
  return {
    service,
    root,
    agent,
    person,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

async function prepare(place: Parameters<typeof openCaisson>[0]): Promise<Pick<FuzzWorld, 'agent' | 'person'>> {
  const api = await openCaisson(place);
  try {
    for (const taskId of ['one', 'two', 'three']) await api.sandboxes.create({ taskId });
    const agent = await api.tokens.create({ name: 'agent', scopes: ['run', 'read', 'admin'] }, 'test');
    const person = await api.tokens.create({ name: 'person', scopes: ['approve'] }, 'test');
    return { agent: agent.token, person: person.token };
  } finally {
    await api.close();
  }
}

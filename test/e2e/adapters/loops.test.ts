/** The examples of adapters through the real packages: each framework's loop, its model replaced by a script, over a service. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCaisson } from '../../../src/client/index.ts';
import { serve, type Serving } from '../../../src/http/serve.ts';
import { openCaisson } from '../../../src/main.ts';
import type { Caisson } from '../../../src/service/caisson.ts';
import { dockerHost } from '../../engines/docker.ts';
import { isInstalled } from '../../engines/installed.ts';
import { type FrameworkProject, frameworkProject, withoutTelemetry } from './project.ts';

const config = (backend: string): string => `
terminal: {backend: ${backend}}
approvals: {mode: manual, timeout: 60, remote_timeout: 60}
tasks: {agent: {rules: {ask: ["terminal(touch:*)"], deny: ["terminal(mkfifo:*)"]}}}
`;

/** A service that may be ended and started again under the same address. */
class Restartable implements AsyncDisposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-adapters-')));
  #api: Caisson | null = null;
  #serving: Serving | null = null;
  #port = 0;

  constructor(backend: string) {
    mkdirSync(join(this.root, 'home'), { mode: 0o700 });
    writeFileSync(join(this.root, 'home/config.yaml'), config(backend), { mode: 0o600 });
  }

  get api(): Caisson {
    if (this.#api === null) throw new Error('the service does not run');
    return this.#api;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const env = {
      PATH: process.env['PATH'],
      HOME: this.root,
      DOCKER_HOST: dockerHost() ?? '',
      CAISSON_TERMINAL_DOCKER_IMAGE: 'caisson-test/debian:latest',
      CAISSON_SECURITY_TIRITH_ENABLED: 'false',
    };
    this.#api = await openCaisson({ home: join(this.root, 'home'), env, cwd: this.root, approver: 'queue' });
    const settings = { ...this.#api.config.server, port: this.#port, shutdown_seconds: 0.5 };
    this.#serving = await serve(this.#api, { settings, isPublic: false, log: new PassThrough().resume() });
    this.#port = Number(new URL(this.#serving.url).port);
  }

  async stop(): Promise<void> {
    await this.#serving?.stop();
    await this.#api?.close();
    this.#api = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#api?.sandboxes.remove('agent').catch(() => undefined);
    await this.stop();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A person answers what waits, until the signal fires. */
async function answerAll(service: Restartable, token: string, over: AbortSignal): Promise<readonly string[]> {
  const asked: string[] = [];
  while (!over.aborted) {
    const person = connectCaisson({ url: service.url, token });
    for (const { id, state } of await person.approvals.list().catch(() => []))
      if (state === 'pending') {
        asked.push(id);
        await person.approvals.answer(id, 'once', 'person');
      }
    await person.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return asked;
}

let project: FrameworkProject;

describe.skipIf(!isInstalled('adapters'))('the loop of', () => {
  beforeAll(() => void (project = frameworkProject()));
  afterAll(() => project[Symbol.dispose]());

  const cases = ['docker', 'local'].flatMap((backend) =>
    ['deepagents', 'ai', 'openai-agents'].map((framework) => [framework, backend] as const),
  );
  it.each(cases)(
    '%s on %s edits a file, runs tests, is denied and asked, and goes on after a restart of the service',
    async (framework, backend) => {
      await using service = new Restartable(backend);
      await service.start();
      const made = async (name: string, scopes: readonly ('run' | 'read' | 'approve' | 'admin')[]): Promise<string> =>
        (await service.api.tokens.create({ name, scopes }, 'test')).token;
      const [agent, person] = [await made('agent', ['run', 'read', 'admin']), await made('person', ['approve'])];
      const over = new AbortController();
      const answering = answerAll(service, person, over.signal);
      const { answer, seen } = await loop(service, [framework, service.url, agent]);
      over.abort();
      expect(answer).toBe('All is done.');
      const [created = '', failed = '', edited = '', passed = '', denied = '', asked = '', after = ''] = seen;
      expect(seen).toHaveLength(7);
      expect([created, edited].join()).not.toMatch(/error|failed/i);
      expect(failed).toContain('failed');
      expect(passed).toContain('passed 世界');
      expect(passed).toMatch(/\b3\b/);
      expect(denied).toMatch(/mkfifo/);
      expect(denied).toMatch(/rule|denied/i);
      expect(asked).toContain('allowed');
      expect((await answering).length).toBeGreaterThanOrEqual(1);
      expect(after).toContain('asked');
      expect(after).toContain('total=42');
      expect(after).not.toContain('refused');
    },
    120_000,
  );
});

interface Ended {
  readonly answer: string;
  readonly seen: readonly string[];
}

async function loop(service: Restartable, args: readonly string[]): Promise<Ended> {
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: service.root, ...withoutTelemetry };
  return await new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['loop.mts', ...args],
      { cwd: project.path, env, maxBuffer: 2 ** 24 },
      (error, stdout) => {
        if (error !== null) reject(new Error(`the loop failed: ${error.message}`));
        else resolve(Object(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')));
      },
    );
    child.stdout?.on('data', (chunk: string) => {
      if (!chunk.split('\n').includes('restart')) return;
      service
        .stop()
        .then(async () => await service.start())
        .then(() => child.stdin?.write('go\n'), reject);
    });
  });
}

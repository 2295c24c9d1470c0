/** The examples as a reader has them: beside the installed package, without the checkout around them. */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { dockerHost } from '../engines/docker.ts';
import { startModel } from './model-endpoint.ts';
import { checkout, installPackage, packedPackage } from './packed.ts';

const execute = promisify(execFile);
let project: string;

const at = (...path: readonly string[]): string => join(project, ...path);

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'caisson-examples-'));
  await installPackage(project);
  await cp(join(checkout, 'examples'), at('examples'), { recursive: true });
  await cp(process.execPath, at('bin/node'));
}, 300_000);
afterAll(() => rm(project, { recursive: true, force: true }));

/** What a user of one backend has in the environment, with a home that is only there for one test. */
function environment(backend: string, name: string): Record<string, string> {
  return {
    PATH: `${at('node_modules/.bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: at('user'),
    CAISSON_HOME: at(`${name}-${backend}`),
    CAISSON_TERMINAL_BACKEND: backend,
    CAISSON_TERMINAL_DOCKER_IMAGE: 'caisson-test/debian:latest',
    DOCKER_HOST: dockerHost() ?? '',
  };
}

async function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const { stdout, stderr } = await execute(program, args, { cwd, env, maxBuffer: 2 ** 24 });
  return { stdout, stderr };
}

describe.each(['docker', 'local'])('the examples on %s', (backend) => {
  it('agent-loop runs what the model asks for, and shows it the outcome', async () => {
    await using model = await startModel([
      { command: 'echo hello > note && cat note && exit 3' },
      { command: 'cat note; echo "$MODEL_API_KEY-" >&2' },
      { answer: 'The note says hello.' },
    ]);
    const env = { ...environment(backend, 'agent'), MODEL_BASE_URL: model.url, MODEL_NAME: 'm', MODEL_API_KEY: 'k-1' };
    const cwd = await mkdtemp(at('work-'));
    const { stdout } = await run(process.execPath, [at('examples/agent-loop/agent.ts'), 'write a note'], cwd, env);
    expect(stdout).toBe('The note says hello.\n');
    const [first, second, third] = model.requests;
    expect(first).toMatchObject({ model: 'm', tools: [{ function: { name: 'terminal' } }] });
    expect(JSON.stringify(first)).toContain('write a note');
    expect(second?.outcome).toMatchObject({ reason: 'exited', exitCode: 3, stdout: 'hello\n', stderr: '' });
    // The files of the task are there in the next call, and the key of the model is not.
    expect(third?.outcome).toMatchObject({ exitCode: 0, stdout: 'hello\n', stderr: '-\n' });
    expect(model.keys).toEqual(['Bearer k-1', 'Bearer k-1', 'Bearer k-1']);
    await run('caisson', ['rm', 'agent'], cwd, env);
  });

  it('agent-loop is the same program against a service', async () => {
    await using model = await startModel([{ command: 'echo from a service' }, { answer: 'Done.' }]);
    const env = { ...environment(backend, 'remote-agent'), MODEL_BASE_URL: model.url, MODEL_NAME: 'm' };
    const cwd = await mkdtemp(at('work-'));
    const { stdout: url } = await run('caisson', ['serve', '--background', '--port', '0'], cwd, env);
    try {
      const scopes = ['--scope', 'run', '--scope', 'read'];
      const { stdout: token } = await run('caisson', ['token', 'create', 'agent', ...scopes], cwd, env);
      const remote = { ...env, CAISSON_HOME: at('none'), CAISSON_URL: url.trim(), CAISSON_TOKEN: token.trim() };
      const done = await run(process.execPath, [at('examples/agent-loop/agent.ts'), 'say it'], cwd, remote);
      expect(done.stdout).toBe('Done.\n');
      expect(model.requests[1]?.outcome).toMatchObject({ reason: 'exited', exitCode: 0, stdout: 'from a service\n' });
      await run('caisson', ['rm', 'agent'], cwd, env);
    } finally {
      await run('caisson', ['service', 'stop'], cwd, env);
    }
  });

  it('vitest-in-sandbox ends as the suite does', async () => {
    const suite = await mkdtemp(at('suite-'));
    await cp(at('examples/vitest-in-sandbox/project'), suite, { recursive: true });
    for (const name of await withDependencies('vitest', new Set()))
      await cp(join(checkout, 'node_modules', name), join(suite, 'node_modules', name), { recursive: true });
    await cp(at('bin/node'), join(suite, 'node'));
    const env = { ...environment(backend, 'vitest'), SANDBOX_NODE: './node' };
    const go = async () => await run(process.execPath, [at('examples/vitest-in-sandbox/run.ts'), suite], project, env);
    expect(stripVTControlCharacters((await go()).stdout)).toMatch(/Tests {2}2 passed \(2\)/);
    await writeFile(
      join(suite, 'wrong.test.ts'),
      `import { it } from 'vitest'; it('fails', () => { throw new Error('x'); });`,
    );
    const failed: unknown = await go().catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1 });
    expect(stripVTControlCharacters(String(Reflect.get(Object(failed), 'stdout')))).toMatch(/1 failed \| 2 passed/);
    expect((await run('caisson', ['ls', '-q'], project, env)).stdout).toBe('');
  }, 180_000);

  it('github-workflow runs its steps in their order, and fails as the tests do', async () => {
    const passing = await workflow(backend, 'echo from $(pwd); echo made > report');
    expect(passing.failed).toBeNull();
    expect(passing.printed).toContain(`from ${backend === 'docker' ? '/workspace' : passing.workspace}\n`);
    expect(await readFile(join(passing.workspace, 'report'), 'utf8')).toBe('made\n');
    expect(await readFile(join(passing.workspace, 'caisson.log'), 'utf8')).toContain('from ');
    const failing = await workflow(backend, 'echo no >&2; exit 7');
    expect(failing).toMatchObject({ failed: 'Test', code: 7 });
    expect(await readFile(join(failing.workspace, 'caisson.log'), 'utf8')).toContain('no');
    expect(failing.printed).toMatch(/ci-17\n$/);
  }, 120_000);

  it('github-workflow with a service runs its shards at once, and fails as one of them does', async () => {
    const fresh = async (): Promise<string> => join(await mkdtemp(at('shards-')), 'checkout');
    const shards = async (tests: string) => {
      const inside = backend === 'docker' ? '/workspace/checkout' : await fresh();
      return await workflow(backend, tests, 'service.yml', { CHECKOUT_INSIDE: inside });
    };
    const passing = await shards('echo "shard $1 in $(pwd)"');
    expect(passing.failed).toBeNull();
    for (const shard of [1, 2, 3]) expect(passing.printed).toContain(`shard ${shard} in `);
    expect(await shards('test "$1" != 2 || exit 7')).toMatchObject({
      failed: 'Test in three sandboxes at once',
      code: 7,
    });
  }, 120_000);

  it('systemd-timer has units that systemd reads, and a command that works', async () => {
    const env = environment(backend, 'timer');
    const units = await mkdtemp(at('units-'));
    const service = await readFile(at('examples/systemd-timer/caisson-gc.service'), 'utf8');
    expect(service).toContain('/usr/local/bin/caisson');
    const here = service.replaceAll('/usr/local/bin/caisson', at('node_modules/.bin/caisson'));
    await writeFile(join(units, 'caisson-gc.service'), here);
    await cp(at('examples/systemd-timer/caisson-gc.timer'), join(units, 'caisson-gc.timer'));
    await run('caisson', ['create', 'idle'], project, { ...env, CAISSON_TERMINAL_LIFETIME_SECONDS: '1' });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const [, line = ''] = /^ExecStart=(.*)$/m.exec(here) ?? [];
    expect(await run('sh', ['-c', line], project, env)).toEqual({ stdout: '', stderr: '' });
    expect((await run('caisson', ['ls'], project, env)).stdout).toMatch(
      backend === 'docker' ? /idle +docker +stopped/ : /idle +local +ready/,
    );
    await run('caisson', ['rm', 'idle'], project, env);
    const verify = ['verify', '--man=no', join(units, 'caisson-gc.service'), join(units, 'caisson-gc.timer')];
    const verdict = await run('systemd-analyze', verify, project, process.env).catch((error: unknown) => error);
    // Only the program may be absent: a machine without systemd cannot judge the units.
    expect(verdict).toMatchObject(isAbsent(verdict) ? { code: 'ENOENT' } : { stdout: '', stderr: '' });
  });
});

const isAbsent = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'ENOENT';

/** A package of the checkout with all that it needs, by the names of their directories. */
async function withDependencies(name: string, seen: Set<string>): Promise<ReadonlySet<string>> {
  const folder = join(checkout, 'node_modules', name);
  if (seen.has(name) || !(await stat(folder).then(Boolean, () => false))) return seen;
  seen.add(name);
  const manifest = z
    .object({
      dependencies: z.record(z.string(), z.string()).optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    })
    .parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  for (const next of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
    await withDependencies(next, seen);
  return seen;
}

const step = z.strictObject({
  uses: z.enum(['actions/checkout@v5', 'actions/setup-node@v5']).optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  name: z.string().optional(),
  run: z.string().optional(),
  if: z.literal('always()').optional(),
});
const file = z.object({
  jobs: z.object({ test: z.object({ env: z.record(z.string(), z.string()), steps: z.array(step) }) }),
});

/** The `run` steps as the runner takes them: by bash -e, with GITHUB_PATH, and after a failure only those that run always. */
async function workflow(backend: string, tests: string, name = 'sandbox.yml', more: NodeJS.ProcessEnv = {}) {
  const { jobs } = file.parse(parse(await readFile(at('examples/github-workflow', name), 'utf8')));
  const root = await mkdtemp(at(`runner-${backend}-`));
  const workspace = join(root, 'checkout');
  await mkdir(workspace);
  await writeFile(join(workspace, 'test.sh'), `${tests}\n`);
  await chmod(workspace, 0o755);
  const path = join(root, 'path');
  await writeFile(path, '');
  const { PATH: host = '', ...own } = environment(backend, `workflow-${Date.now()}`);
  const runner = {
    RUNNER_TEMP: root,
    GITHUB_RUN_ID: '17',
    GITHUB_PATH: path,
    CAISSON_PACKAGE: await packedPackage(),
    npm_config_offline: 'true',
  };
  const outcome: { failed: string | null; code: number } = { failed: null, code: 0 };
  let printed = '';
  for (const { name = '', run: text, if: always } of jobs.test.steps) {
    if (text === undefined || (outcome.failed !== null && always === undefined)) continue;
    const added = (await readFile(path, 'utf8')).split('\n').toReversed().filter(Boolean);
    // The program must be the one that the first step has installed.
    const PATH = [...added, ...host.split(':').slice(1)].join(':');
    const done = await run('bash', ['-e', '-c', text], workspace, {
      ...jobs.test.env,
      ...own,
      ...runner,
      ...more,
      PATH,
    }).catch((error: unknown) => ({
      code: Number(Reflect.get(Object(error), 'code')),
      stdout: String(Reflect.get(Object(error), 'stdout')),
    }));
    printed += done.stdout;
    if ('code' in done && outcome.failed === null) Object.assign(outcome, { failed: name, code: done.code });
  }
  return { ...outcome, printed, workspace };
}

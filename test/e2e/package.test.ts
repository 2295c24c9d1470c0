/** The package as npm installs it: packed, in an empty project, without the checkout around it. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { connect, kinds } from '../mcp/hosts.ts';
import { busybox } from './home.ts';
import { checkout, installPackage } from './packed.ts';

const execute = promisify(execFile);
let project: string;
let env: NodeJS.ProcessEnv;

const at = (...path: readonly string[]): string => join(project, ...path);
const run = async (program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  await execute(program, args, { cwd: project, env: { ...env, ...more }, maxBuffer: 2 ** 26 });
const node = async (file: string, more?: NodeJS.ProcessEnv) => await run(process.execPath, [file], more);
const caisson = async (...args: readonly string[]) => await run(at('node_modules/.bin/caisson'), args);

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'caisson-package-'));
  env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: project,
    CAISSON_HOME: at('home'),
    DOCKER_HOST: dockerHost() ?? '',
    CAISSON_TERMINAL_DOCKER_IMAGE: busybox,
  };
  await installPackage(project);
}, 300_000);
afterAll(() => rm(project, { recursive: true, force: true }));

/** A package of the checkout, for this project too. */
async function link(name: string): Promise<void> {
  await mkdir(dirname(at('node_modules', name)), { recursive: true });
  await symlink(join(checkout, 'node_modules', name), at('node_modules', name));
}

describe('the installed package', () => {
  it('brings nothing else, and takes at most 15 MB', async () => {
    expect((await readdir(at('node_modules'))).filter((name) => !name.startsWith('.'))).toEqual(['caisson']);
    const files = await readdir(at('node_modules/caisson'), { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files.filter((file) => file.isFile()).map(async (file) => (await stat(join(file.parentPath, file.name))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(15 * 2 ** 20);
  });

  it('has pages whose links lead to its own files, or to the repository', async () => {
    const root = at('node_modules/caisson');
    const pages = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.md'));
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'SECURITY.md', 'docs/configuration.md']));
    const dead = await Promise.all(
      pages.map(async (page) => {
        const links = [...(await readFile(join(root, page), 'utf8')).matchAll(/\]\((?!https:|#)([^)#]+)/g)];
        const there = async (path: string) => await stat(path).then(Boolean, () => false);
        const found = await Promise.all(links.map(([, link = '']) => there(join(root, dirname(page), link))));
        return links.filter((_, index) => found[index] === false).map(([, link]) => `${page}: ${link}`);
      }),
    );
    expect(dead.flat()).toEqual([]);
  });

  it('is imported and required, with one class of errors in all entries', async () => {
    await writeFile(
      at('entries.mjs'),
      `import { createRequire } from 'node:module';
       import { CaissonError, isCode, openCaisson } from 'caisson';
       import * as backend from 'caisson/backend';
       import { CaissonError as NetError, openNet } from 'caisson/net';
       import manifest from 'caisson/package.json' with { type: 'json' };
       const required = createRequire(import.meta.url)('caisson');
       const error = new backend.CaissonError('conflict', 'x');
       const refused = await openNet().fetch('http://127.0.0.1/').catch((failure) => failure);
       console.log(refused instanceof NetError, isCode(refused, 'policy_denied'), NetError === CaissonError);
       console.log(error instanceof CaissonError, isCode(error, 'conflict'), required.openCaisson === openCaisson, manifest.name);`,
    );
    expect((await node('entries.mjs')).stdout).toBe('true true true\ntrue true true caisson\n');
  });

  it('has adapters that load without their frameworks, and throw errors of the same class', async () => {
    await writeFile(
      at('adapters.mjs'),
      `import { CaissonError } from 'caisson';
       for (const name of ['ai', 'deepagents', 'openai-agents']) {
         const { make } = await import('caisson/adapters/' + name);
         const refused = await (async () => await make({}, {}))().catch((failure) => failure);
         console.log(name, refused instanceof CaissonError, refused.code);
       }`,
    );
    expect((await node('adapters.mjs')).stdout.split('\n')).toEqual([
      ...['ai', 'deepagents', 'openai-agents'].map((name) => `${name} true invalid_argument`),
      '',
    ]);
  });

  it('names every package that is inside, with licence and text', async () => {
    const bill: unknown = JSON.parse(await readFile(at('node_modules/caisson/dist/sbom.cdx.json'), 'utf8'));
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'caisson' } } });
    const licences = await readFile(at('node_modules/caisson/dist/THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of [
      'dockerode',
      'ssh2',
      'zod',
      'yaml',
      'web-tree-sitter',
      'tree-sitter-bash',
      'p-queue',
      'ipaddr.js',
      'undici',
      'fast-check',
    ]) {
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
      expect(JSON.stringify(bill)).toContain(`"name":"${name}"`);
    }
  });

  it('says which Node it needs to a program on an older one', async () => {
    await writeFile(
      at('older.cjs'),
      `const versions = { ...process.versions, node: '22.1.0' };
       Object.defineProperty(process, 'versions', { value: versions });`,
    );
    for (const entry of ['caisson', 'caisson/net', 'caisson/backend']) {
      const args = ['--require', './older.cjs', '--input-type=module', '-e', `await import('${entry}')`];
      const outcome = await run(process.execPath, args).catch((error: unknown) => error);
      expect(outcome).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/caisson needs Node 24 or newer, and this is Node 22\.1\.0 .*install Node 24/),
      });
    }
  });

  it("runs README's example of the library", async () => {
    const readme = await readFile(join(checkout, 'README.md'), 'utf8');
    const [, example = ''] = /```ts\n(import \{ openCaisson \}[\s\S]*?)```/.exec(readme) ?? [];
    await writeFile(at('example.mts'), example);
    expect((await node('example.mts')).stdout).toMatch(/^exited 0 42\n docker [0-9a-f]{64}\n$/);
    await caisson('rm', 'build');
  });

  it('runs commands, judges them by the grammar, and finds its recipes', async () => {
    expect((await caisson('run', '-q', '--', 'echo', 'in a container')).stdout).toBe('in a container\n');
    expect((await caisson('run', '-q', '--backend', 'local', '--', 'echo', 'here')).stdout).toBe('here\n');
    const verdict = async (command: string): Promise<unknown> =>
      await caisson('policy', 'check', '--backend', 'local', command).catch((error: unknown) => error);
    expect(await verdict('echo "$(ls)" | wc -c')).toMatchObject({ stdout: expect.stringMatching(/^allow/) });
    expect(await verdict('rm -rf /')).toMatchObject({ code: 3, stdout: expect.stringMatching(/^deny/) });
    expect((await caisson('doctor', 'docker')).stdout).toContain('docker');
    expect((await caisson('image', 'ls')).stdout).toMatch(/base[\s\S]*dev[\s\S]*small/);
    expect((await caisson('config', 'schema')).stdout).toContain('container_cpu');
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await caisson('completion', shell)).stdout).toContain('completion words');
  });

  it('serves hosts of MCP', async () => {
    const place = {
      command: at('node_modules/.bin/caisson'),
      args: ['mcp'],
      env: { ...env, CAISSON_TERMINAL_BACKEND: 'local' },
    };
    for (const kind of kinds) {
      await using host = await connect(kind, place);
      expect((await host.tools()).length).toBe(14);
      expect((await host.call('run_command', { task: 'host', command: 'echo here' })).data.stdout).toBe('here\n');
    }
    await caisson('rm', 'host');
  });

  it('runs the suite for the backend of the guide', async () => {
    await link('vitest');
    await mkdir(at('backend'));
    for (const name of ['backend.ts', 'marked.ts', 'process.ts']) {
      const source = await readFile(join(checkout, 'examples/backend', name), 'utf8');
      const published = source.replaceAll(/'\.\.\/\.\.\/src\/(?:backend|errors)\.ts'/g, "'caisson/backend'");
      await writeFile(at('backend', name), published);
    }
    await writeFile(
      at('backend/suite.test.ts'),
      `import { tmpdir } from 'node:os';
       import { plainSpec, testBackend } from 'caisson/conformance';
       import { open } from './backend.ts';
       const directory = tmpdir() + '/caisson-suite-' + process.pid;
       const sockets = { reason: 'its streams are sockets, which have no path', instead: async () => {} };
       await testBackend({
         name: 'example',
         open: (instance) => open({ env: {}, instance, settings: { directory } }),
         spec: plainSpec('directory', { cwd: tmpdir(), persistent: true }),
         deviations: { 'shell.reopened': sockets, 'stdin.reopened': sockets },
       });`,
    );
    const vitest = at('node_modules/vitest/vitest.mjs');
    const { stdout } = await run(process.execPath, [vitest, 'run', '--reporter=json', 'backend/suite.test.ts'], {
      NO_COLOR: '1',
    });
    const report: unknown = JSON.parse(stdout.slice(stdout.indexOf('{"numTotal')));
    expect(report).toMatchObject({
      numFailedTests: 0,
      numTotalTests: expect.toSatisfy((count) => Number(count) > 130),
    });
  }, 240_000);

  it('runs the suite of the API against itself', async () => {
    await link('vitest').catch(() => undefined);
    await mkdir(at('api'), { mode: 0o700 });
    await writeFile(
      at('api/suite.test.ts'),
      `import { writeFileSync } from 'node:fs';
       import { openCaisson } from 'caisson';
       import { apiSuite } from 'caisson/conformance/api';
       const home = process.cwd() + '/api';
       apiSuite({
         name: 'of the package',
         backend: 'local',
         hasStats: false,
         hasTerminals: false,
         isContained: false,
         open: async (settings) => {
           writeFileSync(home + '/config.yaml', 'terminal: {backend: local}\\n' + settings, { mode: 0o600 });
           return {
             connect: () => openCaisson({ home, approver: 'queue', env: { PATH: process.env.PATH, HOME: process.cwd() } }),
             close: async () => {},
           };
         },
       });`,
    );
    const vitest = at('node_modules/vitest/vitest.mjs');
    const some = ['-t', 'files.read|policy.checker|approvals.answer.once', '--reporter=json'];
    const { stdout } = await run(process.execPath, [vitest, 'run', ...some, 'api/suite.test.ts'], { NO_COLOR: '1' });
    const report: unknown = JSON.parse(stdout.slice(stdout.indexOf('{"numTotal')));
    expect(report).toMatchObject({
      numFailedTests: 0,
      numPassedTests: expect.toSatisfy((count) => Number(count) > 10),
      numTotalTests: expect.toSatisfy((count) => Number(count) > 300),
    });
  }, 120_000);

  it('is an error, and no question at every command, when its grammar is missing', async () => {
    await cp(at('node_modules/caisson'), at('broken'), { recursive: true });
    await rm(at('broken/dist/tree-sitter-bash.wasm'));
    const outcome = await run(at('broken/bin/caisson'), ['run', '--backend', 'local', '--', 'ls', '/']).catch(
      (error: unknown) => error,
    );
    expect(outcome).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(/not complete: tree-sitter-bash.wasm is missing[\s\S]*install Caisson again/),
    });
  });

  it('says what to install for mode smart', async () => {
    await mkdir(at('smart'), { mode: 0o700 });
    const smart = 'approvals: {mode: smart, smart: {base_url: "http://127.0.0.1:9/v1", model: m}}\n';
    await writeFile(at('smart/config.yaml'), smart, { mode: 0o600 });
    const { stderr } = await run(at('node_modules/.bin/caisson'), ['ls', '--home', at('smart')]);
    expect(stderr).toContain('npm install openai');
  });

  it('starts from a code cache that is made by the first run, and never from one of other files', async () => {
    const code = at('cached/dist/code');
    await cp(at('node_modules/caisson'), at('cached'), { recursive: true });
    const ls = async () => await run(at('cached/bin/caisson'), ['ls', '--help']);
    const packs = async () => (await readdir(at('.cache/caisson/code'))).filter((name) => name.endsWith('-ls.pack'));
    const before = (await packs().catch(() => [])).length;
    const { stdout } = await ls();
    expect(await packs()).toHaveLength(before + 1);
    expect((await ls()).stdout).toBe(stdout);
    // The new text has the length of the old one: V8 itself would run the old code.
    for (const name of await readdir(code)) {
      const text = await readFile(join(code, name), 'utf8');
      if (text.includes('Everywhere')) await writeFile(join(code, name), text.replaceAll('Everywhere', 'Everyplace'));
    }
    expect((await ls()).stdout).toBe(stdout.replaceAll('Everywhere', 'Everyplace'));
    expect(stdout).toContain('Everywhere');
  });
});

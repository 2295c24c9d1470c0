/** Declarations of the packed package, read by the compilers of its users. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkout, unpackPackage } from './packed.ts';

const execute = promisify(execFile);
let project: string;
const at = (...path: readonly string[]): string => join(project, ...path);
const run = async (program: string, args: readonly string[]) => await execute(program, args, { cwd: project });

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'caisson-types-'));
  await mkdir(at('node_modules/caisson'), { recursive: true });
  await mkdir(at('node_modules/@types'));
  await unpackPackage(at('node_modules/caisson'));
  for (const name of ['@types/node', 'undici-types'])
    await symlink(join(checkout, 'node_modules', name), at('node_modules', name));
  await writeFile(at('package.json'), '{"private":true,"type":"module"}');
}, 300_000);
afterAll(() => rm(project, { recursive: true, force: true }));

describe('the package', () => {
  it.each([
    ['5.9', 'nodenext'],
    ['5.9', 'bundler'],
    ['7', 'nodenext'],
    ['7', 'bundler'],
  ])('has types that TypeScript %s takes under strict with %s', async (version, resolution) => {
    await writeFile(
      at('typed.ts'),
      `import { type CaissonApi, type ErrorCode, isCode, openCaisson, type OpenInput, type Running } from 'caisson';
       import { type Backend, type BackendModule, CaissonError } from 'caisson/backend';
       import { connectCaisson, type CaissonClient, type ClientRunning } from 'caisson/client';
       import { openNet, type Net } from 'caisson/net';
       const client: CaissonClient = connectCaisson({ url: 'http://127.0.0.1:1', token: 't', fetch, WebSocket });
       export const remote = async (): Promise<ClientRunning> => await client.exec({ command: ['true'], stdin: true });
       const net: Net = openNet({ allowPrivate: ['10.1.2.3:8080'] });
       const page: string = await (await net.fetch('https://example.com/', { method: 'POST', body: 'x' })).text();
       const input: OpenInput = { flags: { 'terminal.backend': 'local' } };
       const caisson: CaissonApi = await openCaisson(input);
       const running: Running = await caisson.exec({ command: ['true'] });
       const code: number | null = (await running.exit).exitCode;
       // @ts-expect-error a text is not a list of words
       await caisson.run({ command: 'ls -l' });
       export const backend: BackendModule = { isolation: 'none', open: (): Backend => { throw new CaissonError('internal', 'x'); } };
       export const wrong: ErrorCode = 'conflict';
       export { code, isCode, page };`,
    );
    const module = resolution === 'nodenext' ? 'nodenext' : 'esnext';
    const compilerOptions = { strict: true, noEmit: true, target: 'es2023', types: ['node'], module };
    const config = { compilerOptions: { ...compilerOptions, moduleResolution: resolution }, files: ['typed.ts'] };
    await writeFile(at('tsconfig.json'), JSON.stringify(config));
    const name = version === '5.9' ? 'typescript-5.9' : 'typescript';
    const tsc = join(checkout, 'node_modules', name, 'bin/tsc');
    const outcome = await run(process.execPath, [tsc, '-p', '.']).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ stdout: '' });
  });

  it.each([
    ['5.9', 'nodenext'],
    ['5.9', 'bundler'],
    ['7', 'bundler'],
  ])('has types of the client that TypeScript %s takes without those of Node, with %s', async (version, resolution) => {
    await writeFile(
      at('browser.ts'),
      `import { CaissonError, connectCaisson, type CaissonClient } from 'caisson/client';
       const client: CaissonClient = connectCaisson({ url: 'http://127.0.0.1:1', token: 't' });
       const { stdout, exit } = await client.run({ command: ['true'], input: 'x' });
       export const text: string = stdout.text;
       export const code: number | null = exit.exitCode;
       const { bytes } = await client.files.read({ task: 't', path: 'a' });
       export const content: Blob = new Blob([Uint8Array.from(bytes)]);
       export const isOurs = (error: unknown): boolean => error instanceof CaissonError;
       await client[Symbol.asyncDispose]();`,
    );
    const module = resolution === 'nodenext' ? 'nodenext' : 'esnext';
    const compilerOptions = { strict: true, noEmit: true, target: 'es2022', lib: ['es2023', 'dom'], types: [], module };
    const config = { compilerOptions: { ...compilerOptions, moduleResolution: resolution }, files: ['browser.ts'] };
    await writeFile(at('tsconfig.json'), JSON.stringify(config));
    const tsc = join(checkout, 'node_modules', version === '5.9' ? 'typescript-5.9' : 'typescript', 'bin/tsc');
    const outcome = await run(process.execPath, [tsc, '-p', '.']).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ stdout: '' });
  });
});

/** The served document as tools of others take it: a validator accepts it, and a client generated from it works. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolldown } from 'rolldown';
import { fixtureOf, installedAt, isInstalled } from '../engines/installed.ts';
import { openWorld, type World } from '../http/world.ts';

const run = promisify(execFile);
const node = async (script: string, ...args: readonly string[]): Promise<string> => {
  const done = await run(process.execPath, [join(installedAt('openapi-client'), 'node_modules', script), ...args], {
    cwd: folder,
  });
  return done.stdout;
};

let folder: string;
let world: World;

describe.skipIf(!isInstalled('openapi-client'))('the document of the service', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'caisson-openapi-'));
    world = await openWorld();
    await writeFile(join(folder, 'openapi.json'), await (await world.ask('/openapi.json')).text());
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const validate = (file: string) => node('@seriousme/openapi-schema-validator/bin/validate-api-cli.js', file);

  it('is valid OpenAPI 3.1 by an independent validator, which finds a fault that is put into it', async () => {
    expect(JSON.parse(await validate('openapi.json'))).toEqual({ valid: true });
    const broken = Object(await (await world.ask('/openapi.json')).json());
    broken.paths['/v1/sandboxes'].get.parameters[0].in = 'nowhere';
    await writeFile(join(folder, 'broken.json'), JSON.stringify(broken));
    await expect(validate('broken.json')).rejects.toMatchObject({ code: 1 });
  });

  it('makes a client that creates, executes, reads the events of an ended exec, and removes', async () => {
    const generate = [
      '--input',
      'openapi.json',
      '--output',
      'client',
      '--client',
      '@hey-api/client-fetch',
      '--no-log-file',
    ];
    await node('@hey-api/openapi-ts/bin/run.js', ...generate);
    for (const file of ['use.mts', 'tsconfig.json', 'package.json'])
      await cp(join(fixtureOf('openapi-client'), file), join(folder, file));
    await node('typescript/bin/tsc', '--project', '.');
    // What the generator writes imports directories, which a bundler resolves and Node does not.
    const input = join(folder, 'use.mjs');
    const bundle = await rolldown({ input, platform: 'node', resolve: { extensions: ['.js'] } });
    await bundle.write({ file: join(folder, 'bundle.mjs') });
    const { use } = await import(pathToFileURL(join(folder, 'bundle.mjs')).href);
    const seen = await use(world.url, world.agent);
    const exit = { reason: 'exited', exitCode: 3 };
    expect(seen.sandbox).toMatchObject({ taskId: 'generated', state: 'ready' });
    expect(seen.result).toMatchObject({ exit, stdout: { text: 'one\n' }, stderr: { text: 'two\n' } });
    expect(seen.exec).toMatchObject({ id: 'exec_generated', exit });
    const types = seen.events.map(({ type }: { type: string }) => type);
    expect(types.toSorted()).toEqual(['exit', 'started', 'stderr', 'stdout']);
    expect(seen.events.at(-1)).toMatchObject({ type: 'exit', exit });
    expect(seen.lines).toEqual(seen.events.slice(1));
    expect([seen.removed, seen.problem]).toMatchObject([204, { status: 404, code: 'not_found' }]);
  });
});

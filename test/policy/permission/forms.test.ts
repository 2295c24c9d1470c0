/** The forms that no rule covers really do what they are said to do: each runs in a fresh directory, with a stub. */
import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forms, placed } from './forms/forms.ts';

const run = promisify(execFile);
const beside = (name: string): string => new URL(`forms/${name}`, import.meta.url).pathname;

let root = '';
let server: Server;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'caisson-forms-'));
  await run('sh', [beside('template.sh'), root], { env: environment() });
  server = createServer((request, response) => void answer(request, text(request)).then(() => response.end('a\n')));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
}, 60_000);
afterAll(async () => {
  server.close();
  await rm(root, { recursive: true, force: true });
});

const environment = (): Record<string, string> => ({
  PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
  HOME: join(root, 'home'),
  // make has no other before it has read its own words.
  SHELL: '/bin/sh',
  GIT_CONFIG_NOSYSTEM: '1',
});

/** What stands in a file of the working directory has left it. */
async function answer({ headers, url }: IncomingMessage, body: Promise<string>): Promise<void> {
  if (`${JSON.stringify([headers, url])}${await body}`.toUpperCase().includes('SECRET'))
    await writeFile(join(root, 'ran'), '');
}

it.each([...forms].filter(([, { beyond }]) => beyond.length > 0))(
  'each form of %s runs a program, or writes elsewhere',
  { timeout: 240_000 },
  async (_, { beyond }) => {
    await rm(join(root, 'forms'), { recursive: true, force: true });
    await mkdir(join(root, 'forms'));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const [at, form] of beyond.entries())
      await writeFile(join(root, 'forms', String(at)), placed(form, { root, host }));
    const { stdout } = await run('sh', [beside('run.sh'), root], { env: environment() });
    const did = new Set(stdout.split('\n'));
    expect(beyond.filter((_form, at) => !did.has(String(at)))).toEqual([]);
  },
);

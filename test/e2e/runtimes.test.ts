/** The built client on Node, Bun, Deno and in a browser: the same ten steps see the same. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureOf, isInstalled } from '../engines/installed.ts';
import { hasChromium, launchChromium } from '../engines/chromium.ts';
import { runtimePrograms } from '../engines/runtimes.ts';
import { cuttingProxy, type CuttingProxy } from '../fixtures/cutting-proxy.ts';
import { servePages } from '../fixtures/page-server.ts';
import { openWorld, type World } from '../http/world.ts';
import { installPackage } from './packed.ts';

let world: World;
let project: string;
let proxy: CuttingProxy;
let file: string;

/** One in two answers about the exec of this name is cut. */
let turn = 0;
const afterBytes = (request: string): number | null =>
  request.includes('exec_cut-') && turn++ % 2 === 0 ? 150 + Math.floor(Math.random() * 1500) : null;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'caisson-runtimes-'));
  await installPackage(project);
  file = join(project, 'node_modules/caisson/dist/client.mjs');
  world = await openWorld({ config: 'approvals: {rules: {ask: ["terminal(touch:*)"]}}' });
  proxy = await cuttingProxy(world.port, afterBytes, 'request');
}, 300_000);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await rm(project, { recursive: true, force: true });
});

const given = (name: string) => ({
  name,
  url: `http://127.0.0.1:${proxy.port}`,
  token: world.agent,
  person: world.person,
  root: world.root,
});

const wanted = {
  created: 'ready',
  ran: ['out\n', 'err\n', 'exited', 3],
  streamed: [[255, 195, 164], [98], 0],
  fed: 'one two',
  resumed: [61, true, true, 2],
  file: [70_000, true],
  travelled: [70_000, 1],
  approved: 0,
  aborted: 'canceled',
  removed: [true, 'string'],
};

async function used(program: string, args: readonly string[], name: string): Promise<unknown> {
  const before = proxy.cuts();
  const running = promisify(execFile)(program, [...args, join(fixtureOf('runtimes'), 'run.mjs')], {
    env: { PATH: process.env['PATH'], HOME: project, DENO_NO_UPDATE_CHECK: '1' },
    timeout: 60_000,
  });
  running.child.stdin?.end(JSON.stringify({ ...given(name), client: pathToFileURL(file).href }));
  const { stdout } = await running;
  expect(proxy.cuts()).toBeGreaterThan(before);
  return JSON.parse(stdout);
}

describe('the built client', () => {
  it('imports nothing but the API of OpenTelemetry, in a program that has registered an SDK', async () => {
    const text = (await readFile(file, 'utf8')).replace(
      /\bimport\((?:\s*\/\*.*?\*\/)*\s*"@opentelemetry\/api"\s*\)/s,
      '',
    );
    expect(text).not.toMatch(/^import\b|\bimport\(|\brequire\(|node:|\bprocess\.|\bBuffer\b/m);
    expect(text.length).toBeLessThan(120_000);
  });

  it('runs on Node', async () => expect(await used(process.execPath, [], 'node')).toEqual(wanted));

  it.skipIf(!isInstalled('runtimes'))('runs on Bun', async () =>
    expect(await used(runtimePrograms().bun, ['run'], 'bun')).toEqual(wanted),
  );

  it.skipIf(!isInstalled('runtimes'))('runs on Deno', async () =>
    expect(await used(runtimePrograms().deno, ['run', '--no-config', '--allow-all'], 'deno')).toEqual(wanted),
  );

  it.skipIf(!hasChromium())('runs in a page of the origin of the service', async () => {
    const browser = await launchChromium(['--disable-gpu', '--disable-quic']);
    // Asked for by itself: its connection to the service would be used again for a module.
    const icon = { '/favicon.ico': '' };
    const pages = {
      ...icon,
      '/page.html': '<!doctype html><title>page</title>',
      '/client.mjs': await readFile(file, 'utf8'),
    };
    const steps = await readFile(join(fixtureOf('runtimes'), 'use.mjs'), 'utf8');
    await using served = await servePages(proxy.port, { ...pages, '/use.mjs': steps });
    try {
      const page = await browser.newPage();
      await page.goto(`${served.url}/page.html`);
      const before = proxy.cuts();
      const input = JSON.stringify({ ...given('page'), url: served.url });
      const script = `Promise.all([import('/client.mjs'), import('/use.mjs')]).then(([client, { use }]) =>
        use({ ...client, ...${input} }))`;
      expect(await page.evaluate(script)).toEqual(wanted);
      expect(proxy.cuts()).toBeGreaterThan(before);
    } finally {
      await browser.close();
    }
  });
});

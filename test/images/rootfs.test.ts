/** Builds a small image for real: needs mmdebstrap and a way to a Debian mirror. */
import { createServer, request, type Server } from 'node:http';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildImage } from '../../images/builder/build.ts';
import { recipe, type Recipe } from '../../images/builder/recipes.ts';
import { buildRootfs, packagesPrecondition } from '../../images/builder/rootfs.ts';
import type { Progress } from '../../src/backend.ts';
import { isCode } from '../../src/errors.ts';
import { enginesRequired } from '../engines/places.ts';

const lacking = await packagesPrecondition(process.env);
const required = enginesRequired();
if (lacking !== null && !required)
  console.warn(`\n  NOT RUN: building a root file system. Reason: ${lacking.message}\n`);

let directory: string;
let proxy: { server: Server; port: number; asked: string[] };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'caisson-rootfs-'));
  proxy = await startProxy();
});

afterAll(async () => {
  proxy.server.close();
  await rm(directory, { recursive: true, force: true });
});

/** A forwarding proxy, as sites put before their mirrors. */
async function startProxy(): Promise<typeof proxy> {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '');
    const onward = request(incoming.url ?? '', { headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.writeHead(502).end());
    onward.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, asked, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

interface Entry {
  readonly mode: number;
  readonly uid: number;
  readonly type: string;
  readonly text: string;
}

/** Texts are kept of what lies in /etc. */
async function readTar(path: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of createReadStream(path).pipe(extract())) {
    const { name, mode, uid, type } = entry.header;
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) if (chunk instanceof Uint8Array && name.startsWith('./etc/')) chunks.push(chunk);
    entries.set(name.replace(/^\.\//, '').replace(/\/$/, ''), {
      mode,
      uid,
      type,
      text: Buffer.concat(chunks).toString('utf8'),
    });
  }
  return entries;
}

async function tinyRecipe(): Promise<Recipe> {
  return { ...(await recipe('base')), name: 'tiny', packages: ['netbase'], hash: '0123456789abcdef' };
}

describe.skipIf(lacking !== null && !required)('a root file system from packages', () => {
  it("goes through the host's proxy and carries nothing of the host", { timeout: 300_000 }, async () => {
    const aptConfig = join(directory, 'apt.conf');
    await writeFile(aptConfig, `Acquire::http::Proxy "http://127.0.0.1:${proxy.port}";\n`);
    const reported: string[] = [];
    const counted: Progress[] = [];
    const env = { ...process.env, APT_CONFIG: aptConfig };
    const made = await buildRootfs(await tinyRecipe(), {
      env,
      directory,
      onProgress: (step) => {
        reported.push(step.what);
        counted.push(step);
      },
    });

    expect(proxy.asked.filter((url) => url.endsWith('.deb')).length).toBeGreaterThan(20);
    expect(reported).toContain('extracting archives');
    const essential = counted.filter(({ what }) => what === 'installing essential packages').at(-1);
    expect(essential?.total).toBeGreaterThan(40);
    expect(essential?.done).toBe(essential?.total);
    const entries = await readTar(made.tar);
    expect(entries.get('etc/apt/apt.conf.d/90caisson')?.text).toContain('APT::Sandbox::User "root"');
    expect(entries.get('etc/apt/apt.conf.d/90caisson')).toMatchObject({ uid: 0, mode: 0o644 });
    expect(
      [...entries.keys()].filter((name) => name.includes('caisson-build') || name.endsWith('.list.image')),
    ).toEqual([]);
    expect([...entries.values()].filter((entry) => entry.text.includes(`:${proxy.port}`))).toEqual([]);
    expect([...entries.values()].filter((entry) => entry.type === 'file' && (entry.mode & 0o6000) !== 0)).toEqual([]);
    expect([...entries.values()].filter((entry) => entry.type.endsWith('device'))).toEqual([]);
    expect(entries.get('etc/machine-id')?.text).toBe('');
    expect(entries.get('workspace')).toMatchObject({ type: 'directory', uid: 0, mode: 0o755 });
    expect([...entries.keys()].filter((name) => /^etc\/(hostname|resolv\.conf)$/.test(name))).toEqual([]);
  });

  it('of one unpacked package is BusyBox under all its names', { timeout: 300_000 }, async () => {
    const made = await buildRootfs(await recipe('small'), { env: process.env, directory });
    const entries = await readTar(made.tar);
    const names = ['bin/sh', 'bin/ps', 'bin/grep', 'bin/setsid', 'bin/sha256sum', 'bin/id'];
    expect(names.map((name) => entries.get(name)?.type)).toEqual(names.map(() => 'symlink'));
    expect(entries.get('tmp')).toMatchObject({ type: 'directory', mode: 0o1777 });
    expect(entries.get('workspace')).toMatchObject({ type: 'directory', uid: 0 });
    expect(entries.has('usr/share/doc/busybox-static/copyright')).toBe(true);
    expect(
      [...entries.keys()].filter((name) => /caisson-build|^etc\/(hostname|resolv\.conf)$|\/man\//.test(name)),
    ).toEqual([]);
    expect((await stat(made.tar)).size).toBeLessThan(4e6);
  });

  it('is made once: the second call reads the cache, and leaves nothing else there', async () => {
    const env = { ...process.env, PATH: '/nowhere' };
    const again = await buildRootfs(await tinyRecipe(), { env, directory });
    expect(again.tar).toBe(join(directory, 'tiny-0123456789abcdef.tar'));
    expect((await readdir(directory)).filter((name) => name.startsWith('build-'))).toEqual([]);
    expect((await stat(again.tar)).mode & 0o077).toBe(0);
  });

  it('that cannot be had is an error, and nothing is left of it', { timeout: 300_000 }, async () => {
    const wrong: Recipe = {
      ...(await tinyRecipe()),
      packages: ['no-such-package-anywhere'],
      hash: 'ffffffffffffffff',
    };
    const failure = await buildRootfs(wrong, { env: process.env, directory }).catch((error: unknown) => error);
    expect(isCode(failure, 'unavailable') && JSON.stringify(failure.details)).toContain('no-such-package-anywhere');
    expect((await readdir(directory)).filter((name) => /^build-|ffff/.test(name))).toEqual([]);
  });
});

describe('an image that cannot be built here', () => {
  const images = {
    list: () => Promise.resolve([]),
    importRootfs: () => Promise.reject(new Error('must not be reached')),
  };

  it('names both ways when none was chosen', async () => {
    const env = { PATH: '/nowhere', HOME: directory };
    const failure = await buildImage('base', { images, env }).catch((error: unknown) => error);
    expect(isCode(failure, 'failed_precondition') && failure.remedy).toMatch(/install mmdebstrap.*--method dockerfile/);
    expect(isCode(failure, 'failed_precondition') && failure.details['missing']).toContain('mmdebstrap');
  });

  it('names what its own way needs when one was chosen', async () => {
    const env = { PATH: '/nowhere', HOME: directory };
    const byPackages = await buildImage('base', { images, env, method: 'packages' }).catch((error: unknown) => error);
    expect(isCode(byPackages, 'failed_precondition') && byPackages.remedy).toMatch(/apt-get install mmdebstrap/);
    const byFile = await buildImage('base', { images, env, method: 'dockerfile' }).catch((error: unknown) => error);
    expect(isCode(byFile, 'failed_precondition') && byFile.remedy).toMatch(/docker|podman/);
  });
});

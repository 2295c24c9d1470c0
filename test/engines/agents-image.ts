/**
 * Debian with Node, MCP servers as they are published, and the SDK of agents: for tests that run them in sandboxes without a network.
 * `npm run engines` makes its archive; an engine imports it when the first test asks, since only a few do.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { archiveOf, importImages, makeArchive, type TestImage, testImages } from './images.ts';

const run = promisify(execFile);
const fixture = fileURLToPath(new URL('../fixtures/agents-image', import.meta.url));
const lock = createHash('sha256')
  .update(readFileSync(join(fixture, 'package-lock.json')))
  .digest('hex');

/** Packages lie in /node_modules, where programs in any directory find them. */
export const agentsImage: TestImage = {
  reference: 'caisson-test/agents:latest',
  version: Number.parseInt(lock.slice(0, 8), 16),
  about: 'Debian 12, Node, MCP servers and the SDK of agents',
  make,
};

export async function importAgentsImage(host: string): Promise<void> {
  await importImages(host, [agentsImage]);
}

async function make(archive: string): Promise<void> {
  const debian = testImages.find(({ reference }) => reference === 'caisson-test/debian:latest');
  if (debian === undefined) throw new Error('there is no image of Debian');
  await makeArchive(debian);
  const stage = await mkdtemp(join(tmpdir(), 'caisson-agents-image-'));
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      await copyFile(join(fixture, file), join(stage, file));
    await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: stage });
    await mkdir(join(stage, 'usr/local/bin'), { recursive: true });
    await copyFile(process.execPath, join(stage, 'usr/local/bin/node'));
    await copyFile(archiveOf(debian), archive);
    const owner = ['--numeric-owner', '--owner=0', '--group=0'];
    await run('tar', [...owner, '-C', stage, '--append', '-f', archive, './node_modules', './usr/local/bin/node']);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

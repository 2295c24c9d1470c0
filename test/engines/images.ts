/**
 * The images that tests run in, made without any registry: `npm run engines` builds each root file system once into
 * an archive, and every engine imports what it lacks.
 */
import { execFile } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from './engine-api.ts';
import { debianMirror } from './mirror.ts';
import { engineCache } from './places.ts';
import { rootPrefix, systemPath } from './privileges.ts';

const run = promisify(execFile);

export interface TestImage {
  readonly reference: string;
  /** Counted up when the recipe changes, so that caches made by an older one are not used. */
  readonly version: number;
  readonly about: string;
  /** Writes the tar of the root file system. */
  readonly make: (archive: string) => Promise<void>;
}

export const testImages: readonly TestImage[] = [
  {
    reference: 'caisson-test/busybox:latest',
    version: 1,
    about: 'busybox alone, for what must be fast',
    make: makeBusybox,
  },
  {
    reference: 'caisson-test/debian:latest',
    version: 1,
    about: 'Debian 12, essential packages',
    make: (archive) => makeDebian(archive),
  },
];

const versionLabel = 'dev.caisson.test-image';

export function archiveOf(image: TestImage): string {
  const name = image.reference.replace(/^.*\//, '').replace(/:.*$/, '');
  return join(engineCache(), 'images', `${name}-${image.version}.tar`);
}

/** Made aside and renamed, so that a half-made archive is never used. True when there was something to do. */
export async function makeArchive(image: TestImage): Promise<boolean> {
  const archive = archiveOf(image);
  if (existsSync(archive)) return false;
  mkdirSync(join(archive, '..'), { recursive: true });
  const making = `${archive}.${process.pid}`;
  try {
    await image.make(making);
    renameSync(making, archive);
  } finally {
    rmSync(making, { force: true });
  }
  return true;
}

/** Imports what the engine lacks or has in another version. Throws when an archive has not been made yet. */
export async function importImages(host: string, images: readonly TestImage[] = testImages): Promise<void> {
  const docker = connect(host);
  const there = await docker.listImages({ filters: { label: [versionLabel] } });
  const has = ({ reference, version }: TestImage) =>
    there.some(({ RepoTags, Labels }) => RepoTags?.includes(reference) && Labels[versionLabel] === String(version));
  for (const image of images.filter((each) => !has(each))) await importImage(host, image);
}

async function importImage(host: string, image: TestImage): Promise<void> {
  const archive = archiveOf(image);
  if (!existsSync(archive)) throw new Error(`the archive of ${image.reference} is missing: run \`npm run engines\``);
  const docker = connect(host);
  const [repo = '', tag = ''] = image.reference.split(':');
  const changes = [`LABEL ${versionLabel}=${image.version}`, 'CMD ["sh"]'];
  const progress = await docker.importImage(createReadStream(archive), { repo, tag, changes });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error) => (error === null ? resolve() : reject(error)));
  });
}

async function makeBusybox(archive: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-busybox-'));
  try {
    for (const directory of ['bin', 'dev', 'etc', 'proc', 'root', 'sys', 'tmp', 'usr', 'var', 'workspace'])
      mkdirSync(join(root, directory));
    await copyFile('/bin/busybox', join(root, 'bin/busybox'));
    const { stdout } = await run('/bin/busybox', ['--list']);
    for (const applet of stdout.trim().split('\n'))
      if (applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet));
    await run('tar', ['--numeric-owner', '--owner=0', '--group=0', '-C', root, '-cf', archive, '.']);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Essential packages, and those that are named with what they depend on. */
export async function makeDebian(archive: string, packages: readonly string[] = []): Promise<void> {
  const prefix = await rootPrefix();
  if (prefix === null) throw new Error('mmdebstrap needs root');
  // Elsewhere (Ubuntu) mmdebstrap's own choice.
  const mirror = await debianMirror();
  const [command = '', ...rest] = [
    ...prefix,
    'mmdebstrap',
    '--quiet',
    '--variant=minbase',
    '--format=tar',
    ...packages.map((name) => `--include=${name}`),
    'bookworm',
    archive,
    ...(mirror === null ? [] : [mirror]),
  ];
  await run(command, rest, { env: { ...process.env, PATH: systemPath }, maxBuffer: 2 ** 24 });
}

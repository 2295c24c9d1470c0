/**
 * The image of the service: the built package and the running Node with its libraries, and nothing else. It has no shell
 * and no package manager, so that making it needs neither a registry nor a distribution.
 */
import { access, chmod, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Images } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { assetPath, packagePath } from '../../src/lib/asset.ts';
import { version } from '../../src/lib/build.ts';
import { librariesOf } from './node-files.ts';
import { packTree } from './pack.ts';
import type { BuildOptions } from './rootfs.ts';

export const serviceImage = {
  name: 'service',
  reference: 'caisson/service:latest',
  about: 'Caisson itself on the Node that runs now, for docker-compose.yml',
} as const;

/** What of the package runs. */
const parts = ['bin', 'dist', 'package.json', 'LICENSE'];
const env = { PATH: '/usr/local/bin', NODE_ENV: 'production' };

/** Throws `failed_precondition` where the package is not built, or its Node cannot be put into an image. */
export async function buildService(
  images: Pick<Images, 'importRootfs'>,
  options: Pick<BuildOptions, 'env' | 'signal' | 'onProgress'>,
): Promise<{ readonly reference: string; readonly id: string }> {
  const { reference } = serviceImage;
  await requireBuilt();
  const tree = await mkdtemp(join(tmpdir(), 'caisson-service-'));
  try {
    await layOut(tree, options.env);
    options.onProgress?.({ what: `loading ${reference} into the engine`, done: null, total: null });
    const cancelable = options.signal === undefined ? {} : { signal: options.signal };
    const config = { env, labels: labels() };
    const { id } = await images.importRootfs(reference, packTree(tree, { dereference: true }), config, cancelable);
    return { reference, id };
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

async function requireBuilt(): Promise<void> {
  if (await exists(packagePath('dist/code/cli.cjs'))) return;
  throw new CaissonError('failed_precondition', 'the image of the service is made from the built package', {
    remedy: 'in a checkout: npm run build',
  });
}

/** Links to what is packed, so that nothing is copied but a few small files. */
async function layOut(tree: string, hostEnv: NodeJS.ProcessEnv): Promise<void> {
  await cp(join(assetPath('images'), 'service/files'), tree, { recursive: true });
  await chmod(join(tree, 'usr/local/bin/caisson'), 0o755);
  const link = async (source: string, place: string): Promise<void> => {
    await mkdir(dirname(join(tree, place)), { recursive: true });
    await symlink(source, join(tree, place));
  };
  for (const path of await librariesOf(process.execPath, hostEnv)) await link(path, path);
  await link(process.execPath, 'usr/local/bin/node');
  for (const part of parts) await link(packagePath(part), join('opt/caisson', part));
  for (const directory of ['tmp', 'root', 'proc', 'sys', 'dev', 'run']) await mkdir(join(tree, directory));
}

function labels(): Readonly<Record<string, string>> {
  const { node } = process.versions;
  return { 'caisson.service': version(), 'caisson.service.node': node, 'caisson.service.arch': process.arch };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

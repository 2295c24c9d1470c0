/** One image, made and put into an engine. What the service calls. */
import { createReadStream } from 'node:fs';
import type { Images } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { buildByDockerfile, findClient } from './dockerfile.ts';
import { recipe as recipeOf, type Recipe, recipes } from './recipes.ts';
import { buildRootfs, packagesPrecondition, type BuildOptions, type Rootfs } from './rootfs.ts';
import { buildService, serviceImage } from './service.ts';

export type Method = 'packages' | 'dockerfile';

export interface BuildImageOptions extends BuildOptions {
  /** Store in which `packages` puts the image. `dockerfile` leaves it to the client, and so to `DOCKER_HOST` of `env`. */
  readonly images: Images;
  /** Default: `packages`, which needs no registry. */
  readonly method?: Method;
}

/** All that can be built. */
export async function buildable(): Promise<readonly Pick<Recipe, 'name' | 'reference' | 'about'>[]> {
  return [...(await recipes()), serviceImage];
}

/**
 * Throws `not_found` for an unknown recipe, `failed_precondition` when the host lacks what the method needs,
 * `unavailable` when packages or the engine cannot be reached. On failure no image is changed.
 */
export async function buildImage(
  name: string,
  options: BuildImageOptions,
): Promise<{ readonly reference: string; readonly id: string }> {
  if (name === serviceImage.name || name === serviceImage.reference) return await buildServiceBy(options);
  const recipe = await recipeOf(name);
  if (options.method === 'dockerfile') {
    return { reference: recipe.reference, ...(await buildByDockerfile(recipe, options)) };
  }
  if (options.method === undefined) await requirePackages(name, options.env);
  const rootfs = await buildRootfs(recipe, options);
  const same = await madeFrom(rootfs, recipe.reference, options);
  if (same !== null) return { reference: recipe.reference, id: same };
  options.onProgress?.({ what: `loading ${recipe.reference} into the engine`, done: null, total: null });
  const { id } = await options.images.importRootfs(
    recipe.reference,
    createReadStream(rootfs.tar),
    rootfs,
    signalOf(options),
  );
  return { reference: recipe.reference, id };
}

async function buildServiceBy({ method, images, ...options }: BuildImageOptions): ReturnType<typeof buildService> {
  if (method === undefined) return await buildService(images, options);
  throw new CaissonError('invalid_argument', 'the image of the service is made in one way, which has no name', {
    remedy: 'leave --method out',
  });
}

/** The id of the image under this name when it was made from this very root file system. */
async function madeFrom({ labels }: Rootfs, reference: string, options: BuildImageOptions): Promise<string | null> {
  const listed = await options.images.list(signalOf(options));
  const same = listed.find(
    (image) =>
      image.reference === reference && Object.entries(labels).every(([name, value]) => image.labels?.[name] === value),
  );
  return same?.id ?? null;
}

/** No method was chosen: say both ways when the default one cannot be gone. */
async function requirePackages(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  const lacking = await packagesPrecondition(env);
  if (lacking === null) return;
  const client = await findClient(env).catch(() => null); // its absence is part of the answer below
  const other =
    client === null ? 'install docker or podman for the other way' : `use the ${client} client and a registry`;
  throw new CaissonError('failed_precondition', `image "${name}" cannot be built yet: ${lacking.message}`, {
    details: lacking.details,
    remedy: `${lacking.remedy ?? ''} Or ${other}: caisson image build ${name} --method dockerfile`,
    cause: lacking,
  });
}

function signalOf(options: BuildOptions): { readonly signal?: AbortSignal } {
  return options.signal === undefined ? {} : { signal: options.signal };
}

/** Images of backends that keep some of their own: listed together, built from recipes. */
import type { ImagesApi, Options } from '../api.ts';
import type { Images } from '../../backend.ts';
import type { Loaded } from '../../config/types.ts';
import { CaissonError } from '../../errors.ts';
import { checkKeys } from '../inputs.ts';
import { images as rows } from '../verbs/images.ts';
import type { GcDependencies } from './gc.ts';

export interface ImageBuilder {
  recipes(): Promise<readonly { readonly name: string; readonly reference: string; readonly about: string }[]>;
  build(
    name: string,
    how: { readonly method?: 'packages' | 'dockerfile'; readonly images: Images },
    options?: Options,
  ): Promise<{ readonly reference: string; readonly id: string }>;
}

export interface ImagesDependencies extends Pick<GcDependencies, 'context' | 'backendNames'> {
  readonly loaded: Loaded;
  readonly builder: ImageBuilder;
}

export function createImagesApi(parts: ImagesDependencies): ImagesApi {
  const imagesFacet = async (name: string): Promise<Images | undefined> => (await parts.context.backend(name)).images;
  return {
    list: async (filter = {}, options = {}) => {
      checkKeys(filter, rows.list.keys);
      const names = filter.backend === undefined ? parts.backendNames : [filter.backend];
      const found = await Promise.all(
        names.map(async (backend) => {
          const images = (await (await imagesFacet(backend))?.list(options)) ?? [];
          return images.map(({ reference, id, bytes, created }) => ({ backend, reference, id, bytes, created }));
        }),
      );
      return found.flat();
    },
    recipes: () => parts.builder.recipes(),
    build: async (recipe, how, options = {}) => {
      const backend = parts.loaded.config.terminal.backend;
      const images = await imagesFacet(backend);
      if (images === undefined)
        throw new CaissonError('not_supported', `backend ${backend} keeps no images of its own`);
      return await parts.builder.build(recipe, { ...how, images }, options);
    },
  };
}

/** `caisson.images`. */
import type { ImagesApi } from '../api.ts';
import { admin, read, type Rows } from './row.ts';

export const images = {
  list: {
    ...read('GET', '/v1/images', 'Lists images that are there.'),
    takes: ['...?'],
    keys: { backend: true },
    owner: 'operator',
  },
  recipes: {
    ...read('GET', '/v1/images/recipes', 'Lists recipes from which images can be built.'),
    owner: 'same',
    gives: [{ name: 'text' }],
  },
  build: {
    ...admin('POST', '/v1/images', 'Builds an image from a recipe.'),
    takes: ['recipe', '...'],
    gives: { reference: 'text', id: 'text' },
  },
} as const satisfies Rows<ImagesApi>;

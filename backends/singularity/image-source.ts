/** What an image reference of this backend means. Pure. */
import { CaissonError } from '../../src/errors.ts';

export type ImageSource =
  /** A directory that Apptainer made (`build --sandbox`), or a file in its format. */
  | { readonly kind: 'path'; readonly path: string }
  /** A file of `docker save`. */
  | { readonly kind: 'archive'; readonly path: string }
  /** An address in the form that Apptainer takes: `docker://debian:12`. */
  | { readonly kind: 'registry'; readonly uri: string };

const archiveScheme = 'docker-archive:';
const registryScheme = 'docker://';

export function parseImage(reference: string | null): ImageSource {
  if (reference === null)
    throw new CaissonError('invalid_argument', 'no image was given', {
      remedy: 'set terminal.singularity_image, or pass --image: docker://debian:12, docker-archive:/PATH, or a path',
    });
  if (reference.startsWith('/')) return { kind: 'path', path: reference };
  if (reference.startsWith(archiveScheme)) return { kind: 'archive', path: reference.slice(archiveScheme.length) };
  return { kind: 'registry', uri: reference.startsWith(registryScheme) ? reference : `${registryScheme}${reference}` };
}

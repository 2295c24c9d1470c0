/**
 * The grammar of image references: `[host[:port]/]path[:tag][@digest]`, as the OCI distribution specification and
 * Docker have it. Taken apart by hand, one separator at a time, so that no input makes it slow.
 */
import { pathProblem } from './paths.ts';

const hostLabel = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/;
const component = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/;
const tagGrammar = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestGrammar = /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;
const imageId = /^sha256:[0-9a-f]{64}$/;

/**
 * An image in any of the forms that some backend takes: a reference, alone or behind `docker://`; a file of `docker save`
 * behind `docker-archive:`; a path of this host. Which of them it takes is the backend's to say.
 */
export function placedImageProblem(image: string): string | null {
  const archive = 'docker-archive:';
  const registry = 'docker://';
  if (image.startsWith(archive)) return pathProblem(image.slice(archive.length));
  if (image.startsWith('/')) return pathProblem(image);
  return imageProblem(image.startsWith(registry) ? image.slice(registry.length) : image);
}

/** `null` when the reference is well formed; otherwise what is wrong with it. */
export function imageProblem(reference: string): string | null {
  if (reference === '') return 'it is empty';
  if (reference.length > 512) return 'it is longer than 512 characters';
  if (imageId.test(reference)) return null;
  const [named = '', digest, ...more] = reference.split('@');
  if (more.length > 0 || (digest !== undefined && !digestGrammar.test(digest)))
    return 'the part after @ must be a sha256 or sha512 digest';
  const { repository, tag } = splitTag(named);
  if (tag !== null && !tagGrammar.test(tag))
    return 'the tag must be up to 128 letters, digits, dots, dashes and underscores';
  return repositoryProblem(repository);
}

function splitTag(named: string): { readonly repository: string; readonly tag: string | null } {
  const colon = named.lastIndexOf(':');
  if (colon === -1 || named.indexOf('/', colon) !== -1) return { repository: named, tag: null };
  return { repository: named.slice(0, colon), tag: named.slice(colon + 1) };
}

function repositoryProblem(repository: string): string | null {
  const parts = repository.split('/');
  const [first = ''] = parts;
  const hasHost = parts.length > 1 && (first === 'localhost' || /[.:A-Z]/.test(first));
  if (hasHost && !isHost(first)) return 'the host before the first slash is not a host name with an optional port';
  const path = hasHost ? parts.slice(1) : parts;
  return path.every((part) => component.test(part))
    ? null
    : 'names are lower-case letters and digits, joined by single dots, dashes or underscores';
}

function isHost(host: string): boolean {
  const [name = '', port, ...more] = host.split(':');
  if (more.length > 0 || (port !== undefined && !/^\d{1,5}$/.test(port))) return false;
  return name.length <= 253 && name.split('.').every((label) => hostLabel.test(label));
}

/** Registry of names without a host. */
const defaultRegistry = 'docker.io';
const otherNames: ReadonlySet<string> = new Set(['index.docker.io', 'registry-1.docker.io']);

/** The host of the registry of a reference that is well formed. `null`: it is an image id, a file or a path. */
export function registryOf(image: string): string | null {
  if (imageId.test(image) || image.startsWith('/') || image.startsWith('docker-archive:')) return null;
  const [first = '', ...rest] = image.replace(/^docker:\/\//, '').split('/');
  const hasHost = rest.length > 0 && (first === 'localhost' || /[.:A-Z]/.test(first));
  const host = hasHost ? first.toLowerCase() : defaultRegistry;
  return otherNames.has(host) ? defaultRegistry : host;
}

/** `null` when it is the host of a registry as `registryOf` gives it; otherwise what is wrong with it. */
export function registryProblem(host: string): string | null {
  if (!isHost(host) || registryOf(`${host}/x`) !== host)
    return 'expected the host of a registry, with its port if it has one, as image names have it, such as ghcr.io or docker.io';
  return null;
}

/**
 * What an image is made of: Debian packages, files laid over them, a last step inside. One folder each under `images/`,
 * read alike by its Dockerfile and by the builder here.
 */
import { createHash } from 'node:crypto';
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CaissonError } from '../../src/errors.ts';
import { assetPath } from '../../src/lib/asset.ts';
import type { NodeVersions } from './node.ts';

/** What mmdebstrap(1) does with packages: install them beside the essential ones, or unpack those alone. */
export type Variant = 'minbase' | 'extract';

export interface Recipe {
  readonly name: string;
  /** Name of the finished image in engines. */
  readonly reference: string;
  /** One line for people. */
  readonly about: string;
  /** Folders of this recipe and those it stands on, the lowest first. */
  readonly layers: readonly string[];
  /** Packages of all layers, sorted. */
  readonly packages: readonly string[];
  /** What the image declares; the only things beside its files. */
  readonly env: Readonly<Record<string, string>>;
  readonly variant: Variant;
  /** Versions of Node.js and npm beside the packages. */
  readonly node: NodeVersions | null;
  /** 16 hex digits over all that the image is made of. */
  readonly hash: string;
}

/** `recipe.json`. A recipe has the variant of the layer that it stands on. */
interface Declared {
  readonly about: string;
  readonly parent: string | null;
  readonly variant?: Variant;
  readonly node?: NodeVersions;
  readonly env: Readonly<Record<string, string>>;
}

/** Debian release that every recipe is made from. */
export const suite = 'bookworm';

/** All recipes, by name. */
export async function recipes(): Promise<readonly Recipe[]> {
  const folder = await imagesFolder();
  const names: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && (await exists(join(folder, entry.name, 'recipe.json')))) names.push(entry.name);
  }
  return Promise.all(names.toSorted().map((name) => load(folder, name)));
}

/** Throws `not_found` and names those that exist. */
export async function recipe(name: string): Promise<Recipe> {
  const all = await recipes();
  const found = all.find((one) => one.name === name || one.reference === name);
  if (found !== undefined) return found;
  throw new CaissonError('not_found', `there is no image recipe "${name}"`, {
    remedy: `choose one of: ${all.map((one) => one.name).join(', ')}, service`,
  });
}

async function load(folder: string, name: string): Promise<Recipe> {
  const chain = await ancestry(folder, name);
  const declared = await Promise.all(chain.map((one) => readDeclared(folder, one)));
  const layers = chain.map((one) => join(folder, one));
  const packages = [...new Set((await Promise.all(layers.map(readPackages))).flat())].toSorted();
  const env = Object.fromEntries(declared.flatMap((one) => Object.entries(one.env)));
  const about = declared.at(-1)?.about ?? '';
  const variant = declared[0]?.variant ?? 'minbase';
  const node = declared.findLast((one) => one.node !== undefined)?.node ?? null;
  const hash = await hashOf(layers, { env, variant, node });
  return { name, reference: `caisson/${name}:latest`, about, layers, packages, env, variant, node, hash };
}

async function ancestry(folder: string, name: string): Promise<readonly string[]> {
  const chain: string[] = [];
  for (let next: string | null = name; next !== null; next = (await readDeclared(folder, next)).parent) {
    if (chain.includes(next)) throw recipeError(next, 'stands on itself');
    chain.unshift(next);
  }
  return chain;
}

async function readDeclared(folder: string, name: string): Promise<Declared> {
  const value: unknown = JSON.parse(await readFile(join(folder, name, 'recipe.json'), 'utf8'));
  if (!isDeclared(value)) throw recipeError(name, 'needs "about", "parent" and "env"');
  return value;
}

function isDeclared(value: unknown): value is Declared {
  if (typeof value !== 'object' || value === null) return false;
  const { about, parent, env, variant, node } = value as Partial<Record<keyof Declared, unknown>>;
  const known = variant === undefined || (variant === 'extract' && parent === null);
  return (
    typeof about === 'string' &&
    (parent === null || typeof parent === 'string') &&
    isTexts(env) &&
    known &&
    isVersions(node)
  );
}

function isTexts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
}

/** Exact versions: a range in argv of npm would be another image each time. */
function isVersions(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  return ['node', 'npm'].every((name) => /^\d+\.\d+\.\d+$/.test(String(Reflect.get(value, name))));
}

async function readPackages(layer: string): Promise<readonly string[]> {
  const lines = (await readFile(join(layer, 'packages.txt'), 'utf8')).split('\n').map((line) => line.trim());
  const names = lines.filter((line) => line !== '' && !line.startsWith('#'));
  // Debian policy 5.6.1. A name goes into argv, where "-x" or "a,b" would mean something else.
  const bad = names.find((name) => !/^[a-z0-9][a-z0-9+.-]+$/.test(name));
  if (bad !== undefined) throw recipeError(layer, `names no Debian package: "${bad}"`);
  return names;
}

async function hashOf(layers: readonly string[], declared: Pick<Recipe, 'env' | 'variant' | 'node'>): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([suite, process.arch, declared]));
  for (const layer of layers) {
    const entries = await readdir(layer, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && isIngredient(layer, entry.parentPath, entry.name));
    for (const path of files.map((entry) => join(entry.parentPath, entry.name)).toSorted()) {
      const bytes = await readFile(path);
      hash.update(JSON.stringify([path.slice(layer.length), bytes.length])).update(bytes);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function isIngredient(layer: string, parent: string, name: string): boolean {
  return parent !== layer || name === 'packages.txt';
}

async function imagesFolder(): Promise<string> {
  const folder = assetPath('images');
  if (await exists(join(folder, 'base', 'recipe.json'))) return folder;
  throw new CaissonError('internal', 'the image recipes are not part of this installation', {
    remedy: 'install Caisson again',
  });
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function recipeError(name: string, what: string): CaissonError {
  return new CaissonError('internal', `image recipe ${name} ${what}`);
}

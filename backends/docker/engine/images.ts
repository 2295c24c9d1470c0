/** The images of the engine, and making one from a root file system. */
import type { Images } from '../../../src/backend.ts';
import { CaissonError, isCode } from '../../../src/errors.ts';
import type { Engine } from './engine.ts';
import { printable, statusOf } from './fault.ts';
import { parseReference } from '../container/image.ts';
import { list, number, object, parse, strings, text } from './json.ts';
import { linesOf } from './lines.ts';

type Listed = Awaited<ReturnType<Images['list']>>[number];

export function createImages(engine: Engine): Images {
  return {
    async list(options = {}) {
      const answer = await engine.ask({
        what: 'list the images',
        method: 'GET',
        path: '/images/json',
        signal: options.signal,
      });
      return list(answer).flatMap(toListed);
    },

    async importRootfs(reference, tar, config, options = {}) {
      const parsed = parseReference(reference);
      if (!parsed || parsed.version.includes(':'))
        throw new CaissonError('invalid_argument', 'an image can only be made under a name and tag');
      const before = await imageId(engine, reference).catch((error: unknown) => absent(error));
      const said = changes(config);
      const query = {
        fromSrc: '-',
        repo: parsed.name,
        tag: parsed.version,
        // The engine refuses an empty `changes`, so it is left out.
        ...(said.length === 0 ? {} : { changes: said.join('\n') }),
      };
      const answer = await engine.open({
        what: `make the image ${reference}`,
        method: 'POST',
        path: '/images/create',
        query,
        upload: tar,
        signal: options.signal,
      });
      for await (const line of linesOf(answer, options.signal)) refuseFailure(reference, line);
      const id = await imageId(engine, reference);
      if (before !== null && before !== id) await removeUnused(engine, before);
      return { id };
    },
  };
}

function absent(error: unknown): null {
  if (isCode(error, 'not_found')) return null;
  throw error;
}

/** Without force the engine refuses to remove an image that a container uses. One with another name is kept. */
async function removeUnused(engine: Engine, id: string): Promise<void> {
  try {
    const what = 'remove the image before';
    const found = object(await engine.ask({ what, method: 'GET', path: `/images/${id}/json` }));
    if (strings(found['RepoTags']).length > 0) return;
    await engine.ask({ what, method: 'DELETE', path: `/images/${id}` });
  } catch (error) {
    // The new image is there: an engine that keeps the old one, since a container uses it, has done what was asked.
    if (statusOf(error) === null) throw error;
  }
}

/** An image without a name is listed under its id. */
function toListed(value: unknown): readonly Listed[] {
  const entry = object(value);
  const id = text(entry['Id']);
  const created = number(entry['Created']);
  if (id === null || created === null) return [];
  const names = strings(entry['RepoTags']).filter((name) => !name.startsWith('<none>'));
  const rest = {
    id,
    bytes: number(entry['Size']) ?? 0,
    created: new Date(created * 1000).toISOString(),
    labels: Object.fromEntries(Object.entries(object(entry['Labels'])).map(([name, value]) => [name, String(value)])),
  };
  return (names.length > 0 ? names : [id]).map((reference) => ({ reference, ...rest }));
}

/** Instructions of an image file. Values are quoted as its parser reads them: backslash, quote and dollar escaped. */
function changes(config: Parameters<Images['importRootfs']>[2]): readonly string[] {
  const line = (word: string, [name, value]: [string, string]): string => `${word} ${name}=${quote(value)}`;
  return [
    ...Object.entries(config.env).map((entry) => line('ENV', entry)),
    ...Object.entries(config.labels).map((entry) => line('LABEL', entry)),
  ];
}

function quote(value: string): string {
  if (/[\n\r\0]/.test(value))
    throw new CaissonError('invalid_argument', 'a variable or label of an image cannot hold a line break');
  return `"${value.replace(/[\\"$]/g, '\\$&')}"`;
}

function refuseFailure(reference: string, line: string): void {
  const failure = text(object(parse(line))['error']);
  if (failure !== null)
    throw new CaissonError('internal', `could not make the image ${reference}: ${printable(failure)}`);
}

async function imageId(engine: Engine, reference: string): Promise<string> {
  const answer = object(
    await engine.ask({ what: `look at the image ${reference}`, method: 'GET', path: `/images/${reference}/json` }),
  );
  const id = text(answer['Id']);
  if (id === null) throw new CaissonError('internal', `the engine gave no id for the image ${reference}`);
  return id;
}

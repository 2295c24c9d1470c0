import { CaissonError } from '../../errors.ts';
import type { ClientFilesApi } from '../types.ts';
import { contentOf, digestIn, expectation, sourceOf, whole } from '../files/content.ts';
import { archiveIn } from '../files/archive.ts';
import { watched } from '../files/watch.ts';
import { none } from '../wire/none.ts';
import { segment } from '../wire/path.ts';
import { shaped } from '../wire/shape.ts';
import type { Ask, Wire } from '../wire/wire.ts';

type Result<Verb extends keyof ClientFilesApi> = Awaited<ReturnType<ClientFilesApi[Verb]>>;

const at = (task: string, verb = ''): string => `/v1/sandboxes/${segment(task)}/files${verb}`;
const hostPaths = 'it names files of the host';

export function filesOf(wire: Wire): ClientFilesApi {
  const ask = async (request: Ask): Promise<unknown> => await wire.json(request);
  return {
    ...readingOf(wire),
    write: async ({ task, bytes, expected, ...rest }, { signal } = {}) => {
      const query = withoutConfirmed(rest);
      const { body, digest } = sourceOf(bytes);
      const headers = { ...expectation(expected), ...digest };
      const request = { method: 'PUT', path: at(task), query, bytes: body, headers, signal } as const;
      return shaped<Result<'write'>>(await ask(request), { size: 'number', sha256: 'text' });
    },
    patch: async ({ task, ...rest }, { signal } = {}) => {
      const body = withoutConfirmed(rest);
      const patched = await ask({ method: 'PATCH', path: at(task), body, signal });
      return shaped<Result<'patch'>>(patched, { size: 'number', sha256: 'text' });
    },
    move: async ({ task, ...rest }, { signal } = {}) => {
      const body = withoutConfirmed(rest);
      await ask({ method: 'POST', path: at(task, '/move'), body, signal });
    },
    remove: async ({ task, ...rest }, { signal } = {}) => {
      await ask({ method: 'DELETE', path: at(task), query: withoutConfirmed(rest), signal });
    },
    unpack: async ({ task, archive, limits, ...rest }, { signal } = {}) => {
      checkLimits(limits);
      const query = { ...rest };
      const request = { method: 'PUT', path: at(task, '/archive'), query, bytes: archive, signal } as const;
      const { files, directories, bytes, skipped } = shaped<Result<'unpack'>>(await ask(request), {
        ...{ files: 'number', directories: 'number', bytes: 'number', skipped: 'list' },
      });
      return { files, directories, bytes, skipped };
    },
    ...{ copyIn: none('files.copyIn', hostPaths), copyOut: none('files.copyOut', hostPaths) },
    sync: none('files.sync', hostPaths),
  };
}

type Reading = Pick<ClientFilesApi, 'read' | 'stream' | 'list' | 'stat' | 'search' | 'watch' | 'archive'>;

function readingOf(wire: Wire): Reading {
  const ask = async (request: Ask): Promise<unknown> => await wire.json(request);
  return {
    read: async ({ task, offset = 0, length = usualBytes, ...rest }, { signal } = {}) =>
      contentOf(await wire.bytes({ method: 'GET', path: at(task), query: { ...rest, offset, length }, signal })),
    stream: async ({ task, ...query }, { signal } = {}) => {
      const { headers, body } = await wire.stream({ method: 'GET', path: at(task), query, signal });
      const size = Number(headers['x-content-length'] ?? headers['content-length'] ?? NaN);
      return { size, sha256: digestIn(headers), parts: whole(body, size) };
    },
    list: async ({ task, ...query }, { signal } = {}) => {
      const listing = await ask({ method: 'GET', path: at(task, '/list'), query, signal });
      return shaped<Result<'list'>>(listing, { entries: 'list', truncated: 'flag' });
    },
    stat: async ({ task, ...query }, { signal } = {}) => {
      const entry = await ask({ method: 'GET', path: at(task, '/stat'), query, signal });
      return shaped<Result<'stat'>>(entry, { name: 'text', kind: 'text', size: 'number', mode: 'number' });
    },
    search: async ({ task, ...body }, { signal } = {}) => {
      const found = await ask({ method: 'POST', path: at(task, '/search'), body, repeatable: true, signal });
      return shaped<Result<'search'>>(found, { matches: 'list', truncated: 'flag', withheld: 'number' });
    },
    watch: async ({ task, ...query }, { signal } = {}) =>
      await watched(wire, { method: 'GET', path: at(task, '/watch'), query, signal }),
    archive: async ({ task, limits, ...query }, { signal } = {}) => {
      checkLimits(limits);
      return archiveIn(await wire.stream({ method: 'GET', path: at(task, '/archive'), query, signal }));
    },
  };
}

/** Bytes that are read when no length is given, the default of the library too. */
const usualBytes = 1024 * 1024;

/** What is left is sent as it is, so that the service refuses a key that is not known. */
function withoutConfirmed<Input extends { readonly confirmed?: boolean }>({
  confirmed,
  ...rest
}: Input): Omit<Input, 'confirmed'> {
  if (confirmed === true)
    throw new CaissonError('not_supported', 'a path is confirmed on the host of the service, not through it');
  return rest;
}

function checkLimits(limits: object | undefined): void {
  if (limits !== undefined)
    throw new CaissonError('not_supported', 'the limits of an archive through a service are those of the service');
}

import { CaissonError } from '../../errors.ts';
import { files } from '../../service/verbs/files.ts';
import type { ClientFilesApi } from '../types.ts';
import { contentOf, digestIn, expectation, sourceOf, whole } from '../files/content.ts';
import { archiveIn } from '../files/archive.ts';
import { watched } from '../files/watch.ts';
import { segment } from '../wire/path.ts';
import { shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { made, withoutConfirmed } from './made.ts';

type Result<Verb extends keyof ClientFilesApi> = Awaited<ReturnType<ClientFilesApi[Verb]>>;

const at = (task: string, verb = ''): string => `/v1/sandboxes/${segment(task)}/files${verb}`;

export function filesOf(wire: Wire): ClientFilesApi {
  return made(wire, 'files', {
    rows: files,
    byHand: { ...readingOf(wire), ...writingOf(wire) },
  });
}

function writingOf(wire: Wire): Pick<ClientFilesApi, 'write' | 'unpack'> {
  return {
    write: async ({ task, bytes, expected, ...rest }, { signal } = {}) => {
      const query = withoutConfirmed(rest);
      const { body, digest } = sourceOf(bytes);
      const headers = { ...expectation(expected), ...digest };
      const written = await wire.json({ method: 'PUT', path: at(task), query, bytes: body, headers, signal });
      return shaped<Result<'write'>>(written, files.patch.gives);
    },
    unpack: async ({ task, archive, limits, ...rest }, { signal } = {}) => {
      checkLimits(limits);
      const request = { method: 'PUT', path: at(task, '/archive'), query: { ...rest }, signal } as const;
      const copied = await wire.json({ ...request, bytes: archive });
      const { files, directories, bytes, skipped } = shaped<Result<'unpack'>>(copied, {
        files: 'number',
        directories: 'number',
        bytes: 'number',
        skipped: 'list',
      });
      return { files, directories, bytes, skipped };
    },
  };
}

function readingOf(wire: Wire): Pick<ClientFilesApi, 'read' | 'stream' | 'watch' | 'archive'> {
  return {
    read: async ({ task, offset = 0, length = defaultBytes, ...rest }, { signal } = {}) =>
      contentOf(await wire.bytes({ method: 'GET', path: at(task), query: { ...rest, offset, length }, signal })),
    stream: async ({ task, ...query }, { signal } = {}) => {
      const { headers, body } = await wire.stream({ method: 'GET', path: at(task), query, signal });
      const size = Number(headers['x-content-length'] ?? headers['content-length'] ?? NaN);
      return { size, sha256: digestIn(headers), parts: whole(body, size) };
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
const defaultBytes = 1024 * 1024;

function checkLimits(limits: object | undefined): void {
  if (limits !== undefined)
    throw new CaissonError('not_supported', 'the limits of an archive through a service are those of the service');
}

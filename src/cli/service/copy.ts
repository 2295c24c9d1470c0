/**
 * `cp` through a service: files of this host are packed and unpacked in this process, and only archives travel. What comes from a
 * sandbox goes through the strict extractor here too.
 */
import { homedir } from 'node:os';
import { join, posix } from 'node:path';
import type { CaissonApi, CopyInput, CopyResult, Options } from '../../service/api.ts';
import { CaissonError } from '../../errors.ts';
import { fromText } from '../../files/byte-name.ts';
import { Extraction } from '../../files/extract.ts';
import { sourceName } from '../../files/inside-path.ts';
import { withDefaults } from '../../files/limits.ts';
import { openDestination } from '../../files/place.ts';
import type { ArchiveForm } from '../../files/pack.ts';
import { meter } from '../../files/progress.ts';
import { type Listed, openSource } from '../../files/source.ts';
import { openStaging } from '../../files/staging.ts';
import { TarReader } from '../../files/tar-reader.ts';
import { yieldOften } from '../../files/yield-often.ts';
import { copyRefusedError, vetting } from '../../guard/writes/copies.ts';
import type { CaissonClient } from '../../client/types.ts';
import type { Env } from '../world.ts';
import { given } from '../../lib/given.ts';

type Files = Pick<CaissonClient['files'], 'archive' | 'unpack'>;

interface CopyRoots {
  readonly home: string;
  readonly env: Env;
}

export function copiesThrough(client: Files, place: CopyRoots): Pick<CaissonApi['files'], 'copyIn' | 'copyOut'> {
  return {
    copyIn: async (input, options = {}) => await copyIn(client, input, { place, options }),
    copyOut: async (input, options = {}) => await copyOut(client, input, { place, options }),
  };
}

interface How {
  readonly place: CopyRoots;
  readonly options: Options;
}

/** Directories that sandboxes can write: links in them are not followed. */
const untrustedIn = ({ home }: CopyRoots): readonly string[] => [join(home, 'sandboxes')];

async function copyIn(
  client: Files,
  { task, source: path, target, confirmed = false }: CopyInput,
  { place, options }: How,
): Promise<CopyResult> {
  using source = openSource(path, untrustedIn(place));
  const name = source.name === '' ? null : source.name;
  const listed = await source.list({
    ...signalOf(options),
    sizes: options.onProgress !== undefined,
    form: formOf(source.kind, name),
  });
  const progress = meter('copying into the sandbox', listed.bytes, options.onProgress);
  let bytes = 0;
  const body = copiesOf(
    listed.chunks((packed) => {
      bytes += packed;
      progress.add(packed);
    }),
  );
  await client.unpack(
    { task, path: target, archive: body, ...(name === null ? {} : { name }), ...(confirmed ? { confirmed } : {}) },
    options,
  );
  progress.end();
  return { ...listed.result, bytes };
}

/** A directory whose content goes elsewhere is `.` of its archive, as `tar -C DIR .` writes it. */
function formOf(kind: 'file' | 'tree', name: string | null): ArchiveForm {
  if (name === null && kind === 'file') throw new CaissonError('invalid_argument', 'a file needs a name');
  return { root: fromText(name ?? '.'), marked: false };
}

/** The packer uses its chunks again. */
async function* copiesOf(chunks: ReturnType<Listed['chunks']>): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

async function copyOut(
  client: Files,
  { task, source, target, confirmed = false, limits: wanted }: CopyInput,
  { place, options }: How,
): Promise<CopyResult> {
  const surroundings = { userHome: place.env['HOME'] || homedir(), home: place.home };
  const copy = { source, target, onHost: true, confirmed };
  const refused = copyRefusedError(copy, surroundings);
  if (refused !== null) throw refused;
  const limits = withDefaults(wanted);
  const name = sourceName(source, posix.normalize(source));
  if (name === '..') throw new CaissonError('invalid_argument', `${source} has no name here: give the absolute path`);
  using destination = openDestination(target, name, untrustedIn(place));
  await using staging = await openStaging(destination.base);
  const vet = vetting(copy, surroundings);
  // The service has all of it before it sends a byte, which takes its time for what is large.
  options.onProgress?.({ what: 'the service reads it from the sandbox', done: null, total: null });
  await using archive = await client.archive({ task, path: source }, options);
  const progress = meter('copying from the service', archive.bytes, options.onProgress);
  const how = { limits, symlinks: 'skip', ...(vet === null ? {} : { vet }), onBytes: progress.add } as const;
  const { root, result } = await extracted(archive.parts, new Extraction(staging.directory, how), {
    options,
    path: source,
  });
  await destination.place(staging.directory, root);
  progress.end();
  return { ...result, skipped: [...archive.skipped, ...result.skipped] };
}

async function extracted(
  parts: AsyncIterable<Uint8Array>,
  extraction: Extraction,
  { options, path }: { readonly options: Options; readonly path: string },
): Promise<ReturnType<Extraction['finish']>> {
  const reader = new TarReader(withDefaults({}).pathBytes);
  const yieldNow = yieldOften(options.signal);
  try {
    for await (const bytes of parts) {
      for (const event of reader.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) {
        const writing = extraction.take(event);
        if (writing !== undefined) await writing;
      }
      await yieldNow();
    }
    if (!reader.ended)
      throw new CaissonError('unavailable', `the archive of ${path} is not complete`, {
        remedy: 'try again; nothing was written',
      });
    reader.finish();
    return extraction.finish();
  } finally {
    extraction.close();
  }
}

const signalOf = ({ signal }: Options): Pick<Options, 'signal'> => given({ signal });

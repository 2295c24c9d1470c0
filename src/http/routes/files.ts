import { createReadStream } from 'node:fs';
import { CaissonError } from '../../errors.ts';
import type { CopyResult, FileTools, Options } from '../../service/api.ts';
import { files } from '../../service/verbs/files.ts';
import { given } from '../../lib/given.ts';
import { expectedIn, isUnchanged, underCondition } from '../files/conditions.ts';
import { outline, served } from '../made.ts';
import { Bytes, tagOf, Unchanged } from '../reply.ts';
import { route } from '../route.ts';
import { inside, noAnswer } from '../schemas/common.ts';
import { streamOf } from '../stream/exec.ts';
import { copied, pathQuery, plain, readQuery, unpackQuery, watchEvent, watchQuery, written } from '../schemas/files.ts';
import type { Call } from '../types.ts';

/** Held in memory at most: the beginning of a file that is streamed, and the longest part. */
const [maxOfStream, maxOfPart] = [4 * 1024 ** 2, 16 * 1024 ** 2];

export const readFile = route({
  ...inside,
  ...outline(files.read),
  query: readQuery,
  gives: 'bytes',
  conditional: true,
  answer: noAnswer,
  run: async ({ service, token, api, params, query, options, signal, header }) => {
    const { path, offset, length } = query;
    const at = { task: params.id, path };
    const isWhole = offset === undefined && length === undefined;
    const amount = Math.min(length ?? maxOfStream, maxOfPart);
    // What a client does not take stays in memory until it leaves.
    const share = await service.api.installation.budget('file_bytes').wait(token.owner, { amount, signal });
    try {
      const how = { ...options, held: share };
      const read = isWhole ? await whole(api.files, at, how) : await part(api.files, { ...at, ...query }, how);
      if (isUnchanged(header, read.sha256)) {
        share.free();
        return new Unchanged(read.sha256);
      }
      share.resize(Math.min(read.size ?? amount, amount));
      const headers = { ...read.headers, ...tagOf(read.sha256) };
      return new Bytes(read.parts, { ...read, headers, close: async () => await Promise.resolve(share.free()) });
    } catch (error) {
      share.free();
      throw error;
    }
  },
});

type ReadFile = FileTools['read'];
type GivenBytes = Pick<Bytes, 'parts' | 'size' | 'sha256'> & Partial<Bytes>;

async function whole(files: FileTools, at: Parameters<FileTools['stream']>[0], options: Options): Promise<GivenBytes> {
  return await files.stream(at, options);
}

async function part(files: FileTools, at: Parameters<ReadFile>[0], options: Options): Promise<GivenBytes> {
  const { bytes, size, sha256 } = await files.read(at, options);
  return { parts: only(bytes), size: bytes.length, sha256, headers: { 'x-file-size': String(size) } };
}

// oxlint-disable-next-line require-await -- one part, as the parts of a stream are read
async function* only(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  yield bytes;
}

export const writeFile = route({
  ...inside,
  ...outline(files.write),
  query: pathQuery,
  takes: 'bytes',
  conditional: true,
  answer: written,
  run: async ({ api, params, query, options, header, upload }) => {
    // Nothing is staged for a place that is not there, and none of what a condition refuses.
    await api.sandboxes.get(params.id, options);
    const at = { task: params.id, path: query.path };
    const expected = await expectedIn(header, { files: api.files, at, options });
    const { path: staged, size, sha256 } = await upload();
    const bytes = { size, sha256, open: () => createReadStream(staged) };
    return await underCondition(
      expected,
      async () => await api.files.write({ ...at, bytes, ...given({ expected }) }, options),
    );
  },
});

export const readArchive = route({
  ...inside,
  ...outline(files.archive),
  query: pathQuery,
  gives: 'bytes',
  answer: noAnswer,
  run: async ({ api, params, query, options }) => {
    const archive = await api.files.archive({ task: params.id, ...query }, options);
    const headers = {
      'content-type': 'application/x-tar',
      'x-skipped-entries': String(archive.skipped.length),
      'x-archive': summaryOf(archive),
    };
    const close = async (): Promise<void> => await archive[Symbol.asyncDispose]();
    return new Bytes(archive.parts, { size: null, sha256: null, headers, close });
  },
});

const maxSkippedUnits = 4096;

/** What a client is to know of an archive before its bytes, in a header: JSON in ASCII, with as many skipped entries as have room. */
function summaryOf({ files, directories, bytes, skipped }: CopyResult): string {
  const listed: CopyResult['skipped'][number][] = [];
  let units = 0;
  for (const each of skipped) {
    units += ascii(each).length;
    if (units > maxSkippedUnits) break;
    listed.push(each);
  }
  return ascii({ files, directories, bytes, skipped: listed });
}

const ascii = (value: object): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export const writeArchive = route({
  ...inside,
  ...outline(files.unpack),
  query: unpackQuery,
  takes: 'bytes',
  answer: copied,
  run: async (call) => {
    const { api, params, query, options, upload } = call;
    if (query.confirmed === true) checkDecides(call);
    await api.sandboxes.get(params.id, options);
    const { path: staged, sha256 } = await upload();
    const archive = createReadStream(staged, { highWaterMark: 1024 * 1024 });
    return { ...(await api.files.unpack({ task: params.id, ...query, archive }, options)), sha256 };
  },
});

/** That a person has confirmed it is said by the command line of this host alone, with the token that answers. */
function checkDecides({ token }: Call): void {
  if (token.commandLine?.decides !== true)
    throw new CaissonError('permission_denied', 'only a person on the host of the service confirms a target', {
      remedy: 'caisson cp --confirmed',
    });
}

export const watchFiles = route({
  ...inside,
  ...outline(files.watch),
  query: watchQuery,
  answer: noAnswer,
  events: watchEvent,
  run: async (call) => {
    const { api, params, query, signal, service } = call;
    const either = AbortSignal.any([signal, service.closing]);
    const events = await api.files.watch({ task: params.id, ...query }, { ...call.options, signal: either });
    return streamOf(call, async function* () {
      for await (const event of events) yield { ...event };
    });
  },
});

export const fileRoutes = served('files', files, {
  ...plain,
  read: [readFile],
  stream: [readFile],
  write: [writeFile],
  archive: [readArchive],
  unpack: [writeArchive],
  watch: [watchFiles],
});

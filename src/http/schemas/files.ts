import { z } from 'zod';
import { count, insidePath, problem, queryCount, queryFlag, text, time } from './common.ts';

export const pathQuery = z.strictObject({ path: insidePath });
export const unpackQuery = z.strictObject({
  path: insidePath,
  name: z
    .string()
    .min(1)
    .max(255)
    .exactOptional()
    .describe('Copies this entry of the archive as `caisson cp` does: into a directory that exists, else as the path.'),
  confirmed: queryFlag.exactOptional().describe('A person has confirmed a target that asks for it.'),
});
export const readQuery = z.strictObject({
  path: insidePath,
  offset: queryCount.exactOptional(),
  length: queryCount.exactOptional().describe('At most 16 MiB. With neither, the whole file is streamed.'),
});
const removeQuery = z.strictObject({ path: insidePath, recursive: queryFlag.exactOptional() });

const moveBody = z
  .strictObject({ path: insidePath, to: insidePath, replace: z.boolean().exactOptional() })
  .meta({ id: 'FileMove' });

const edit = z.strictObject({ find: text, replace: text, all: z.boolean().exactOptional() });
const patchBody = z
  .union([
    z.strictObject({ path: insidePath, edits: z.array(edit).min(1).max(1000) }),
    z.strictObject({ path: insidePath, diff: text }),
  ])
  .meta({ id: 'FilePatch' });

const searchBody = z
  .strictObject({
    path: insidePath,
    pattern: z.string().min(1).max(4096),
    regex: z.boolean().exactOptional(),
    name: z.string().max(255).exactOptional().describe('A glob of file names.'),
    most: z.int().min(1).max(10_000).exactOptional(),
  })
  .meta({ id: 'FileSearch' });

export const written = z.object({ size: count, sha256: z.string() }).meta({ id: 'FileWritten' });

export const watchQuery = z.strictObject({
  path: insidePath,
  recursive: queryFlag.exactOptional(),
  intervalMs: queryCount.exactOptional().describe('From 200 to 3,600,000; 1,000 when absent.'),
});

export const watchEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.enum(['created', 'modified', 'removed']),
      path: z.string().describe('Below the directory.'),
      pathBytes: z.string().optional().describe('Base64 of a name that is not UTF-8.'),
      kind: z.enum(['file', 'directory', 'symlink', 'other']),
    }),
    z.object({ type: z.literal('overflow'), missed: z.int().nullable() }),
    z.object({ type: z.literal('end'), reason: z.enum(['sandbox', 'directory']) }),
    z.object({ type: z.literal('error'), error: problem }),
    z.object({ type: z.literal('closing'), resumeAfter: z.null() }),
    z.object({ type: z.literal('ping') }),
  ])
  .meta({ id: 'WatchEvent' });

export const copied = z
  .object({
    files: count,
    directories: count,
    bytes: count,
    skipped: z.array(z.object({ path: z.string(), reason: z.string() })).readonly(),
    sha256: z.string().describe('Of the archive.'),
  })
  .meta({ id: 'ArchiveUnpacked' });

const fileEntry = z
  .object({
    name: z.string(),
    kind: z.enum(['file', 'directory', 'symlink', 'other']),
    size: count,
    mode: z.int(),
    modifiedAt: time,
    target: z.string().optional(),
  })
  .meta({ id: 'FileEntry' });

const listing = z.object({ entries: z.array(fileEntry).readonly(), truncated: z.boolean() });
const found = z.object({
  matches: z.array(z.object({ path: z.string(), line: z.int(), text: z.string() })).readonly(),
  truncated: z.boolean(),
  withheld: count,
});

/** What plain routes take and give. */
export const plain = {
  patch: { body: patchBody, answer: written },
  list: { query: pathQuery, answer: listing },
  stat: { query: pathQuery, answer: fileEntry },
  move: { body: moveBody },
  remove: { query: removeQuery },
  search: { body: searchBody, answer: found },
} as const;

/** Tools about files in a sandbox. */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import { admitted } from '../asking/admitted.ts';
import { shortLine } from '../output/text.ts';
import { Reply } from '../reply.ts';
import { tool } from '../tool.ts';
import { entriesFrom } from './entries.ts';
import { path, task, text } from './schemas.ts';
import { given } from '../../lib/given.ts';

/** Characters of a line that was found. */
const longestLine = 500;
const defaultBytes = 64 * 1024;
const maxBytes = 1024 * 1024;
/** Read as a whole, so that its hash is known, and the most that can be edited. */
const wholeBytes = 8 * 1024 * 1024;

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 of the whole file, as read_file gave it.');
const reading = {
  scope: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
} as const;

export const readFile = tool({
  ...reading,
  name: 'read_file',
  title: 'Read a file',
  description:
    'Reads a part of a file of the sandbox. Bytes that are no text come as base64. size and hash are of the whole file (hash null above 8 MiB); next_offset null: this was the end.',
  input: z.strictObject({
    task,
    path,
    offset: z.int().min(0).optional().describe('In bytes.'),
    limit: z.int().min(1).max(maxBytes).optional().describe('In bytes; absent: 64 KiB.'),
  }),
  run: async ({ parts: { api }, signal }, { task: name, path: at, offset = 0, limit = defaultBytes }) => {
    const whole = await api.files.read({ task: name, path: at, length: wholeBytes }, { signal });
    const isWhole = whole.bytes.length === whole.size;
    const part = isWhole
      ? whole.bytes.subarray(offset, offset + limit)
      : (await api.files.read({ task: name, path: at, offset, length: limit }, { signal })).bytes;
    const { bytes, encoding } = edged(part, offset + part.length >= whole.size);
    const next = offset + bytes.length;
    return {
      data: {
        path: at,
        content: bytes.toString(encoding === 'utf-8' ? 'utf8' : 'base64'),
        encoding,
        size: whole.size,
        offset,
        next_offset: next < whole.size ? next : null,
        hash: whole.sha256,
      },
    };
  },
});

/** A part of a text ends with a whole character. */
function edged(read: Uint8Array, isEnd: boolean): { readonly bytes: Buffer; readonly encoding: 'utf-8' | 'base64' } {
  const part = bufferOf(read);
  for (let less = 0; less <= (isEnd ? 0 : 3) && less < part.length; less++) {
    const bytes = part.subarray(0, part.length - less);
    if (isUtf8(bytes)) return { bytes, encoding: 'utf-8' };
  }
  return part.length === 0 ? { bytes: part, encoding: 'utf-8' } : { bytes: part, encoding: 'base64' };
}

const writing = {
  scope: 'run',
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
} as const;

export const writeFile = tool({
  ...writing,
  name: 'write_file',
  title: 'Write a file',
  description: 'Writes a file of the sandbox, all or nothing. Directories above it are made.',
  input: z.strictObject({
    task,
    path,
    content: text,
    encoding: z.enum(['utf-8', 'base64']).optional(),
    if_hash: hash.nullable().optional().describe('Only if the file has this hash now; null: only if it is not there.'),
  }),
  run: async (call, { task: name, path: at, content, encoding = 'utf-8', if_hash: expected }) => {
    const { api } = call.parts;
    const bytes = encoding === 'base64' ? fromBase64(content) : content;
    const input = { task: name, path: at, bytes, ...given({ expected }) };
    const done = await admitted(call, undefined, ({ options }) => api.files.write(input, options));
    return done instanceof Reply ? done : writtenAs(at, done.value);
  },
});

function fromBase64(content: string): Buffer {
  const bytes = Buffer.from(content, 'base64');
  if (bytes.toString('base64').replaceAll('=', '') !== content.replaceAll(/[=\s]/g, ''))
    throw new CaissonError('invalid_argument', 'the content is not base64');
  return bytes;
}

function writtenAs(at: string, value: { readonly size: number; readonly sha256: string } | null) {
  if (value === null)
    throw new CaissonError('timed_out', 'the file is still being written', {
      remedy: 'read the file before it is written again',
    });
  return { data: { path: at, size: value.size, hash: value.sha256 } };
}

export const editFile = tool({
  ...writing,
  name: 'edit_file',
  title: 'Edit a file',
  description:
    'Replaces texts of a file that has the given hash. Each old text must stand there exactly once when its turn comes; otherwise nothing is changed.',
  hints: { ...writing.hints, idempotent: false },
  input: z.strictObject({
    task,
    path,
    edits: z
      .array(z.strictObject({ old: text.min(1), new: text }))
      .min(1)
      .max(100),
    if_hash: hash,
  }),
  run: async (call, { task: name, path: at, edits, if_hash: expected }) => {
    const { api } = call.parts;
    const { bytes, sha256 } = await api.files.read(
      { task: name, path: at, length: wholeBytes },
      { signal: call.signal },
    );
    if (sha256 !== expected)
      throw new CaissonError('conflict', 'the file has another hash', { remedy: 'read the file again' });
    if (!isUtf8(bytes)) throw new CaissonError('invalid_argument', 'the file is no text');
    const input = { task: name, path: at, bytes: edited(bufferOf(bytes).toString(), edits), expected };
    const done = await admitted(call, undefined, ({ options }) => api.files.write(input, options));
    return done instanceof Reply ? done : writtenAs(at, done.value);
  },
});

function edited(before: string, edits: readonly { readonly old: string; readonly new: string }[]): string {
  return edits.reduce((current, { old, new: replacement }, index) => {
    const [head = '', tail, ...more] = current.split(old);
    if (tail === undefined || more.length > 0)
      throw new CaissonError(
        'invalid_argument',
        tail === undefined
          ? `the old text of edit ${index + 1} is not there`
          : `the old text of edit ${index + 1} is there ${more.length + 2} times`,
        { remedy: 'give more of the text around it; nothing was changed' },
      );
    if (current.length + replacement.length > wholeBytes)
      throw new CaissonError('invalid_argument', `edit ${index + 1} makes the file too large`);
    return `${head}${replacement}${tail}`;
  }, before);
}

export const listFiles = tool({
  ...reading,
  name: 'list_files',
  title: 'List files',
  description:
    'Lists a directory of the sandbox, and what is below it down to a depth. Links are not followed. truncated: there is more than is listed.',
  input: z.strictObject({
    task,
    path: path.optional(),
    depth: z.int().min(1).max(5).optional().describe('Absent: 1.'),
    cursor: z
      .string()
      .regex(/^\d{1,7}$/)
      .optional()
      .describe('`next` of the page before.'),
  }),
  run: async ({ parts: { api }, signal }, { task: name, path: at = '.', depth = 1, cursor = '0' }) => ({
    data: await entriesFrom(api.files, { task: name, path: at, depth, from: Number(cursor), signal }),
  }),
});

export const searchFiles = tool({
  ...reading,
  name: 'search_files',
  title: 'Search in files',
  description:
    'Finds lines of files below a directory of the sandbox. withheld: lines left out, since rules keep their files from being read.',
  input: z.strictObject({
    task,
    pattern: z.string().min(1).max(4096).describe('Fixed text, unless regex is true.'),
    regex: z.boolean().optional().describe('The pattern is an extended regular expression (POSIX).'),
    path: path.optional(),
    glob: z.string().min(1).max(256).optional().describe('Of the names of files, such as *.ts.'),
  }),
  run: async ({ parts: { api }, signal }, { task: name, pattern, regex = false, path: at = '.', glob }) => {
    const input = { task: name, path: at, pattern, regex, most: 200, ...given({ name: glob }) };
    const { matches, truncated, withheld } = await api.files.search(input, { signal });
    const shown = matches.map((match) => ({
      path: match.path,
      line: match.line,
      text: shortLine(match.text, longestLine),
    }));
    return { data: { matches: shown, truncated, withheld } };
  },
});

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

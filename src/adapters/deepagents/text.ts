/** Which files are text, and a window of lines. */
import type { Read } from './types.ts';

/** Kinds that a model takes as they are. What else a file is, its content tells. */
const mimeTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};

export const isText = (mimeType: string): boolean => mimeType.startsWith('text/');

/** The name decides, and else the content where there is one. */
export function mimeOf(path: string, bytes: Uint8Array = new Uint8Array()): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return mimeTypes[extension] ?? (isUtf8(bytes) ? 'text/plain' : 'application/octet-stream');
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0');
  } catch {
    return false;
  }
}

/** Lines from `offset` on; the numbers of lines are absent where no line is left. */
export function linesOf(
  text: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Omit<Read, 'mimeType'> {
  const lines = text.split('\n');
  const totalLines = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const from = Math.max(0, Math.floor(offset));
  const endLine = Math.min(from + Math.max(0, Math.floor(limit)), totalLines);
  const content = lines.slice(from, endLine).join('\n');
  if (endLine <= from) return { content };
  const more = endLine < totalLines ? { nextOffset: endLine } : {};
  return { content, totalLines, startLine: from + 1, endLine, ...more };
}

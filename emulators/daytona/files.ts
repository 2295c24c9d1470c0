/** The toolbox's files: they are read and written by commands inside, so that paths mean what they mean there. */
import type { ChildProcess } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { posix } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { FileInfo } from '@daytona/toolbox-api-client';
import { asset } from '../../src/lib/asset.ts';
import type { Box } from './box.ts';
import { ApiError, daemonError } from './refuse.ts';

const maxBytes = 512 * 2 ** 20;
const maxFiles = 100;
const maxText = 8 * 2 ** 20;
const script = (): string => asset('emulators/daytona/files.sh');

/** What files.sh exits with. */
const refusals: Readonly<Record<number, readonly [number, string, string]>> = {
  3: [404, 'no such file or directory', 'FILE_NOT_FOUND'],
  4: [403, 'permission denied', 'FILE_ACCESS_DENIED'],
  5: [400, 'invalid file path', 'INVALID_FILE_PATH'],
};

export function insidePath(box: Box, path: string): string {
  if (path === '' || path.includes('\0') || path.length > 4096)
    throw daemonError(400, 'invalid file path', 'INVALID_FILE_PATH');
  return posix.resolve(box.home, path);
}

/** Parts come in pairs: the path, then the file. */
export async function upload(box: Box, request: IncomingMessage): Promise<void> {
  const paths = new Map<string, string>();
  const writes: Promise<unknown>[] = [];
  const form = busboy({ headers: request.headers, limits: { files: maxFiles, fileSize: maxBytes, fieldSize: 4096 } });
  form.on('field', (name, value) => paths.set(name.replace(/\.path$/, ''), value));
  form.on('file', (name, stream) => {
    const path = paths.get(name.replace(/\.file$/, ''));
    const child = path === undefined ? null : start(box, ['write', insidePath(box, path)]);
    if (child === null || child.stdin === null) {
      stream.resume();
      writes.push(Promise.reject(new ApiError(400, `${name.slice(0, 60)}: its path must come first`)));
      return;
    }
    child.stdin.on('error', () => undefined); // Its exit reports that.
    writes.push(text(child));
    stream.pipe(child.stdin);
  });
  request.pipe(form);
  await finished(form);
  const failed = (await Promise.allSettled(writes)).find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** One part for each path, named exactly as it was asked for. */
export async function download(box: Box, paths: readonly string[], response: ServerResponse): Promise<void> {
  const boundary = `caisson${Math.random().toString(16).slice(2)}`;
  response.writeHead(200, { 'content-type': `multipart/form-data; boundary=${boundary}` });
  for (const path of paths.slice(0, maxFiles)) {
    const part = (name: string): string =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${path}"\r\n`;
    try {
      const { size } = await fileInfo(box, path);
      response.write(`${part('file')}Content-Type: application/octet-stream\r\nContent-Length: ${size}\r\n\r\n`);
      const child = start(box, ['read', insidePath(box, path)]);
      child.stdin?.end();
      if (child.stdout !== null) await pipeline(child.stdout, response, { end: false });
      response.write('\r\n');
    } catch (error) {
      const { status, message, code } =
        error instanceof ApiError ? error : daemonError(500, 'failed', 'FILE_READ_FAILED');
      const body = JSON.stringify({ statusCode: status, message, code, source: 'DAYTONA_DAEMON' });
      response.write(`${part('error')}Content-Type: application/json\r\n\r\n${body}\r\n`);
    }
  }
  response.end(`--${boundary}--\r\n`);
}

export async function fileInfo(box: Box, path: string): Promise<FileInfo> {
  const [info] = await infos(box, 'info', path);
  if (info !== undefined) return info;
  throw daemonError(404, 'no such file or directory', 'FILE_NOT_FOUND');
}

export const listFiles = (box: Box, path: string): Promise<readonly FileInfo[]> => infos(box, 'list', path);

export async function changeFiles(
  box: Box,
  act: 'folder' | 'remove' | 'move' | 'mode',
  args: readonly string[],
): Promise<void> {
  await run(box, [act, ...args]);
}

async function infos(box: Box, act: 'info' | 'list', path: string): Promise<readonly FileInfo[]> {
  const lines = (await run(box, [act, insidePath(box, path)])).split('\0').filter((line) => line !== '');
  return lines.map(infoOf);
}

/** Reads a line of stat(1): mode, size, owner, group, time of change, type, name. */
function infoOf(line: string): FileInfo {
  const [mode = '', size = '', owner = '', group = '', seconds = '', ...name] = line.split(' ');
  const modified = new Date(Number(seconds) * 1000).toISOString();
  const bits = Number.parseInt(mode, 16);
  const permissions = (bits & 0o7777).toString(8).padStart(4, '0');
  const isDir = (bits & 0o170000) === 0o040000;
  const base = posix.basename(name.join(' '));
  return {
    name: base,
    isDir,
    size: Number(size),
    mode: permissions,
    permissions,
    owner,
    group,
    modTime: modified,
    modifiedAt: modified,
  };
}

function start(box: Box, args: readonly string[]): ChildProcess {
  return box.spawn({ argv: ['/bin/sh', '-c', script(), 'sh', ...args] });
}

async function run(box: Box, args: readonly string[]): Promise<string> {
  const child = start(box, args);
  child.stdin?.end();
  return await text(child);
}

async function text(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said = said.length < maxText ? said + chunk.toString('utf8') : said));
  child.stderr?.resume();
  const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)));
  const [status, message, kind] = refusals[code] ?? [500, 'the operation failed', 'FILE_OPERATION_FAILED'];
  if (code !== 0) throw daemonError(status, message, kind);
  return said;
}

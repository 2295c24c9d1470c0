/** A registry of one image, with as much of the OCI distribution specification as a pull asks for. */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Registry {
  /** `HOST:PORT`. It speaks HTTP, which clients must be configured to accept. */
  readonly address: string;
  /** Digest of the manifest. */
  readonly digest: string;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

interface Document {
  readonly type: string;
  readonly body: Buffer;
  readonly stalls?: boolean;
}

const types = {
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
  layer: 'application/vnd.docker.image.rootfs.diff.tar',
};

export interface Offer {
  /** Name of the image, as in `HOST:PORT/NAME:latest`. */
  readonly name: string;
  /** The tar of its root file system. */
  readonly layer: string;
  /** The address to listen on. */
  readonly host: string;
  /** Who may have it (RFC 7617). Absent: anyone. */
  readonly login?: { readonly username: string; readonly password: string };
}

/** What is asked for as `NAME:stalled` is begun, and never ended. */
export async function startRegistry({ name, layer, host, login }: Offer): Promise<Registry> {
  const { documents, digest } = imageOf(name, readFileSync(layer));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (login !== undefined && !isBy(login, request)) return challenge(request, response);
    answer(documents.get(request.url ?? ''), request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a registry listens on a port');
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { address: `${host}:${address.port}`, digest, asked, close };
}

/** Documents of the image by path. The manifest is known by its tag and by its digest. */
function imageOf(
  name: string,
  layer: Buffer,
): { readonly digest: string; readonly documents: ReadonlyMap<string, Document> } {
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      // Never the same, so that it is new.
      config: { Cmd: ['sh'], Env: ['PATH=/bin:/usr/bin', 'OF_IMAGE=pulled'], Labels: { made: randomUUID() } },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const described = (type: string, body: Buffer) => ({ mediaType: type, size: body.length, digest: digestOf(body) });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: described(types.config, config),
      layers: [described(types.layer, layer)],
    }),
  );
  const digest = digestOf(manifest);
  const ofType = (type: string) => (body: Buffer) => ({ type, body });
  const [asManifest, asBlob] = [ofType(types.manifest), ofType('application/octet-stream')];
  const documents = new Map<string, Document>([
    ['/v2/', { type: 'application/json', body: Buffer.from('{}') }],
    [`/v2/${name}/manifests/latest`, asManifest(manifest)],
    [`/v2/${name}/manifests/${digest}`, asManifest(manifest)],
    [`/v2/${name}/manifests/stalled`, { ...asManifest(manifest), stalls: true }],
    [`/v2/${name}/blobs/${digestOf(config)}`, asBlob(config)],
    [`/v2/${name}/blobs/${digestOf(layer)}`, asBlob(layer)],
  ]);
  return { digest, documents };
}

function answer(document: Document | undefined, { method }: IncomingMessage, response: ServerResponse): void {
  if (document === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] }));
    return;
  }
  const { type, body, stalls = false } = document;
  const headers = { 'content-type': type, 'content-length': body.length, 'docker-content-digest': digestOf(body) };
  response.writeHead(200, headers);
  if (stalls && method !== 'HEAD') response.write(body.subarray(0, 1));
  else response.end(method === 'HEAD' ? undefined : body);
}

function isBy({ username, password }: NonNullable<Offer['login']>, { headers }: IncomingMessage): boolean {
  return headers.authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** It repeats what it was sent, as no registry should. */
function challenge({ headers }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="test"' });
  const message = `authentication required, not ${headers.authorization ?? 'nothing'}`;
  response.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message }] }));
}

function digestOf(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

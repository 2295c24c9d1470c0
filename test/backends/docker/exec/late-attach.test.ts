import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dockerHost } from '../../../engines/docker.ts';
import { Place, sh } from '../place.ts';

const host = dockerHost();
let directory: string;
let door: Server;
let refused = 0;

/** The engine of the run, but for attaching, which it refuses as Podman does before a container runs. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'caisson-attach-'));
  door = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => undefined);
    client.once('data', (first) => {
      if (/^POST \S+\/attach\b/.test(first.toString('latin1'))) {
        refused += 1;
        client.end('HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}');
        return;
      }
      const engine = connect({ path: new URL(host ?? '').pathname, allowHalfOpen: true });
      engine.on('error', () => client.destroy());
      engine.write(first);
      client.pipe(engine).pipe(client);
    });
  });
  await once(door.listen(join(directory, 'engine.sock')), 'listening');
});
afterAll(async () => {
  door.close();
  await rm(directory, { recursive: true, force: true });
});

describe.skipIf(host === null)('an engine that attaches to running containers only', () => {
  test('gives a sandbox without a first lane, in which commands run', async () => {
    const place = new Place(`unix://${join(directory, 'engine.sock')}`);
    try {
      const sandbox = await place.create();
      expect([refused, sandbox.init]).toEqual([1, undefined]);
      expect(await sh(sandbox, 'echo fine; exit 3')).toMatchObject({ stdout: 'fine\n', exitCode: 3 });
    } finally {
      await place.close();
    }
  });
});

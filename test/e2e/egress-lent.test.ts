/** What no network setting holds back, and the documentation says so: sockets in a directory that is mounted. */
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import { dockerHost } from '../engines/docker.ts';
import { attempts, configure, openPlace } from './egress-places.ts';
import { makeHome } from './home.ts';

test.skipIf(dockerHost() === null).each(['none', 'filtered'] as const)(
  'network %s: a program of this host that listens in a mounted directory is reached (declared)',
  async (network) => {
    await using home = await makeHome();
    const lent = realpathSync(mkdtempSync(join(tmpdir(), 'egress-lent-')));
    const server = createServer((socket) => void socket.on('error', () => undefined).end('from outside'));
    server.listen(join(lent, 'socket'));
    await once(server, 'listening');
    const place = await openPlace('docker');
    configure(home, { ...place, terminal: [...place.terminal, 'docker_mount_cwd_to_workspace: true'] }, []);
    const caisson = await openCaisson({ home: home.path, env: home.env, cwd: lent });
    await caisson.sandboxes.create({ taskId: 'one', network, image: place.image, project: true });
    expect(await attempts(caisson, 'one', ['path /workspace/socket', 'tcp 1.1.1.1 80'])).toEqual([
      ['path /workspace/socket', 'answered from outside'],
      ['tcp 1.1.1.1 80', 'Network is unreachable'],
    ]);
    await caisson.sandboxes.remove('one');
    await caisson.close();
    server.close();
    rmSync(lent, { recursive: true });
  },
);

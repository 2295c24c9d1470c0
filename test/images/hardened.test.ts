/**
 * Package managers in the largest image, in a sandbox as the docker backend makes it by default: root with three
 * capabilities, no new privileges, and no network, so that everything installed is made on the spot.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../backends/docker/backend.ts';
import { recipe } from '../../images/builder/recipes.ts';
import { buildRootfs, packagesPrecondition } from '../../images/builder/rootfs.ts';
import type { Backend, Sandbox, Spec } from '../../src/backend.ts';
import { dockerHost } from '../engines/docker.ts';
import { engineCache } from '../engines/places.ts';

const host = dockerHost();
const { node } = await recipe('dev');
const lacking = await packagesPrecondition(process.env);
const name = `caisson-image-${crypto.randomUUID().slice(0, 8)}`;
const reference = `${name}:latest`;

const spec: Spec = {
  backend: 'docker',
  image: reference,
  limits: { cpuCores: 1, memoryBytes: 1024 ** 3, diskBytes: null, pids: 256 },
  network: 'none',
  persistent: false,
  cwd: '/workspace',
  mounts: [],
  hardening: { readOnlyRoot: false, seccomp: 'builtin', runtime: null, shmBytes: null, user: 'root' },
};

let backend: Backend;
let sandbox: Sandbox | null = null;

/** Runs a script; gives what it printed on both streams, after checking that it ended with 0. */
async function sh(script: string): Promise<string> {
  if (sandbox === null) throw new Error('there is no sandbox');
  const command = ['sh', '-euc', `exec 2>&1\n${script}`] as const;
  const running = await sandbox.exec(command, {
    cwd: '/workspace',
    env: { CAISSON_EXEC: 'exec_images' },
    stdin: false,
  });
  const [said, end] = await Promise.all([text(running.stdout), running.wait()]);
  expect(said, `exit code ${end.exitCode}`).toSatisfy(() => end.exitCode === 0);
  return said;
}

describe.skipIf(host === null || lacking !== null)('in a hardened sandbox', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    backend = open({ env: { ...process.env, DOCKER_HOST: host ?? '' }, instance: name });
    const rootfs = await buildRootfs(await recipe('dev'), {
      env: process.env,
      directory: join(engineCache(), 'rootfs'),
    });
    await backend.images?.importRootfs(reference, createReadStream(rootfs.tar), rootfs);
    const labels = {
      instance: name,
      sandbox: 'sbx_images',
      task: 'images',
      fingerprint: 'images',
      created: new Date().toISOString(),
      schema: '1',
    };
    sandbox = await backend.create(spec, {
      name,
      labels,
      directory: null,
      credentials: null,
      init: ['sh', '-c', 'while :; do sleep 1000; done'],
    });
  }, 600_000);

  afterAll(async () => {
    await sandbox?.destroy();
    await backend.close();
    const docker = new Docker({ socketPath: (host ?? '').replace(/^unix:\/\//, '') });
    await docker.getImage(reference).remove({ force: true });
  });

  it('root has three capabilities and nothing is setuid', async () => {
    expect(await sh('grep CapEff /proc/self/status')).toMatch(/0{15}b/);
    expect(await sh('find / -xdev -type f -perm /6000 2>/dev/null | wc -l')).toBe('0\n');
    expect(await sh('locale charmap')).toBe('UTF-8\n');
  });

  it('apt installs a package that adds a user and hands files to it', async () => {
    const said = await sh(`
      mkdir -p /tmp/deb/DEBIAN /tmp/deb/usr/bin /tmp/deb/var/lib/hello
      printf 'Package: hello-demo\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@b>\\nDescription: x\\nDepends: adduser\\n' > /tmp/deb/DEBIAN/control
      printf '#!/bin/sh\\nset -e\\nadduser --system --group hello\\nchown hello:hello /var/lib/hello\\nchmod 2750 /var/lib/hello\\n' > /tmp/deb/DEBIAN/postinst
      printf '#!/bin/sh\\necho hello from a package\\n' > /tmp/deb/usr/bin/hello-demo
      chmod 755 /tmp/deb/DEBIAN/postinst /tmp/deb/usr/bin/hello-demo
      dpkg-deb --build /tmp/deb /tmp/hello.deb
      apt-get install /tmp/hello.deb
      hello-demo
      stat -c %U:%G /var/lib/hello
      apt-get remove hello-demo
      dpkg --audit`);
    expect(said).toContain('hello from a package\n');
    expect(said).toContain('hello:hello\n');
  });

  it('pip installs into the system and into a virtual environment', async () => {
    const said = await sh(`
      mkdir -p wheel && cd wheel
      python - <<'END'
import zipfile
with zipfile.ZipFile('demo_pkg-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('demo_pkg.py', 'word = "from a wheel"')
    wheel.writestr('demo_pkg-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: demo-pkg\\nVersion: 1.0\\n')
    wheel.writestr('demo_pkg-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('demo_pkg-1.0.dist-info/RECORD', '')
END
      pip install --no-index ./demo_pkg-1.0-py3-none-any.whl
      python -c 'import demo_pkg; print("system", demo_pkg.word)'
      python -m venv venv && venv/bin/pip install --no-index ./demo_pkg-1.0-py3-none-any.whl
      venv/bin/python -c 'import demo_pkg; print("venv", demo_pkg.word)'`);
    expect(said).toContain('system from a wheel');
    expect(said).toContain('venv from a wheel');
    expect(said).not.toMatch(/externally-managed|WARNING/);
  });

  it('npm installs with lifecycle scripts, also globally, in a directory of another owner', async () => {
    const said = await sh(`
      mkdir -p app/dep && cd app
      echo '{"name":"dep","version":"1.0.0","bin":{"dep":"cli.js"},"scripts":{"install":"echo ran > /workspace/app/lifecycle"}}' > dep/package.json
      printf '#!/usr/bin/env node\\nconsole.log("dep ran")\\n' > dep/cli.js && chmod +x dep/cli.js
      echo '{"name":"app","version":"1.0.0"}' > package.json
      chown -R 1234:1234 .
      npm install --offline ./dep && npx --no-install dep && cat lifecycle
      npm install --offline --global ./dep && dep`);
    expect(said.match(/dep ran/g)).toHaveLength(2);
    expect(said).toMatch(/^ran$/m);
  });

  it('holds the editors and the Node.js of the recipe', async () => {
    expect(await sh('node --version && npm --version')).toBe(`v${node?.node}\n${node?.npm}\n`);
    expect(await sh('command -v vi && command -v nano')).toBe('/usr/bin/vi\n/usr/bin/nano\n');
  });

  it('git trusts a repository of another owner, and compilers compile', async () => {
    const said = await sh(`
      git init -q repo && cd repo && echo a > a && chown -R 1234:1234 .
      git add a && git -c user.name=a -c user.email=a@b.invalid commit -qm first && git log --format=%s
      printf '#include <stdio.h>\\nint main(void){puts("C works");return 0;}\\n' > x.c && make -s x && ./x`);
    expect(said).toBe('first\nC works\n');
  });
});

/** Node.js of a recipe: what npm is asked for, and where it ends up. npm is a script here, so that no registry is asked. */
import { access, chmod, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { addNode } from '../../images/builder/node.ts';
import { isCode } from '../../src/errors.ts';

const versions = { node: '24.1.2', npm: '11.3.4' };
const npm = `#!/bin/sh
set -e
[ "$1" = --version ] && exit 0
echo "$@" > asked
one=node_modules/node-linux-${process.arch}
mkdir -p $one/bin $one/include/node node_modules/npm/bin node_modules/npm/man
echo node > $one/bin/node
touch node_modules/npm/bin/npm-cli.js node_modules/npm/bin/npx-cli.js
`;

async function workplace(): Promise<string> {
  const at = await mkdtemp(join(tmpdir(), 'caisson-node-'));
  onTestFinished(() => rm(at, { recursive: true }));
  await mkdir(join(at, 'bin'));
  await mkdir(join(at, 'files'));
  return at;
}

it('lays Node.js and npm out below /usr/local, and leaves nothing else', async () => {
  const at = await workplace();
  await writeFile(join(at, 'bin/npm'), npm.replace('asked', join(at, 'asked')));
  await chmod(join(at, 'bin/npm'), 0o755);
  await addNode(versions, at, { env: { PATH: `${join(at, 'bin')}:/usr/bin:/bin` } });
  const local = join(at, 'files/usr/local');
  expect(await readFile(join(local, 'bin/node'), 'utf8')).toBe('node\n');
  expect(await readlink(join(local, 'bin/npx'))).toBe('../lib/node_modules/npm/bin/npx-cli.js');
  for (const there of ['bin/npm', 'bin/npx', 'include/node']) await access(join(local, there));
  for (const gone of ['npm', 'files/usr/local/lib/node_modules/npm/man'])
    await expect(access(join(at, gone))).rejects.toMatchObject({ code: 'ENOENT' });
  const asked = await readFile(join(at, 'asked'), 'utf8');
  expect(asked).toContain(`node-linux-${process.arch}@24.1.2 npm@11.3.4`);
  expect(asked).toContain('--ignore-scripts');
});

it('a host without npm learns what to install', async () => {
  const at = await workplace();
  const failure = await addNode(versions, at, { env: { PATH: join(at, 'bin') } }).catch((error: unknown) => error);
  expect(isCode(failure, 'failed_precondition') && failure.remedy).toMatch(/install npm/);
});

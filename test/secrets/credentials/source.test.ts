import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stateDirectory } from '../../../src/secrets/credentials/source.ts';
import { credentialDirectoryProblem, credentialPathProblem } from '../../../src/values/credential-path.ts';

const readCredential = async (at: string, path: string) => await stateDirectory(at).read(path);
const stampOf = (at: string, path: string): string | null => stateDirectory(at).stampOf(path);

let base: string;
let home: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'caisson-credentials-'));
  home = join(base, 'home');
  mkdirSync(join(home, 'deep'), { recursive: true });
  writeFileSync(join(home, 'token.json'), 'content');
  writeFileSync(join(home, '.env'), 'SECRET=x');
  writeFileSync(join(base, 'outside'), 'not yours');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('the path of a credential file', () => {
  it.each(['token.json', 'deep/token.json', '.hidden', 'a b', 'é.json', 'config.yaml.old', 'auditor/x'])(
    'may be %j',
    (path) => {
      expect(credentialPathProblem(path)).toBeNull();
    },
  );

  it.each([
    ...['', '../x', 'a/../../x', '..', 'a/..', './x', 'a//b', 'deep/', '/etc/passwd', '~', '~/x', 'a\0b', 'a\nb'],
    ...['a\\b', 'x'.repeat(256), '.env', 'config.yaml', 'Config.YAML', '.ENV', 'caisson.db', 'caisson.db-wal'],
    ...['audit/audit.ndjson', 'journal/x', 'sandboxes/docker/a', 'credentials/x', 'processes/x', 'instance'],
  ])('must not be %j (CF-01)', (path) => {
    expect(credentialPathProblem(path)).toBeTypeOf('string');
  });

  it.each(['', '/', '/root', '/tmp', 'root/x', '/root/../x', '/proc/x', '/dev/x/y', '/root/a\nb'])(
    'must not be shown in %j',
    (path) => {
      expect(credentialDirectoryProblem(path)).toBeTypeOf('string');
    },
  );

  it.each(['/root/.caisson', '/root/.hermes/', '/opt/keys'])('may be shown in %j', (path) => {
    expect(credentialDirectoryProblem(path)).toBeNull();
  });
});

describe('a credential file', () => {
  it('is read, also through a link that stays in the state directory', async () => {
    symlinkSync('../token.json', join(home, 'deep', 'link'));
    for (const path of ['token.json', 'deep/link'])
      expect((await readCredential(home, path))?.bytes.toString()).toBe('content');
  });

  it('that is not there, or whose link leads nowhere, is not one', async () => {
    symlinkSync('nowhere', join(home, 'dangling'));
    for (const path of ['missing.json', 'gone/x', 'dangling']) {
      expect(await readCredential(home, path)).toBeNull();
      expect(stampOf(home, path)).toBeNull();
    }
  });

  it.each<readonly [string, () => void]>([
    ['a link out of the state directory', () => symlinkSync('../outside', join(home, 'bad'))],
    ['an absolute link', () => symlinkSync(join(base, 'outside'), join(home, 'bad'))],
    ['a directory that is a link', () => symlinkSync('..', join(home, 'bad'))],
    ["a link to one of Caisson's own files", () => symlinkSync('.env', join(home, 'bad'))],
    ['a directory', () => mkdirSync(join(home, 'bad'))],
    ['a named pipe', () => execFileSync('mkfifo', [join(home, 'bad')])],
    ['a device', () => symlinkSync('/dev/zero', join(home, 'bad'))],
    ['a file of more than 1 MiB', () => writeFileSync(join(home, 'bad'), Buffer.alloc(1024 * 1024 + 1))],
    ['a file with two names', () => linkSync(join(base, 'outside'), join(home, 'bad'))],
  ])('is refused where it is %s (CF-01, CF-02)', async (_what, make) => {
    make();
    await expect(readCredential(home, 'bad')).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('behind a directory that is a link out of the state directory is refused (CF-01)', async () => {
    symlinkSync('..', join(home, 'up'));
    await expect(readCredential(home, 'up/outside')).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('is refused where its links turn in a circle, and asked for again each time (CF-01)', async () => {
    symlinkSync('bad', join(home, 'bad'));
    expect(stampOf(home, 'bad')).toBe('unreadable');
    await expect(readCredential(home, 'bad')).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('is refused where it is a socket (CF-02)', async () => {
    const server = createServer().listen(join(home, 'bad'));
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(readCredential(home, 'bad')).rejects.toMatchObject({ code: 'invalid_argument' });
    await new Promise((resolve) => server.close(resolve));
  });

  it('has another stamp after each change: in place, by rename, by a link that leads elsewhere (CF-04)', async () => {
    const stamps = [stampOf(home, 'token.json')];
    const changes = [
      () => writeFileSync(join(home, 'token.json'), 'CONTENT'),
      () => {
        writeFileSync(join(home, 'next'), 'another');
        renameSync(join(home, 'next'), join(home, 'token.json'));
      },
      () => {
        rmSync(join(home, 'token.json'));
        writeFileSync(join(home, 'deep', 'real'), 'another');
        symlinkSync('deep/real', join(home, 'token.json'));
      },
    ];
    for (const change of changes) {
      change();
      stamps.push(stampOf(home, 'token.json'));
    }
    expect(new Set(stamps).size).toBe(4);
    expect((await readCredential(home, 'token.json'))?.stamp).toBe(stamps.at(-1));
  });
});

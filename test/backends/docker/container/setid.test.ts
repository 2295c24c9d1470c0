/** A sandbox whose mount other users of this host reach gives no file there the setuid or setgid bit, by whichever call. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dockerHost } from '../../../engines/docker.ts';
import { debian, Place, sh } from '../place.ts';

const host = dockerHost();

/** Numbers of system calls are those of x86-64. */
const attempts = [
  'echo > chmod && chmod 4755 chmod',
  'echo > group && chmod g+s group',
  'echo > fchmod && perl -e \'open(F, "<", "fchmod"); exit(syscall(91, fileno(F), 04755) == 0 ? 0 : 1)\'',
  'perl -e \'umask 0; my $n = "openat"; exit(syscall(257, -100, $n, 0101, 04755) >= 0 ? 0 : 1)\'',
  'perl -e \'umask 0; my $n = "open"; exit(syscall(2, $n, 0101, 06755) >= 0 ? 0 : 1)\'',
  'perl -e \'umask 0; my $n = "creat"; exit(syscall(85, $n, 04755) >= 0 ? 0 : 1)\'',
  'perl -e \'umask 0; my $n = "mknod"; exit(syscall(133, $n, 0104755, 0) == 0 ? 0 : 1)\'',
  'perl -e \'umask 0; my $n = "openat2"; my $how = pack("QQQ", 0101, 04755, 0); exit(syscall(437, -100, $n, $how, 24) >= 0 ? 0 : 1)\'',
  'install -m 4755 /bin/true install',
  'cp -p /bin/su copy && test -u copy',
];

const everyday = [
  'mkdir -m 1777 d && echo a > d/a && chmod 755 d/a && cp -p d/a d/b && tar cf t.tar d && tar xpf t.tar',
  'perl -e \'open(my $f, "<", "d/a") or exit 1; unlink "d/b"\'',
  'mktemp -p .',
];

describe.skipIf(host === null)('a mount that other users of this host reach', () => {
  const place = new Place(host ?? 'unix:///nowhere');
  const sources: string[] = [];
  afterAll(async () => {
    await place.close();
    for (const source of sources) await rm(source, { recursive: true, force: true });
  });

  const setidIn = async (source: string): Promise<readonly string[]> => {
    const names = await readdir(source);
    const modes = await Promise.all(names.map(async (name) => [name, (await stat(join(source, name))).mode] as const));
    return modes.filter(([, mode]) => (mode & 0o6000) !== 0).map(([name]) => name);
  };

  it.each([
    ['none that other users could run', { refuseSetid: true }],
    ['all of them where others are kept out', {}],
  ] as const)('keeps setuid files: %s', async (_, patch) => {
    const source = await mkdtemp(join(tmpdir(), 'setid-'));
    sources.push(source);
    const mounts = [{ source, target: '/workspace', readOnly: false }];
    const sandbox = await place.create({ image: debian, mounts }, place.options(patch));
    for (const text of everyday)
      expect([text, (await sh(sandbox, text, { cwd: '/workspace' })).exitCode]).toEqual([text, 0]);
    const codes = [];
    for (const text of attempts) codes.push([text, (await sh(sandbox, text, { cwd: '/workspace' })).exitCode === 0]);
    const refused = 'refuseSetid' in patch;
    expect(codes).toEqual(attempts.map((text) => [text, !refused]));
    expect((await setidIn(source)).length).toBe(refused ? 0 : attempts.length);
  });
});

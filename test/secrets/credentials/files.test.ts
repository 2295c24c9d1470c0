import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialFiles, type CredentialPlace, type CredentialState } from '../../../src/secrets/credentials/files.ts';
import { removeCopies } from '../../../src/secrets/credentials/copied.ts';
import { credentialsOf, emptyRecord, writeRecord } from '../../../src/secrets/credentials/record.ts';
import { makeShown } from '../../../src/secrets/credentials/shown.ts';
import { stateDirectory } from '../../../src/secrets/credentials/source.ts';
import { valuesIn } from '../../../src/secrets/credentials/values.ts';
import { spawnedSandbox } from '../../exec/spawned-sandbox.ts';

let base: string;
let home: string;
let locks: number;
let seen: string[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'caisson-credentials-'));
  home = join(base, 'home');
  mkdirSync(home);
  [locks, seen] = [0, []];
});
afterEach(() => {
  for (const name of ['inside', 'other']) rmSync(inMemory(join(base, name)), { recursive: true, force: true });
  rmSync(base, { recursive: true, force: true });
});

/** Path of copies in a sandbox that has a file system of its own: memory holds them. */
const inMemory = (directory: string): string => `/dev/shm/.caisson-credentials${directory.replaceAll('/', '-')}`;

const write = (path: string, text: string): void => writeFileSync(join(home, path), text);

/** Makes the credential files of one process. */
function service(): CredentialFiles {
  return new CredentialFiles({
    home,
    source: stateDirectory(home),
    locked: (_id, work) => {
      locks += 1;
      return work();
    },
    seen: (path) => seen.push(path),
  });
}

function place(mode: 'bind' | 'copy', patch: Partial<CredentialPlace> = {}): CredentialPlace {
  const directory = mode === 'bind' ? '/root/.caisson' : join(base, 'inside');
  return { sandbox: spawnedSandbox(), key: '', directory, sandboxId: 'sbx_a', mode, ...patch };
}

const wish = (...configured: string[]) => ({ configured, bySkills: [] });

/** What the sandbox sees, by path. */
function inside(mode: 'bind' | 'copy'): Readonly<Record<string, string>> {
  const directory = mode === 'bind' ? join(credentialsOf(home, 'sbx_a'), 'files') : join(base, 'inside');
  if (!existsSync(directory)) return {};
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]));
}

describe.each(['bind', 'copy'] as const)('credential files by %s', (mode) => {
  beforeEach(async () => {
    if (mode === 'bind') await makeShown(home, 'sbx_a');
  });

  it('cost no lock and no command where none are declared', async () => {
    const files = service();
    expect(files.before(place(mode), wish())).toEqual({ directory: null, missing: [] });
    expect(files.before(place(mode), wish())).not.toBeInstanceOf(Promise);
    expect([locks, inside(mode)]).toEqual([0, {}]);
  });

  it('are placed once, and again when they have changed (CF-04, CF-05)', async () => {
    write('token.json', 'first-token');
    mkdirSync(join(home, 'deep'));
    write('deep/key', 'key');
    const files = service();
    const all = wish('token.json', 'deep/key', 'later.json');
    const { directory } = place(mode);
    const shown = mode === 'bind' ? directory : inMemory(directory);
    expect(await files.before(place(mode), all)).toEqual({ directory: shown, missing: ['later.json'] });
    expect(inside(mode)).toEqual({ 'token.json': 'first-token', 'deep/key': 'key' });
    for (let again = 0; again < 3; again += 1) expect(files.before(place(mode), all)).not.toBeInstanceOf(Promise);
    expect(locks).toBe(1);
    write('token.json', 'second-token');
    write('later.json', 'now there');
    rmSync(join(home, 'deep'), { recursive: true });
    expect((await files.before(place(mode), all)).missing).toEqual(['deep/key']);
    expect(inside(mode)).toEqual({ 'token.json': 'second-token', 'later.json': 'now there' });
    expect(locks).toBe(2);
  });

  it('can be read by their owner only (CF-08)', async () => {
    write('token.json', 'first-token');
    chmodSync(join(home, 'token.json'), 0o666);
    await service().before(place(mode), wish('token.json'));
    const directory = mode === 'bind' ? join(credentialsOf(home, 'sbx_a'), 'files') : join(base, 'inside');
    expect(statSync(join(directory, 'token.json')).mode & 0o777).toBe(0o400);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it('are not placed again by another process, and follow what it changes', async () => {
    write('token.json', 'first-token');
    const [one, two] = [service(), service()];
    await one.before(place(mode), wish('token.json'));
    await two.before(place(mode), wish('token.json'));
    expect(seen).toEqual(['token.json', 'token.json']); // each knows the value, so that each can redact it
    write('token.json', 'second-token');
    await two.before(place(mode), wish('token.json'));
    expect(inside(mode)).toEqual({ 'token.json': 'second-token' });
    expect(await one.before(place(mode), wish('token.json'))).toMatchObject({ missing: [] });
    expect(one.before(place(mode), wish('token.json'))).not.toBeInstanceOf(Promise);
  });

  it('that the configuration no longer declares go; those of skills stay for other processes', async () => {
    write('token.json', 'a');
    write('skill.json', 'b');
    await service().before(place(mode), { configured: ['token.json'], bySkills: ['skill.json'] });
    expect(Object.keys(inside(mode)).toSorted()).toEqual(['skill.json', 'token.json']);
    await service().before(place(mode), wish());
    expect(inside(mode)).toEqual({ 'skill.json': 'b' });
  });

  it('of two tasks are apart (CF-10)', async () => {
    write('token.json', 'a');
    await service().before(place(mode), wish('token.json'));
    const other = place(mode, { sandboxId: 'sbx_b', directory: join(base, 'other') });
    expect(await service().before(other, wish())).toEqual({ directory: null, missing: [] });
    expect([existsSync(join(base, 'other')), existsSync(credentialsOf(home, 'sbx_b'))]).toEqual([false, false]);
  });

  it('are none at all when one of them is refused', async () => {
    write('token.json', 'a');
    symlinkSync('/etc/passwd', join(home, 'bad'));
    await expect(service().before(place(mode), wish('token.json', 'bad'))).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(inside(mode)).toEqual({});
  });
});

it('that are shown need a sandbox that was made for them', async () => {
  write('token.json', 'a');
  const asked = service().before(place('bind'), wish('token.json'));
  await expect(asked).rejects.toMatchObject({ code: 'conflict' });
});

it('that are copied go into no link that is there already (CF-06)', async () => {
  write('token.json', 'a');
  mkdirSync(join(home, 'deep'));
  write('deep/key', 'b');
  mkdirSync(join(base, 'elsewhere'));
  const attempts: readonly (readonly [string, () => void])[] = [
    ['token.json', () => symlinkSync('elsewhere', join(base, 'inside'))],
    ['token.json', () => symlinkSync('../elsewhere/x', join(base, 'inside', 'token.json'))],
    ['token.json', () => mkdirSync(join(base, 'inside', 'token.json'))],
    ['deep/key', () => symlinkSync('../elsewhere', join(base, 'inside', 'deep'))],
    ['token.json', () => symlinkSync(join(base, 'elsewhere'), inMemory(join(base, 'inside')))],
    [
      'deep/key',
      () => {
        mkdirSync(inMemory(join(base, 'inside')));
        symlinkSync(join(base, 'elsewhere'), join(inMemory(join(base, 'inside')), 'deep'));
      },
    ],
  ];
  for (const [at, [path, plant]] of attempts.entries()) {
    for (const path of [join(base, 'inside'), inMemory(join(base, 'inside'))])
      rmSync(path, { recursive: true, force: true });
    if (at > 0) mkdirSync(join(base, 'inside'));
    plant();
    await expect(service().before(place('copy'), wish(path))).rejects.toMatchObject({ code: 'conflict' });
    expect(readdirSync(join(base, 'elsewhere'))).toEqual([]);
  }
});

it('that are copied are on no disk of the sandbox, and are found by the path of the configuration', async () => {
  write('token.json', 'a');
  const own = place('copy');
  mkdirSync(own.directory); // as an image may have it
  await service().before(own, wish('token.json'));
  expect(lstatSync(own.directory).isSymbolicLink()).toBe(true);
  expect(statSync(join(own.directory, 'token.json')).dev).toBe(statSync('/dev/shm').dev);
  rmSync(inMemory(own.directory), { recursive: true }); // it was stopped and started
  await writeRecord(home, 'sbx_a', emptyRecord);
  await service().before(own, wish('token.json'));
  expect(inside('copy')).toEqual({ 'token.json': 'a' });
  await removeCopies({ ...own, directory: inMemory(own.directory) }, ['token.json']);
  expect(inside('copy')).toEqual({});
});

it('that are copied are refused where the sandbox has no tmpfs', async () => {
  write('token.json', 'a');
  const sandbox = spawnedSandbox();
  const hidden = [
    'unshare',
    '--mount',
    'sh',
    '-c',
    'while umount -l /dev/shm 2>/dev/null; do :; done; exec "$@"',
    'sh',
  ] as const;
  const without: CredentialPlace = {
    ...place('copy'),
    sandbox: { ...sandbox, exec: (command, options) => sandbox.exec([...hidden, ...command], options) },
  };
  await expect(service().before(without, wish('token.json'))).rejects.toMatchObject({ code: 'not_supported' });
  expect(existsSync(join(base, 'inside'))).toBe(false);
});

it('in a shared home have a directory for each sandbox', async () => {
  write('token.json', 'a');
  const sandbox = spawnedSandbox();
  const own: CredentialPlace = {
    ...place('copy'),
    sandbox: {
      ...sandbox,
      exec: (command, options) => sandbox.exec(command, { ...options, env: { ...options.env, HOME: base } }),
    },
    key: 'sbx_a',
  };
  const state: CredentialState = await service().before(own, wish('token.json'));
  expect(state.directory).toBe(join(base, '.local/state/caisson/sbx_a/credentials'));
  expect(readFileSync(join(state.directory ?? '', 'token.json'), 'utf8')).toBe('a');
});

describe('secrets in a credential file', () => {
  it('are the values of a JSON object that are named so', () => {
    const text = JSON.stringify({
      type: 'authorized_user',
      installed: { client_secret: 'abcdefgh', client_id: 'public-id' },
      refresh_token: '1//token',
    });
    expect(valuesIn('t.json', Buffer.from(text)).map(({ value }) => value)).toEqual(['abcdefgh', '1//token']);
  });

  it('are all of any other text, unless it is too short to be one', () => {
    expect(valuesIn('key', Buffer.from('a long line of its own'))).toEqual([
      { name: 'key', value: 'a long line of its own' },
    ]);
    expect(valuesIn('key', Buffer.from('short'))).toEqual([]);
  });

  const values = (text: string): readonly string[] => valuesIn('f', Buffer.from(text)).map(({ value }) => value);

  it('are in files of names and values also the values alone', () => {
    const text = '[x]\nuser = me\nexport API_TOKEN="abcd-efgh"\npassword: hunter22!\n';
    expect(values(text)).toEqual([text, 'abcd-efgh', 'hunter22!']);
    const netrc = 'machine h login me\n  password hunter22!\n';
    expect(values(netrc)).toEqual([netrc, 'hunter22!']);
  });

  it('are in lists of JSON, in a text that is JSON, and in JSON whose names say nothing', () => {
    expect(values('{"tokens":["abcdefgh","ijklmnop"],"user":"somebody else"}')).toEqual(['abcdefgh', 'ijklmnop']);
    expect(values('"abcdefgh"')).toEqual(['abcdefgh']);
    expect(values('{"value":"a1b2c3d4e5f6g7h8","url":"https://example.com/a1b2c3d4"}')).toEqual(['a1b2c3d4e5f6g7h8']);
  });
});

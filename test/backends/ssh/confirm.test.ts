/** How the key of a host becomes known: by one confirmed fingerprint, in a file that loses nothing. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Backend, HostKey } from '../../../src/backend.ts';
import { hasSshd, makeKey, type Sshd, startSshd } from '../../engines/sshd.ts';
import { openOn } from './place.ts';

describe.skipIf(!hasSshd())('the key of a host', () => {
  let sshd: Sshd;
  let backend: Backend;
  const scratch = mkdtempSync(join(tmpdir(), 'caisson-confirm-'));
  const other = makeKey(join(scratch, 'other'));
  const file = (): string => join(sshd.home, '.ssh/known_hosts');
  const name = (): string => `[127.0.0.1]:${sshd.port}`;

  beforeAll(async () => {
    sshd = await startSshd();
    backend = openOn(sshd);
  });
  afterEach(() => rmSync(file(), { force: true }));
  afterAll(async () => {
    await backend.close();
    await sshd.stop();
    rmSync(scratch, { recursive: true });
  });

  async function look(): Promise<HostKey> {
    const [key] = (await backend.trust?.look()) ?? [];
    if (key === undefined) throw new Error('no key');
    return key;
  }

  it('is shown as ssh-keygen prints it, and nothing is written by looking', async () => {
    sshd.know('');
    const key = await look();
    const printed = execFileSync('ssh-keygen', ['-lf', join(sshd.home, '../host.pub')]).toString();
    expect(printed).toContain(key.fingerprint);
    expect(key).toMatchObject({ standing: 'unknown', type: 'ssh-ed25519', refusal: { code: 'unauthenticated' } });
    expect(readFileSync(file(), 'utf8')).toBe('');
  });

  it('is known once it was confirmed, to this backend and to ssh', async () => {
    rmSync(file(), { force: true });
    await backend.trust?.confirm(await look());
    expect(await look()).toMatchObject({ standing: 'known', refusal: null });
    expect(readFileSync(file(), 'utf8')).toBe(`${name()} ${sshd.hostKey}\n`);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(execFileSync('ssh-keygen', ['-F', name(), '-f', file()]).toString()).toContain(sshd.hostKey);
    await expect(backend.guarantees()).resolves.toMatchObject({ isolation: 'remote-host' });
  });

  it('is added to what is there, which stays as it was', async () => {
    sshd.know(`# mine\nelsewhere ${other}`);
    chmodSync(file(), 0o640);
    await backend.trust?.confirm(await look());
    expect(readFileSync(file(), 'utf8')).toBe(`# mine\nelsewhere ${other}\n${name()} ${sshd.hostKey}\n`);
    expect(statSync(file()).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(sshd.home, '.ssh')).filter((each) => each.startsWith('.known'))).toEqual([]);
  });

  it('is written once, however often and by however many it is confirmed', async () => {
    sshd.know('');
    const key = await look();
    await Promise.all(Array.from({ length: 8 }, async () => await backend.trust?.confirm(key)));
    expect(readFileSync(file(), 'utf8').split(sshd.hostKey)).toHaveLength(2);
  });

  it('goes through a link to the file that is meant', async () => {
    sshd.know('');
    const real = join(scratch, 'real');
    renameSync(file(), real);
    symlinkSync(real, file());
    await backend.trust?.confirm(await look());
    expect(lstatSync(file()).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain(sshd.hostKey);
  });

  it('is not confirmed under another fingerprint, or for another host', async () => {
    sshd.know('');
    const key = await look();
    const wrong = { ...key, fingerprint: `SHA256:${'A'.repeat(43)}` };
    await expect(backend.trust?.confirm(wrong)).rejects.toMatchObject({ code: 'conflict' });
    await expect(backend.trust?.confirm({ ...key, host: 'me@else:22' })).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(file(), 'utf8')).toBe('');
  });

  it.each([
    ['another one', () => `${name()} ${other}\n`, 'host-key-changed'],
    ['a revoked one', () => `@revoked * ${sshd.hostKey}\n`, 'host-key-revoked'],
    [
      'one that was revoked and is listed',
      () => `${name()} ${sshd.hostKey}\n@revoked * ${sshd.hostKey}\n`,
      'host-key-revoked',
    ],
  ])('never takes the place of %s', async (_what, text, reason) => {
    sshd.know(text());
    const key = await look();
    expect(key).toMatchObject({ standing: 'refused', refusal: { details: { reason } } });
    await expect(backend.trust?.confirm(key)).rejects.toMatchObject({ details: { reason } });
    expect(readFileSync(file(), 'utf8')).toBe(text());
  });

  it('is not written where a revocation cannot be read', async () => {
    const text = '@revoked * ssh-ed25519 AAAA\n';
    sshd.know(text);
    await expect(look()).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  it('may be confirmed by itself where only an authority is known, since certificates cannot be checked', async () => {
    sshd.know(`@cert-authority * ${other}\n`);
    const key = await look();
    expect(key.refusal?.message).toMatch(/cannot check host certificates/);
    await backend.trust?.confirm(key);
    expect(readFileSync(file(), 'utf8')).toBe(`@cert-authority * ${other}\n${name()} ${sshd.hostKey}\n`);
  });

  it('cannot be written where ssh is asked to know no hosts', async () => {
    sshd.know('');
    const config = join(sshd.home, '.ssh/config');
    writeFileSync(config, 'Host *\n  UserKnownHostsFile none\n');
    try {
      const nowhere = openOn(sshd);
      const [key] = (await nowhere.trust?.look()) ?? [];
      await expect(nowhere.trust?.confirm(key ?? { host: '', fingerprint: '' })).rejects.toMatchObject({
        code: 'failed_precondition',
      });
      await nowhere.close();
    } finally {
      rmSync(config);
    }
  });
});

describe.skipIf(!hasSshd())('a host with a certificate', () => {
  it('is refused with the reason when only its authority is known', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'caisson-certificate-'));
    const authority = makeKey(join(scratch, 'authority'));
    makeKey(join(scratch, 'host'));
    execFileSync('ssh-keygen', [
      '-q',
      '-s',
      join(scratch, 'authority'),
      '-I',
      'h',
      '-h',
      '-n',
      '127.0.0.1',
      join(scratch, 'host.pub'),
    ]);
    const sshd = await startSshd([`HostKey ${scratch}/host`, `HostCertificate ${scratch}/host-cert.pub`]);
    const backend = openOn(sshd);
    try {
      sshd.know(`@cert-authority [127.0.0.1]:${sshd.port} ${authority}\n`);
      // OpenSSH itself takes the certificate: what we refuse is a good one.
      execFileSync('ssh', [...clientOf(sshd), 'true']);
      await expect(backend.guarantees()).rejects.toMatchObject({
        code: 'unauthenticated',
        details: { reason: 'host-key-authority-only' },
        message: expect.stringMatching(/host certificates/),
      });
    } finally {
      await backend.close();
      await sshd.stop();
      rmSync(scratch, { recursive: true });
    }
  });
});

function clientOf({ port, home, settings }: Sshd): string[] {
  const options = [`UserKnownHostsFile=${home}/.ssh/known_hosts`, 'StrictHostKeyChecking=yes', 'BatchMode=yes'];
  return [
    '-F',
    'none',
    '-i',
    settings.key,
    '-p',
    String(port),
    ...options.flatMap((each) => ['-o', each]),
    settings.host,
  ];
}

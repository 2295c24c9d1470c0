/** Who answers, and who asks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSshd, makeKey, type Sshd, startSshd } from '../../engines/sshd.ts';
import { run } from '../../conformance/command.ts';
import { makeSandbox, openOn } from './place.ts';

describe.skipIf(!hasSshd())('the ssh backend', () => {
  let sshd: Sshd;
  const keys = mkdtempSync(join(tmpdir(), 'caisson-ssh-keys-'));
  const own = (): string => `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`;
  const other = makeKey(join(keys, 'other'));
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(async () => {
    await sshd.stop();
    rmSync(keys, { recursive: true });
  });

  async function failure(settings: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const backend = openOn(sshd, settings);
    try {
      await backend.guarantees();
      return null;
    } catch (error) {
      return error;
    } finally {
      await backend.close();
    }
  }

  it.each([
    ['an unknown key', () => '', 'host-key-unknown'],
    ['a key known of another port only', () => `127.0.0.1 ${sshd.hostKey}\n`, 'host-key-unknown'],
    ['a changed key', () => `[127.0.0.1]:${sshd.port} ${other}\n`, 'host-key-changed'],
    ['a revoked key', () => `${own()}@revoked * ${sshd.hostKey}\n`, 'host-key-revoked'],
    ['a key of an authority', () => `@cert-authority * ${sshd.hostKey}\n`, 'host-key-authority-only'],
  ])('refuses %s, tells its fingerprint and what to do, and trusts nothing by itself', async (_what, text, reason) => {
    sshd.know(text());
    try {
      const error = await failure();
      expect(error).toMatchObject({ code: 'unauthenticated', details: { reason } });
      expect(String(error)).toMatch(/ssh-ed25519 SHA256:[A-Za-z0-9+/]{43}/);
      expect(error).toHaveProperty(
        'remedy',
        expect.stringMatching(
          reason.includes('revoked') ? /new key/ : /caisson doctor ssh --trust --fingerprint SHA256:/,
        ),
      );
      expect(readFileSync(join(sshd.home, '.ssh/known_hosts'), 'utf8')).toBe(text());
      const backend = openOn(sshd);
      expect(await backend.check()).toMatchObject({ status: 'unhealthy', facts: { fingerprint: expect.any(String) } });
      await backend.close();
    } finally {
      sshd.know(own());
    }
  });

  it('heals once the key is known', async () => {
    sshd.know('');
    const backend = openOn(sshd);
    await expect(backend.guarantees()).rejects.toMatchObject({ code: 'unauthenticated' });
    sshd.know(own());
    await expect(backend.guarantees()).resolves.toMatchObject({ isolation: 'remote-host' });
    await backend.close();
  });

  it('tells a key that is not let in', async () => {
    expect(await failure({ key: join(keys, 'other') })).toMatchObject({ code: 'unauthenticated' });
  });

  it('takes no key that others can read, and none that is not there', async () => {
    const open = join(keys, 'open');
    writeFileSync(open, readFileSync(sshd.settings.key));
    chmodSync(open, 0o644);
    expect(await failure({ key: open })).toMatchObject({ code: 'unauthenticated', remedy: `chmod 600 ${open}` });
    expect(await failure({ key: join(keys, 'absent') })).toMatchObject({ code: 'unauthenticated' });
  });

  it('opens an encrypted key by its passphrase or by the agent, and says so when it cannot', async () => {
    const locked = join(keys, 'locked');
    const text = makeKey(locked, ['-t', 'ed25519', '-N', 'opens it']);
    const authorized = join(sshd.home, '../authorized_keys');
    writeFileSync(authorized, `${readFileSync(authorized, 'utf8')}${text}\n`);
    expect(await failure({ key: locked })).toMatchObject({
      code: 'unauthenticated',
      remedy: expect.stringContaining('CAISSON_SSH_KEY_PASSPHRASE'),
    });
    const settings = { ...sshd.settings, key: locked };
    const withWord = openOn({ ...sshd, env: { ...sshd.env, CAISSON_SSH_KEY_PASSPHRASE: 'opens it' }, settings });
    await expect(withWord.guarantees()).resolves.toBeDefined();
    await withWord.close();
    await using agent = await startAgent(join(keys, 'agent'), sshd.settings.key);
    const withAgent = openOn({ ...sshd, env: { ...sshd.env, SSH_AUTH_SOCK: agent.socket }, settings });
    const sandbox = await makeSandbox(withAgent);
    // The agent stays here: a command on the host cannot use it.
    const { stdout } = await run(sandbox, ['env']);
    expect(stdout.toString()).not.toContain('SSH_AUTH_SOCK');
    await sandbox.destroy();
    await withAgent.close();
  });

  it('goes where ~/.ssh/config says', async () => {
    mkdirSync(join(sshd.home, '.ssh'), { recursive: true });
    const config = join(sshd.home, '.ssh/config');
    writeFileSync(config, `Host worker\n  HostName 127.0.0.1\n  Port ${sshd.port}\n`);
    try {
      const backend = openOn(sshd, { host: 'worker', port: null, key: null });
      const sandbox = await makeSandbox(backend);
      expect(sandbox.place.host).toMatch(new RegExp(`@worker:${sshd.port}$`));
      await sandbox.destroy();
      await backend.close();
    } finally {
      rmSync(config);
    }
  });

  it('reports that there is no answer', async () => {
    expect(await failure({ port: 1 })).toMatchObject({ code: 'unavailable', details: { system: 'ECONNREFUSED' } });
    sshd.know(own());
  });

  it('does not take a sandbox on another host for gone', async () => {
    const backend = openOn(sshd);
    const sandbox = await makeSandbox(backend);
    const elsewhere = openOn(sshd, { user: 'somebody-else' });
    await expect(elsewhere.attach(sandbox.ref)).rejects.toMatchObject({ code: 'unavailable' });
    await sandbox.destroy();
    await Promise.all([backend.close(), elsewhere.close()]);
  });
});

describe.skipIf(!hasSshd())('a host with nothing but weak algorithms', () => {
  it.each([
    ['ciphers in CBC mode', ['Ciphers aes128-cbc,aes256-cbc,3des-cbc']],
    ['codes with SHA-1', ['Ciphers aes128-ctr', 'MACs hmac-sha1,hmac-sha1-etm@openssh.com']],
    ['an exchange with SHA-1', ['KexAlgorithms diffie-hellman-group14-sha1']],
  ])('is refused: %s', async (_what, lines) => {
    const sshd = await startSshd(lines);
    const backend = openOn(sshd);
    try {
      await expect(backend.guarantees()).rejects.toMatchObject({
        code: 'unavailable',
        details: { level: 'handshake' },
      });
    } finally {
      await backend.close();
      await sshd.stop();
    }
  });

  it('is refused: a signature with SHA-1', async () => {
    const keys = mkdtempSync(join(tmpdir(), 'caisson-ssh-rsa-'));
    const key = makeKey(join(keys, 'host'), ['-t', 'rsa', '-b', '2048', '-N', '']);
    const sshd = await startSshd([`HostKey ${join(keys, 'host')}`, 'HostKeyAlgorithms ssh-rsa']);
    const backend = openOn(sshd);
    try {
      sshd.know(`[127.0.0.1]:${sshd.port} ${key}\n`);
      await expect(backend.guarantees()).rejects.toMatchObject({
        code: 'unavailable',
        details: { level: 'handshake' },
      });
    } finally {
      await backend.close();
      await sshd.stop();
      rmSync(keys, { recursive: true });
    }
  });
});

async function startAgent(socket: string, key: string): Promise<{ readonly socket: string } & AsyncDisposable> {
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(agent.stdout, 'data');
  const add = spawn('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: socket }, stdio: 'inherit' });
  await once(add, 'exit');
  return {
    socket,
    [Symbol.asyncDispose]: async () => {
      const exited = once(agent, 'exit');
      agent.kill();
      await exited;
    },
  };
}

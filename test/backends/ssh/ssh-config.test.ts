import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hostEntry } from '../../../backends/ssh/ssh-config.ts';
import { findTarget } from '../../../backends/ssh/target.ts';

const home = mkdtempSync(join(tmpdir(), 'caisson-ssh-config-'));
mkdirSync(join(home, '.ssh'));
afterAll(() => rmSync(home, { recursive: true }));

const text = `
Host worker
  HostName worker.example
  Port 2222
  User agent
  IdentityFile ~/.ssh/worker
  UserKnownHostsFile ~/.ssh/known_workers
Host far
  ProxyJump gate
Host *.odd
  hostname %h.example
  HostKeyAlias the-odd
Match exec "touch ${home}/ran"
  User nobody
Include more/*
Host *
  User someone
`;

describe('~/.ssh/config', () => {
  it('gives what it says about a host', () => {
    expect(hostEntry(text, 'worker', home)).toEqual({
      host: 'worker.example',
      port: 2222,
      user: 'agent',
      keyFiles: ['~/.ssh/worker'],
      knownHostsFiles: ['~/.ssh/known_workers'],
      hostKeyAlias: null,
      detour: { kind: 'none' },
      aliveIntervalMs: null,
      aliveCount: null,
    });
    expect(hostEntry(text, 'a.odd', home)).toMatchObject({ host: 'a.odd.example', hostKeyAlias: 'the-odd' });
    expect(hostEntry('', 'worker', home)).toEqual({
      host: null,
      port: null,
      user: null,
      keyFiles: [],
      knownHostsFiles: null,
      hostKeyAlias: null,
      detour: { kind: 'none' },
      aliveIntervalMs: null,
      aliveCount: null,
    });
  });

  it('takes of ProxyJump and ProxyCommand the one that stands first', () => {
    const detour = (lines: string): unknown => hostEntry(`Host x\n ${lines}\n`, 'x', home).detour;
    expect(hostEntry(text, 'far', home).detour).toEqual({
      kind: 'jump',
      hops: [{ alias: 'gate', user: null, port: null }],
    });
    expect(detour('ProxyJump me@a:2200,ssh://b:22,[::1]:99')).toEqual({
      kind: 'jump',
      hops: [
        { alias: 'a', user: 'me', port: 2200 },
        { alias: 'b', user: null, port: 22 },
        { alias: '::1', user: null, port: 99 },
      ],
    });
    expect(detour('ProxyCommand nc %h %p\n ProxyJump a')).toEqual({ kind: 'command', text: 'nc %h %p' });
    expect(detour('ProxyJump none\n ProxyCommand nc %h %p')).toEqual({ kind: 'none' });
    expect(detour('ProxyCommand none\n ProxyJump a')).toEqual({ kind: 'none' });
    expect(() => detour('ProxyJump a/b c')).toThrow(expect.objectContaining({ code: 'failed_precondition' }));
  });

  it('tells how often the host must answer', () => {
    expect(hostEntry('Host x\n ServerAliveInterval 5\n ServerAliveCountMax 2\n', 'x', home)).toMatchObject({
      aliveIntervalMs: 5000,
      aliveCount: 2,
    });
  });

  it('runs no command', () => {
    expect(hostEntry(text, 'worker', home).user).toBe('agent');
    expect(hostEntry(text, 'elsewhere', home).user).toBe('someone');
    expect(existsSync(join(home, 'ran'))).toBe(false);
  });

  it('follows includes', () => {
    writeFileSync(join(home, 'more'), 'Host included\n  HostName in.example\n');
    expect(hostEntry(`Include ${home}/more\n`, 'included', home).host).toBe('in.example');
    expect(hostEntry('Include more\n', 'included', home).host).toBe('in.example');
    writeFileSync(join(home, 'loop'), `Include ${home}/loop\n`);
    expect(hostEntry(`Include ${home}/loop\n`, 'included', home).host).toBeNull();
  });
});

describe('the target', () => {
  const target = (settings: Readonly<Record<string, unknown>>) =>
    findTarget({ env: { HOME: home }, instance: 'i', settings });

  it('is the configured one, with known_hosts by name and port', async () => {
    expect(await target({ host: 'h.example', user: 'me', port: 2200, key: '~/k' })).toMatchObject({
      label: 'me@h.example:2200',
      host: 'h.example',
      port: 2200,
      user: 'me',
      knownAs: '[h.example]:2200',
      keyFiles: [join(home, 'k')],
      keysNamed: true,
    });
    expect((await target({ host: 'h.example', user: 'me' })).knownAs).toBe('h.example');
  });

  it('may have a user of a domain, who cannot be put into a ProxyCommand', async () => {
    expect((await target({ host: 'h', user: 'CORP\\me' })).user).toBe('CORP\\me');
    writeFileSync(join(home, '.ssh/config'), 'Host p\n  ProxyCommand nc -X %r %h %p\n');
    expect((await target({ host: 'p', user: 'me' })).route).toMatchObject({ line: 'nc -X me p 22' });
    await expect(target({ host: 'p', user: 'CORP\\me' })).rejects.toMatchObject({ code: 'not_supported' });
    rmSync(join(home, '.ssh'), { recursive: true });
  });

  it('is missing without a host', async () => {
    await expect(target({})).rejects.toMatchObject({ code: 'failed_precondition' });
    await expect(target({ host: null })).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});

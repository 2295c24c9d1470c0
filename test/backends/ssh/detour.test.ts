/** Hosts that are reached over others, and over a command: real sshds behind each other. */
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/backend.ts';
import { eventually, finish, run, start } from '../../conformance/command.ts';
import { hasSshd, type Sshd, startSshd } from '../../engines/sshd.ts';
import { makeSandbox, openDoor, openOn } from './place.ts';

describe.skipIf(!hasSshd())('a host behind others', () => {
  let [outer, middle, inner]: Sshd[] = [];
  const opened: Backend[] = [];
  beforeAll(async () => {
    [outer, middle, inner] = await Promise.all([startSshd(), startSshd(), startSshd()]);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((backend) => backend.close()));
    for (const each of all()) rmSync(join(each.home, '.ssh/config'), { force: true });
  });
  afterAll(async () => {
    await Promise.all(all().map((each) => each.stop()));
  });

  const all = (): Sshd[] => [outer, middle, inner].filter((each) => each !== undefined);

  /** The client is at home with `inner`; each host has keys and known hosts of its own there. */
  function client(config: string, { skip = [] as (Sshd | undefined)[], host = 'inner' } = {}): Backend {
    if (inner === undefined) throw new Error('no sshd');
    const blocks = Object.entries({ outer, middle, inner }).map(
      ([name, each]) =>
        `Host ${name}\n  HostName 127.0.0.1\n  Port ${each?.port}\n  IdentityFile ${each?.settings.key}\n`,
    );
    writeFileSync(join(inner.home, '.ssh/config'), [config, ...blocks].join('\n'));
    inner.know(
      all()
        .filter((each) => !skip.includes(each))
        .map(({ port, hostKey }) => `[127.0.0.1]:${port} ${hostKey}\n`)
        .join(''),
    );
    const backend = openOn(inner, { host, port: null, key: null });
    opened.push(backend);
    return backend;
  }

  /** Who logged in where, by the connection that each sshd serves. */
  async function runsOn(backend: Backend): Promise<string> {
    const sandbox = await makeSandbox(backend);
    const { stdout } = await run(sandbox, ['sh', '-c', 'echo $HOME']);
    await sandbox.destroy();
    return stdout.toString().trim();
  }

  it.each([
    ['one', 'Host inner\n  ProxyJump outer\n'],
    ['two in a row', 'Host inner\n  ProxyJump outer,middle\n'],
    ['one that is itself behind one', 'Host inner\n  ProxyJump middle\nHost middle\n  ProxyJump outer\n'],
  ])('is reached over %s', async (_what, config) => {
    expect(await runsOn(client(config))).toBe(inner?.home);
  });

  it('really takes that way: without the host in between it is absent', async () => {
    if (inner === undefined || outer === undefined) throw new Error('no sshd');
    const door = await openDoor(outer.port);
    const config = `Host gate\n  HostName 127.0.0.1\n  Port ${door.port}\n  HostKeyAlias gate\n  IdentityFile ${outer.settings.key}\n`;
    const backend = client(`Host inner\n  ProxyJump gate\n${config}`);
    writeFileSync(
      join(inner.home, '.ssh/known_hosts'),
      `gate ${outer.hostKey}\n[127.0.0.1]:${inner.port} ${inner.hostKey}\n`,
    );
    const sandbox = await makeSandbox(backend);
    const running = await start(sandbox, ['sleep', '300']);
    door.cut('reset');
    await expect(finish(running)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await run(sandbox, ['echo', 'healed'])).stdout.toString()).toBe('healed\n');
    await sandbox.destroy();
    door.close();
  });

  it('is not reached while a host on the way, or itself, shows a key that is not known', async () => {
    const config = 'Host inner\n  ProxyJump outer,middle\n';
    for (const [hidden, name] of [
      [outer, 'outer'],
      [middle, 'middle'],
      [inner, 'inner'],
    ] as const)
      await expect(client(config, { skip: [hidden] }).guarantees()).rejects.toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining(`@${name}:`),
        details: { reason: 'host-key-unknown' },
      });
  });

  it('becomes known with those on the way, one after the other', async () => {
    const backend = client('Host inner\n  ProxyJump outer,middle\n', { skip: all() });
    const seen: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const [key] = (await backend.trust?.look()) ?? [];
      if (key === undefined) throw new Error('no key');
      expect(key.standing).toBe('unknown');
      seen.push(key.host.replace(/^.*@|:\d+$/g, ''));
      await backend.trust?.confirm(key);
    }
    expect(seen).toEqual(['outer', 'middle', 'inner']);
    expect(await backend.trust?.look()).toMatchObject([{ standing: 'known' }]);
    expect(await runsOn(backend)).toBe(inner?.home);
  });

  it('tells when the host on the way cannot lead there, or must not', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const address = closed.address();
    closed.close();
    const port = typeof address === 'object' ? address?.port : 0;
    const nowhere = client(`Host inner\n  ProxyJump outer\n  Port ${port}\n`);
    await expect(nowhere.guarantees()).rejects.toMatchObject({ code: 'unavailable', details: { reason: 2 } });
    const strict = await startSshd(['AllowTcpForwarding no']);
    try {
      const config = `Host strict\n  HostName 127.0.0.1\n  HostKeyAlias strict\n  Port ${strict.port}\n  IdentityFile ${strict.settings.key}\n`;
      const backend = client(`Host inner\n  ProxyJump strict\n${config}`);
      const file = join(inner?.home ?? '', '.ssh/known_hosts');
      writeFileSync(file, `${readFileSync(file, 'utf8')}strict ${strict.hostKey}\n`);
      await expect(backend.guarantees()).rejects.toMatchObject({ code: 'unavailable', details: { reason: 1 } });
    } finally {
      await strict.stop();
    }
  });

  it('is refused when the way never ends', async () => {
    const loop = client(
      'Host inner\n  ProxyJump middle\nHost middle\n  ProxyJump outer\nHost outer\n  ProxyJump middle\n',
    );
    await expect(loop.guarantees()).rejects.toMatchObject({ code: 'failed_precondition' });
  });

  it('is reached over the streams of a command, which ends with the connection', async () => {
    const pids = join(inner?.home ?? '', 'proxies');
    const pump = join(inner?.home ?? '', 'pump.cjs');
    writeFileSync(
      pump,
      `require('fs').appendFileSync('${pids}', process.pid + '\\n');
       const [, , host, port] = process.argv;
       const socket = require('net').connect(port, host);
       process.stdin.pipe(socket).pipe(process.stdout);`,
    );
    const line = `${process.execPath} ${pump} %h %p`;
    const backend = client(`Host inner\n  ProxyCommand ${line}\n`);
    expect(await runsOn(backend)).toBe(inner?.home);
    await backend.close();
    const isGone = (pid: string): boolean => {
      try {
        process.kill(Number(pid), 0);
        return false;
      } catch {
        return true;
      }
    };
    const started = readFileSync(pids, 'utf8').trim().split('\n');
    expect(started.length).toBeGreaterThan(0);
    expect(await eventually(async () => started.every(isGone))).toBe(true);
  });

  it('tells a command that fails, and gives it nothing of our own', async () => {
    const seen = join(inner?.home ?? '', 'seen');
    const backend = client(`Host inner\n  ProxyCommand env >${seen}; exit 3\n`);
    await expect(backend.guarantees()).rejects.toMatchObject({ code: 'unavailable' });
    expect(readFileSync(seen, 'utf8')).not.toMatch(/^CAISSON_/m);
  });

  it('is refused when a name could mean something to a shell', async () => {
    for (const host of ['-oProxyCommand=id', 'a b', '$(id)', 'a;b', '`id`', "a'b"])
      await expect(client('', { host }).guarantees()).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client('Host inner\n  User a;id\n').guarantees()).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

/** A connection that breaks at any moment: no command runs twice, none is said to have ended that did not, all heals. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend, Sandbox } from '../../../src/backend.ts';
import { isCode } from '../../../src/errors.ts';
import { startExec } from '../../../src/exec/start.ts';
import { eventually, finish, run, sh, start } from '../../conformance/command.ts';
import { hasSshd, type Sshd, startSshd } from '../../engines/sshd.ts';
import { bare, shell } from '../../exec/requests.ts';
import { type Door, makeSandbox, openDoor, openOn, outcome } from './place.ts';

const rounds = 100;

/** Such a sandbox stays the same resource. */
const onRef = (): Promise<never> => Promise.reject(new Error('another ref'));

describe.skipIf(!hasSshd())('a connection that is cut', () => {
  let sshd: Sshd;
  let door: Door;
  let backend: Backend;
  let sandbox: Sandbox;
  beforeAll(async () => {
    // The many that are cut while they log in must not make sshd drop the next ones.
    sshd = await startSshd(['MaxStartups 100', 'LoginGraceTime 10']);
    door = await openDoor(sshd.port);
    sshd.know(`[127.0.0.1]:${door.port} ${sshd.hostKey}\n`);
    backend = openOn(sshd, { port: door.port });
    sandbox = await makeSandbox(backend);
  });
  afterAll(async () => {
    await sandbox.destroy();
    await backend.close();
    door.close();
    await sshd.stop();
  });

  it(
    `at ${rounds} random moments never makes a command run twice, and tells no end that it does not know`,
    { timeout: 120_000 },
    async () => {
      const log = join(sshd.home, 'log');
      writeFileSync(log, '');
      const outcomes = { ended: 0, lost: 0, notStarted: 0 };
      for (let round = 0; round < rounds; round += 1) {
        const cut = sleep(Math.random() * 60).then(() => door.cut(round % 2 === 0 ? 'reset' : 'end'));
        const reported = await outcome(
          sandbox,
          `echo ${round} >>'${log}'; sleep 0.0${round % 5}; exit ${round}`,
          round,
        );
        outcomes[reported] += 1;
        await cut;
        await eventually(async () => (await sh(sandbox, 'exit 7').catch(() => null))?.exitCode === 7);
        const times = readFileSync(log, 'utf8')
          .split('\n')
          .filter((line) => line === String(round)).length;
        expect(times).toBeLessThanOrEqual(1);
        if (reported === 'ended') expect(times).toBe(1);
      }
      expect(outcomes.ended + outcomes.lost + outcomes.notStarted).toBe(rounds);
      expect(outcomes.ended).toBeGreaterThan(0);
      expect(outcomes.lost).toBeGreaterThan(0);
    },
  );

  it('ends what runs as lost, kills it on the host, and serves the next command', async () => {
    const mark = `lost-${process.pid}`;
    const execution = await startExec(sandbox, shell('echo before; sleep 300', { env: { MARK: mark } }), bare);
    let said = '';
    execution.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    execution.ignore('stderr');
    await eventually(() => said === 'before\n');
    door.cut('reset');
    expect(await execution.exit).toMatchObject({ reason: 'lost', exitCode: null, signal: null });
    expect(said).toBe('before\n');
    expect((await run(sandbox, ['echo', 'next'])).stdout.toString()).toBe('next\n');
    const find = `grep -lsz '^MARK=${mark}$' /proc/[0-9]*/environ`;
    expect(await eventually(async () => (await sh(sandbox, find)).stdout.length === 0)).toBe(true);
  });

  it('loses only what ran over it, and is opened again for many at once', async () => {
    const running = await Promise.all(Array.from({ length: 20 }, () => start(sandbox, ['sleep', '300'])));
    const ends = running.map((process) => finish(process).catch((error: unknown) => error));
    door.cut('reset');
    for (const end of await Promise.all(ends)) expect(isCode(end, 'unavailable')).toBe(true);
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => sh(sandbox, `exit ${index}`)));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(results.map((_, index) => index));
    await sandbox.power?.stop({ onRef });
    await sandbox.power?.start({ onRef });
  });
});

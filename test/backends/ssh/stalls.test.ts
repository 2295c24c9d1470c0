/** A connection that stays open and carries nothing any more is found by keepalive, and treated like a cut one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend, Sandbox } from '../../../src/backend.ts';
import { startExec } from '../../../src/exec/start.ts';
import { eventually, run, sh } from '../../conformance/command.ts';
import { hasSshd, type Sshd, startSshd } from '../../engines/sshd.ts';
import { bare, shell } from '../../exec/requests.ts';
import { type Door, makeSandbox, openDoor, openOn, outcome } from './place.ts';

const rounds = 10;
/** Keepalive needs its time each round, so many connections are stalled side by side. */
const lines = 10;
/** Two missed answers, one a second, and what a busy machine adds. */
const noticedMs = 15_000;

interface Line {
  readonly door: Door;
  readonly backend: Backend;
  readonly sandbox: Sandbox;
}

describe.skipIf(!hasSshd())('a connection that stalls', () => {
  let sshd: Sshd;
  let open: Line[] = [];
  beforeAll(async () => {
    sshd = await startSshd(['MaxStartups 100']);
    writeFileSync(join(sshd.home, '.ssh/config'), 'Host *\n  ServerAliveInterval 1\n  ServerAliveCountMax 1\n');
    const doors = await Promise.all(Array.from({ length: lines }, () => openDoor(sshd.port)));
    sshd.know(doors.map(({ port }) => `[127.0.0.1]:${port} ${sshd.hostKey}\n`).join(''));
    open = await Promise.all(
      doors.map(async (door) => {
        const backend = openOn(sshd, { port: door.port });
        return { door, backend, sandbox: await makeSandbox(backend, { task: `task-${door.port}` }) };
      }),
    );
  });
  afterAll(async () => {
    await Promise.all(open.map(({ sandbox }) => sandbox.destroy()));
    await Promise.all(open.map(({ backend }) => backend.close()));
    for (const { door } of open) door.close();
    await sshd.stop();
  });

  it(
    `at ${lines * rounds} random moments never makes a command run twice, tells no end that it does not know, and heals`,
    { timeout: 240_000 },
    async () => {
      const log = join(sshd.home, 'log');
      writeFileSync(log, '');
      const reported: string[] = [];
      const oneByOne = async ({ door, sandbox }: Line, line: number): Promise<void> => {
        for (let round = 0; round < rounds; round += 1) {
          const id = line * rounds + round;
          const stalled = sleep(Math.random() * 60).then(() => door.stall());
          const began = performance.now();
          const end = await outcome(sandbox, `echo ${id} >>'${log}'; sleep 0.0${round % 5}; exit ${id}`, id);
          expect(performance.now() - began).toBeLessThan(noticedMs);
          await stalled;
          expect(await eventually(async () => (await sh(sandbox, 'exit 7').catch(() => null))?.exitCode === 7)).toBe(
            true,
          );
          const times = readFileSync(log, 'utf8')
            .split('\n')
            .filter((each) => each === String(id)).length;
          expect(times).toBeLessThanOrEqual(1);
          if (end === 'ended') expect(times).toBe(1);
          reported.push(end);
        }
      };
      await Promise.all(open.map(oneByOne));
      expect(reported).toHaveLength(lines * rounds);
      expect(reported).toContain('lost');
    },
  );

  it('ends what runs as lost, with what it said before, and serves the next command', async () => {
    const [line] = open;
    if (line === undefined) throw new Error('no line');
    const execution = await startExec(line.sandbox, shell('echo before; sleep 300', { env: {} }), bare);
    let said = '';
    execution.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    execution.ignore('stderr');
    await eventually(async () => said === 'before\n');
    const began = performance.now();
    line.door.stall();
    expect(await execution.exit).toMatchObject({ reason: 'lost', exitCode: null, signal: null });
    expect(performance.now() - began).toBeLessThan(noticedMs);
    expect(said).toBe('before\n');
    expect((await run(line.sandbox, ['echo', 'next'])).stdout.toString()).toBe('next\n');
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../../backends/docker/backend.ts';
import type { Backend, Limits, Sandbox } from '../../../src/backend.ts';
import { guardianCommand } from '../../../src/exec/lane/guardian.ts';
import { collect } from '../../../src/exec/collect.ts';
import type { Exit } from '../../../src/values/exit.ts';
import { LanedSandbox } from '../../../src/exec/lane/laned.ts';
import { startExec } from '../../../src/exec/start.ts';
import { dockerHost } from '../../engines/docker.ts';
import { bare, shell } from '../requests.ts';

const host = dockerHost();
const mebibyte = 1024 * 1024;

describe.skipIf(host === null).each(['caisson-test/busybox:latest', 'caisson-test/debian:latest'])(
  'in a container of %s',
  (image) => {
    let backend: Backend;
    const made: Sandbox[] = [];

    beforeAll(() => {
      backend = open({
        env: { ...process.env, DOCKER_HOST: host ?? '' },
        instance: `kill${randomBytes(6).toString('hex')}`,
      });
    });
    afterAll(async () => {
      await Promise.all(made.map((sandbox) => sandbox.destroy()));
      await backend.close();
    });

    async function create(limits: Partial<Limits>): Promise<Sandbox> {
      const id = randomBytes(6).toString('hex');
      const labels = {
        instance: 'kill',
        sandbox: `sbx_${id}`,
        task: id,
        fingerprint: 'f',
        created: new Date().toISOString(),
        schema: '1',
      };
      const hardening = {
        readOnlyRoot: false,
        seccomp: 'engine',
        runtime: null,
        shmBytes: null,
        user: 'root',
      } as const;
      const sandbox = await backend.create(
        {
          backend: 'docker',
          image,
          limits: { cpuCores: 0.5, memoryBytes: 256 * mebibyte, diskBytes: null, pids: null, ...limits },
          network: 'none',
          persistent: false,
          cwd: '/',
          mounts: [],
          hardening,
        },
        { name: `caisson-kill-${id}`, labels, directory: null, credentials: null, init: guardianCommand('kill') },
      );
      made.push(sandbox);
      return sandbox;
    }

    async function processes(sandbox: Sandbox): Promise<string> {
      const text = 'for p in /proc/[0-9]*; do read -r n <$p/comm && echo "$n"; done 2>/dev/null';
      return (await collect(await startExec(sandbox, shell(text), bare), { keepBytes: 10_000 })).stdout.text;
    }

    it('the whole tree is gone at the deadline, wherever it went (RL-10, RL-12)', async () => {
      const sandbox = await create({});
      const neighbour = await startExec(sandbox, shell('sleep 50; echo neighbour'), bare);
      const text =
        "trap '' TERM; sleep 300 & setsid sleep 301 & (setsid nohup sleep 302 >/dev/null 2>&1 &) ; while :; do sleep 303; done";
      const { exit } = await collect(await startExec(sandbox, shell(text, { timeoutMs: 1000 }), bare), {
        keepBytes: 1000,
      });
      expect(exit).toMatchObject({
        reason: 'timed-out',
        exitCode: 137,
        signal: 'SIGKILL',
        signalGuessed: true,
        survivors: [],
      });
      expect((await processes(sandbox)).match(/^sleep$/gm)).toHaveLength(1);
      await neighbour.cancel();
      expect(await neighbour.exit).toMatchObject({ reason: 'canceled', survivors: [] });
    });

    describe('a process that has cleared its environment, its session and its parent', () => {
      const hiding = '(env -i setsid sleep 304 </dev/null >/dev/null 2>&1 &); sleep 60';
      const alive = async (sandbox: Sandbox): Promise<number> => {
        const text = 'for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; echo; done 2>/dev/null';
        const { stdout } = await collect(await startExec(sandbox, shell(text), bare), { keepBytes: 10_000 });
        return (stdout.text.match(/^sleep 304 $/gm) ?? []).length;
      };
      const late = async (sandbox: Sandbox, text = hiding): Promise<Exit> =>
        (await collect(await startExec(sandbox, shell(text, { timeoutMs: 700 }), bare), { keepBytes: 1000 })).exit;

      it('is killed at the deadline where nothing else runs, and what lived before is not', async () => {
        const sandbox = new LanedSandbox(await create({}), 'kill');
        const before = '(env -i setsid sleep 305 </dev/null >/dev/null 2>&1 &) ; sleep 0.1';
        // Directly, then through a lane, then directly beside what the first command left.
        for (const first of ['true', 'true', before]) {
          await collect(await startExec(sandbox, shell(first), bare), { keepBytes: 1000 });
          expect([await late(sandbox), await alive(sandbox)]).toEqual([
            expect.objectContaining({ reason: 'timed-out', survivors: [] }),
            0,
          ]);
        }
        expect(await processes(sandbox)).toMatch(/^sleep$/m);
        sandbox.close();
      });

      it('makes the survivors unknown where another command runs, and nothing of that is killed', async () => {
        const sandbox = new LanedSandbox(await create({}), 'kill');
        const neighbour = await startExec(sandbox, shell('sleep 50'), bare);
        const exit = await late(sandbox);
        expect(exit).toMatchObject({ reason: 'timed-out', survivors: null });
        expect(exit.notes.join()).toContain('cannot be distinguished from theirs');
        expect(await alive(sandbox)).toBe(1);
        await neighbour.cancel();
        expect(await neighbour.exit).toMatchObject({ reason: 'canceled', signal: 'SIGTERM' });
        sandbox.close();
      });

      it('changes nothing of what is said where another command runs and none hides', async () => {
        const sandbox = new LanedSandbox(await create({}), 'kill');
        const neighbour = await startExec(sandbox, shell('sleep 50'), bare);
        expect(await late(sandbox, 'sleep 60')).toMatchObject({ reason: 'timed-out', survivors: [] });
        await neighbour.cancel();
        sandbox.close();
      });
    });

    it.each<readonly [string, string]>([
      ['that gives up when it finds no room', 'b() { b | b & }; (b) & while :; do :; done'],
      ['that sits still in a full table', '(while :; do sleep 600 & done); while :; do :; done'],
      // Only Debian has perl; every shell gives up sooner or later.
      ...(image.includes('debian') ? [['that never gives up', 'exec perl -e "fork while 1"'] as const] : []),
    ])('a fork bomb %s is ended, by a restart when nothing else helps (RL-01)', async (_what, text) => {
      const sandbox = await create({ pids: 64 });
      const bomb = await startExec(sandbox, shell(text, { timeoutMs: 2000 }), bare);
      bomb.ignore();
      const exit = await bomb.exit;
      // The notes are compared too, so that a failure shows why.
      expect([exit.reason, exit.survivors, exit.notes]).toEqual(['timed-out', [], expect.any(Array)]);
      expect((await processes(sandbox)).trim().split('\n').length).toBeLessThan(6);
    });
  },
);

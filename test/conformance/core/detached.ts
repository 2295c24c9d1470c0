import { expect } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { killProcess, waitForProcess } from '../../../src/exec/detached/end.ts';
import { followProcess } from '../../../src/exec/detached/follow.ts';
import { findProcess, type ProcessDirectory, listProcesses } from '../../../src/exec/detached/list.ts';
import { checkRequest } from '../../../src/exec/request.ts';
import { startDetached } from '../../../src/exec/detached/start.ts';
import { requestFor, shell, where } from '../../exec/requests.ts';
import { forgetKept, sh } from '../command.ts';
import type { Place } from '../place.ts';
import type { Suite } from '../suite.ts';

/** On the contract and core alone: every place that can run a shell must carry them. */
export function detachedCases(suite: Suite): void {
  suite.test('detached.survives', 'keeps a process, its output and its status for another service', async (place) => {
    const sandbox = await place.create();
    // It goes on when it is asked to: a busy place may take long to look.
    const go = `/tmp/conformance-${place.instance}-go`;
    const request = shell(`echo one; until [ -e ${go} ]; do sleep 0.05; done; echo two; echo err >&2; exit 9`);
    expect(await startDetached(keptBy(place, sandbox), request)).toBe(true);
    const again = await (await place.another()).attach(sandbox.ref);
    const kept = keptBy(place, again);
    expect(await startDetached(kept, request)).toBe(false);
    expect(await findProcess(kept, request.execId)).toMatchObject({ state: 'running', supervised: true });
    expect((await sh(again, `: >${go}`)).exitCode).toBe(0);
    expect(await waitForProcess(kept, request.execId)).toMatchObject({ state: 'exited', exitCode: 9 });
    expect(await read(kept, request.execId)).toEqual({ stdout: 'one\ntwo\n', stderr: 'err\n' });
    await sh(again, `rm ${go}`);
    await forgetKept(again, place.instance);
    await place.destroy(sandbox);
  });

  suite.test('detached.resume', 'goes on after every event without a byte lost or doubled', async (place) => {
    const sandbox = await place.create();
    const kept = keptBy(place, sandbox);
    const request = shell(
      'i=0; while [ $i -lt 30 ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); sleep 0.05; done',
    );
    await startDetached(kept, request);
    const said = { stdout: '', stderr: '' };
    let [after, over] = [0, false];
    while (!over) {
      // Every reader leaves after one event.
      for await (const { seq, event } of followProcess(kept, request.execId, {
        after,
        follow: true,
        where,
        cwd: '/',
      })) {
        after = seq;
        if (event.type === 'stdout' || event.type === 'stderr') said[event.type] += Buffer.from(event.bytes).toString();
        over = event.type === 'exit';
        break;
      }
    }
    const lines = (word: string): string => Array.from({ length: 30 }, (_, index) => `${word} ${index}\n`).join('');
    expect(said).toEqual({ stdout: lines('out'), stderr: lines('err') });
    await forgetKept(sandbox, place.instance);
    await place.destroy(sandbox);
  });

  suite.test(
    'detached.environment',
    'gives a process its environment as it is, and finds it whatever that says',
    async (place) => {
      const sandbox = await place.create();
      const kept = keptBy(place, sandbox);
      const env: Readonly<Record<string, string>> = {
        HOME: '/conformance home',
        XDG_STATE_HOME: '/nowhere',
        PATH: '/conformance:/usr/bin:/bin',
        id: '1',
        at: '2',
        old: '3',
        base: '4',
        p: '5',
        n: '6',
        s: '7',
        a: '8',
        meta: '9',
        IFS: 'x',
      };
      const request = requestFor(['/bin/cat', '/proc/self/environ'], { env });
      expect(await startDetached(kept, request)).toBe(true);
      expect(await startDetached(kept, checkRequest({ ...request, env: {} }))).toBe(false);
      expect(await waitForProcess(kept, request.execId)).toMatchObject({ state: 'exited', exitCode: 0 });
      const seen = (await read(kept, request.execId)).stdout.split('\0');
      for (const [name, value] of Object.entries(env)) expect(seen).toContain(`${name}=${value}`);
      expect(seen.filter((entry) => entry.startsWith('_cz_'))).toEqual([]);
      await forgetKept(sandbox, place.instance);
      await place.destroy(sandbox);
    },
  );

  suite.test('detached.kill', 'ends the tree of a process by its id, and leaves others alone', async (place) => {
    const sandbox = await place.create();
    const kept = keptBy(place, sandbox);
    const [first, second] = [shell('sleep 300 & sleep 300'), shell('sleep 2; echo fine')];
    await startDetached(kept, first);
    await startDetached(kept, second);
    await expect.poll(async () => (await findProcess(kept, first.execId)).pid, { timeout: 20_000 }).not.toBeNull();
    expect(await killProcess(kept, first.execId, null)).toMatchObject({
      survivors: [],
      process: { state: 'exited', exitCode: 143 },
    });
    expect(await waitForProcess(kept, second.execId)).toMatchObject({ state: 'exited', exitCode: 0 });
    expect(await listProcesses(kept)).toHaveLength(2);
    await forgetKept(sandbox, place.instance);
    await place.destroy(sandbox);
  });
}

/** A key tells them apart, since several sandboxes of a place may share a home. */
function keptBy(place: Place, sandbox: Sandbox): ProcessDirectory {
  return { sandbox, key: place.instance };
}

async function read(kept: ProcessDirectory, id: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const said = { stdout: '', stderr: '' };
  for await (const { event } of followProcess(kept, id, { after: 0, follow: true, where, cwd: '/' }))
    if (event.type === 'stdout' || event.type === 'stderr') said[event.type] += Buffer.from(event.bytes).toString();
  return said;
}

/** The pool on real engines: a task gets from it what it would have got without, and nothing of another task. */
import { request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { doorOf } from '../../src/egress/places.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { type Home, makeHome } from './home.ts';
import { askFor, Origins } from './origins.ts';
import { type OnPlace, onPlace, openPooled, pooledHere } from './pool-places.ts';

const modes = ['none', 'open', 'filtered'] as const;
type Mode = (typeof modes)[number];
const canary = 'canary-8b1f02';

/** What a command can tell of its sandbox. Processes and names of the machine differ between any two. */
const seen = 'id; pwd; umask; ls -A / /workspace /tmp; env | grep -v CAISSON_EXEC | sort';

/** Every place in which a command can leave something, and every process with its variables. */
const pattern = canary.replace('8b', '8[b]'); // the command that looks is not found
const search =
  `grep -rl ${pattern} /workspace /root /tmp /run /var/tmp /dev/shm "$HOME/.caisson" "$CAISSON_CREDENTIALS" /etc 2>/dev/null; ` +
  `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep ${pattern}; env | grep ${pattern}; ls -A "$CAISSON_CREDENTIALS"`;

let origins: Origins;
beforeAll(async () => void (origins = await Origins.open('10.231.83')));
afterAll(async () => await origins[Symbol.asyncDispose]());

describe.skipIf(pooledHere.length === 0).each(pooledHere)('the pool on %s', (backend) => {
  let on: OnPlace;
  let home: Home;
  let caisson: Caisson;

  beforeAll(async () => {
    on = await onPlace(backend);
    home = await makeHome();
    const places = [2, 3].map((number) => `"${origins.place(number)}"`);
    const more = `network: {allow_private: [${places.join(', ')}], allow: [${places[0]}]}\n`;
    const entries = modes.map((mode) => `${mode}: {size: 1, network: ${mode}}`).join(', ');
    caisson = await openPooled(home, on, { backend, entries, more });
  }, 120_000);
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
    on.remove();
  }, 60_000);

  const sh = async (taskId: string, script: string, more = {}): Promise<string> =>
    (await caisson.run({ taskId, existing: true, command: ['sh', '-c', script], ...more })).stdout.text;
  const members = async () => (await caisson.sandboxes.list({ pool: true })).items;

  /** The sandbox, and how the pool has answered. */
  async function created(taskId: string, network: Mode) {
    const phases: string[] = [];
    const onTimed = (phase: string): void => void phases.push(phase);
    const { sandbox } = await caisson.sandboxes.create({ taskId, network }, { onTimed });
    return { id: sandbox.id, pool: phases.find((phase) => phase.startsWith('pool')) };
  }

  /** An answer of the door from outside of the sandbox: its commands cannot get out in another way. */
  async function throughDoor(sandboxId: string, place: string): Promise<number | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const socketPath = join(doorOf(home.path, sandboxId), 'door');
    const asked = request({ socketPath, path: `http://${place}/`, headers: { host: place } }, (answer) => {
      void textOf(answer).then(() => resolve(answer.statusCode), reject);
    });
    asked.once('error', reject).end();
    return await promise;
  }

  it('makes members that let nothing out, whatever the configuration allows', async () => {
    expect((await caisson.pool.fill()).map(({ ready, error }) => [ready, error])).toEqual(modes.map(() => [1, null]));
    const filtered = (await members()).find(({ spec }) => spec.network === 'filtered');
    expect(filtered?.directory).toContain(filtered?.id);
    const before = origins.dials(origins.address(2));
    expect(await throughDoor(filtered?.id ?? '', origins.place(2))).toBe(403);
    expect(origins.dials(origins.address(2))).toBe(before);
  });

  it.each(modes)('gives one with network %s that equals a fresh sandbox, control by control', async (network) => {
    // Another try finds those of the first.
    const names = [`claimed-${network}`, `fresh-${network}`];
    for (const taskId of names) await caisson.sandboxes.remove(taskId).catch(() => undefined);
    await caisson.pool.fill();
    const ids = (await members()).map(({ id }) => id);
    const claimed = await created(`claimed-${network}`, network);
    const fresh = await created(`fresh-${network}`, network);
    expect([claimed.pool, fresh.pool]).toEqual(['pool', 'pool-empty']);
    expect(ids).toContain(claimed.id);
    expect(await readlink(join(home.path, `sandboxes/${backend}/tasks/claimed-${network}`))).toBe(`../${claimed.id}`);
    // A busy host may cut a measurement short; the next verb that needs the sandbox measures again.
    const measured = async (id: string) => {
      await caisson.sandboxes.start(id);
      return await caisson.sandboxes.get(id);
    };
    await vi.waitFor(
      async () => expect(comparable(await measured(claimed.id))).toEqual(comparable(await measured(fresh.id))),
      20_000,
    );
    const [own, other] = [await caisson.sandboxes.get(claimed.id), await caisson.sandboxes.get(fresh.id)];
    // A place that shows files of credentials by a mount has their directory ready before the task declares any.
    const more = targets(own).filter((target) => !targets(other).includes(target));
    expect(more).toEqual(backend === 'docker' ? ['/root/.caisson'] : []);
    expect(await sh(claimed.id, seen)).toBe(await sh(fresh.id, seen));
  });

  it('binds the rules of the task to the door of its sandbox', async () => {
    const answers = await sh('claimed-filtered', `${askFor(origins.place(2))}; ${askFor(origins.place(3))}`);
    expect(answers).toContain(`from ${origins.address(2)}`);
    expect(answers).toContain('HTTP/1.1 403');
  });

  it('shows a task nothing of those before it: no file, variable, process, rule or credential', async () => {
    await mkdir(join(home.path, 'mail'));
    await writeFile(join(home.path, 'mail/SKILL.md'), '---\nrequired_credential_files:\n  - path: mail.json\n---\n');
    await writeFile(join(home.path, 'mail.json'), `{"token": "${canary}"}`);
    const leave = `for d in /workspace /root /tmp /run /dev/shm; do echo ${canary} 2>/dev/null >$d/left; done; (sleep 300; echo ${canary}) >/dev/null 2>&1 & cat "$CAISSON_CREDENTIALS/mail.json" | wc -c; cat $(find / -name left 2>/dev/null) | wc -l`;
    await caisson.pool.fill();
    const how = { env: { CANARY: canary }, skills: [join(home.path, 'mail')] };
    expect(await sh('claimed-filtered', leave, how)).toMatch(/^26\n[345]\n$/);
    await caisson.network.change('claimed-filtered', { allow: [origins.place(3)] });
    expect(await sh('claimed-filtered', askFor(origins.place(3)))).toContain(`from ${origins.address(3)}`);
    expect(await sh('claimed-filtered', search)).toContain('mail.json');

    expect((await created('beside', 'filtered')).pool).toBe('pool');
    await caisson.sandboxes.remove('claimed-filtered');
    await caisson.pool.fill();
    expect((await created('after', 'filtered')).pool).toBe('pool');
    for (const task of ['beside', 'after']) {
      expect(await sh(task, search)).toBe('');
      expect(await sh(task, askFor(origins.place(3)))).toContain('HTTP/1.1 403');
    }
  });

  it('is passed by a task with kept files', async () => {
    await sh('claimed-none', 'echo kept >/workspace/note');
    await caisson.sandboxes.remove('claimed-none', { keepFiles: true });
    await caisson.pool.fill();
    expect((await created('claimed-none', 'none')).pool).toBe('pool-files');
    expect(await sh('claimed-none', 'cat /workspace/note')).toBe('kept\n');
  });

  it('leaves nothing of members and tasks', async () => {
    const standing = (await members()).length;
    expect([standing, await caisson.pool.drain()]).toEqual([expect.any(Number), { removed: standing }]);
    for (const { taskId } of (await caisson.sandboxes.list()).items) await caisson.sandboxes.remove(taskId);
    await caisson.close();
    caisson = await home.open({}, on.env);
    expect(await caisson.sandboxes.gc({ dryRun: true })).toEqual([]);
    expect(await readdir(join(home.path, `sandboxes/${backend}`))).toEqual(['tasks']);
  });
});

type View = Awaited<ReturnType<Caisson['sandboxes']['get']>>;

/** A sandbox of singularity whose network is open has that of this host, whose interfaces come and go. */
function comparable({ spec, degraded, fingerprint, effective, labels, idleTimeoutMs, lifetimeMs, noLanes }: View) {
  const { mounts: _mounts, interfaces, ...measured } = effective ?? {};
  const isOfHost = spec.backend === 'singularity' && spec.network === 'open';
  const controls = isOfHost ? measured : { ...measured, interfaces };
  return { spec, degraded, fingerprint, controls, labels, idleTimeoutMs, lifetimeMs, noLanes };
}

function targets({ effective }: View): readonly unknown[] {
  const mounts: unknown = effective?.['mounts'];
  return Array.isArray(mounts) ? mounts.map((mount: unknown) => Reflect.get(Object(mount), 'target')) : [];
}

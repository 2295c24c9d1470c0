/**
 * A container that the version before has made, with a session and detached processes of its time, under this version. Its first
 * process and scripts are the fixture; its row in the store and its files are those of any home.
 */
import { execFile } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { connect } from '../engines/engine-api.ts';
import earlier from '../fixtures/earlier/scripts.json' with { type: 'json' };
import { heldNames } from '../../src/exec/detached/scripts.ts';
import { type Home, makeHome } from './home.ts';

const taskId = 'build';
const [toWaitFor, toKill] = ['exec_earlier_ends', 'exec_earlier_stays'];
const commands = {
  [toWaitFor]: 'echo one; until [ -e /workspace/go ]; do sleep 0.1; done; echo two; exit 9',
  [toKill]: 'sleep 300',
};

let home: Home;
let container: string;
let caisson: Caisson;

beforeAll(async () => {
  home = await makeHome();
  const first = await home.open();
  const { where } = await first.run({ taskId, command: ['true'] });
  // Their rows; the processes end with the container.
  for (const execId of [toWaitFor, toKill]) await first.processes.start({ taskId, execId, command: ['sleep', '300'] });
  await first.close();
  container = await madeAnew(where.resource ?? '');
  await inside(['rm', '-rf', '/root/.local/state/caisson/processes']);
  for (const [id, text] of Object.entries(commands)) await startDetached(id, text);
  await openSession('old', 'x=kept; cd /tmp');
  caisson = await home.open();
}, 120_000);
afterAll(async () => await home[Symbol.asyncDispose](), 60_000);

/** The container of the id, with the first process of the version before. */
async function madeAnew(id: string): Promise<string> {
  const engine = connect(home.env['DOCKER_HOST'] ?? '');
  const { Name, Config, HostConfig } = await engine.getContainer(id).inspect();
  await engine.getContainer(id).remove({ force: true });
  const made = await engine.createContainer({ ...Config, HostConfig, name: Name.slice(1), Cmd: earlier.guardian });
  await made.start();
  const store = new DatabaseSync(join(home.path, 'caisson.db'));
  store.prepare('UPDATE sandboxes SET ref = replace(ref, ?, ?)').run(id, made.id);
  store.close();
  return made.id;
}

async function inside(command: readonly string[], env = 'CAISSON_EXEC=', input = ''): Promise<void> {
  const child = promisify(execFile)('docker', [
    ...['-H', home.env['DOCKER_HOST'] ?? '', 'exec', '-i', '-e', env, container],
    ...command,
  ]);
  child.child.stdin?.end(input);
  await child;
}

async function startDetached(id: string, text: string): Promise<void> {
  const command = ['sh', '-c', text];
  const settings = ['', id, '2048', '60', JSON.stringify(command), '', heldNames.join(' ')];
  const start = ['sh', '-c', earlier.detach.start, 'caisson-detach', ...settings, earlier.detach.supervisor];
  await inside([...start, ...command], 'CAISSON_EXEC=detach');
}

/** Its shell ends with its client, and leaves its state. */
async function openSession(name: string, text: string): Promise<void> {
  const values: Readonly<Record<string, string>> = { KEY: '', NONCE: 'NONCE', NAME: name };
  const command = earlier.session.map((word) => values[word] ?? word);
  const request = `_cz_X='${text}' _cz_G='' _cz_T='' #.\nM NONCE2 #.\n`;
  // 77 is the end of its input.
  await inside(['sh', '-c', '"$@"; [ $? = 77 ]', 'session', ...command], 'CAISSON_EXEC=session', request);
}

describe('a container of the version before', () => {
  it('is taken over as it is: commands run in it, alone and together', async () => {
    for (let code = 0; code < 6; code += 1) {
      const { where, exit } = await caisson.run({ taskId, command: ['sh', '-c', `exit ${code}`] });
      expect([where.resource, exit.exitCode, exit.notes]).toEqual([container, code, []]);
    }
    const words = ['a', 'b', 'c', 'd'];
    const together = await Promise.all(words.map((word) => caisson.run({ taskId, command: ['echo', word] })));
    expect(together.map(({ stdout }) => stdout.text)).toEqual(words.map((word) => `${word}\n`));
  });

  it('has its detached processes: they are listed, followed, waited for and killed', async () => {
    const listed = await caisson.processes.list({ task: taskId });
    expect(listed).toHaveLength(2);
    for (const id of [toWaitFor, toKill])
      expect(listed).toContainEqual(expect.objectContaining({ id, state: 'running' }));
    await caisson.files.write({ task: taskId, path: '/workspace/go', bytes: Buffer.alloc(0) });
    expect(await caisson.processes.wait(toWaitFor)).toMatchObject({ state: 'exited', exitCode: 9 });
    const said: Uint8Array[] = [];
    for await (const { event } of caisson.execs.logs(toWaitFor, {}))
      if (event.type === 'stdout') said.push(event.bytes);
    expect(Buffer.concat(said).toString()).toBe('one\ntwo\n');
    expect(await caisson.processes.kill(toKill)).toMatchObject({ process: { state: 'exited' }, survivors: [] });
  });

  it('has the state of its session', async () => {
    expect(await caisson.sessions.open({ taskId, name: 'old' })).toMatchObject({ restored: true });
    const { stdout, exit } = await caisson.sessions.run({ taskId, name: 'old', text: 'echo "$x $PWD"' });
    expect([stdout.text, exit.exitCode]).toEqual(['kept /tmp\n', 0]);
  });

  it('is stopped, started and removed', async () => {
    await caisson.sandboxes.stop(taskId);
    await caisson.sandboxes.start(taskId);
    const { where, exit } = await caisson.run({ taskId, command: ['sh', '-c', 'exit 4'] });
    expect([where.resource, exit.exitCode]).toEqual([container, 4]);
    await caisson.sandboxes.remove(taskId);
    expect(await home.containers()).toEqual([]);
  });
});

/** What the version before has started, in the shells of this host, under this version. Its scripts are the fixture. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/backend.ts';
import { killProcess, waitForProcess } from '../../src/exec/detached/end.ts';
import { followProcess } from '../../src/exec/detached/follow.ts';
import { findProcess, type ProcessDirectory } from '../../src/exec/detached/list.ts';
import { heldNames } from '../../src/exec/detached/scripts.ts';
import { LanedSandbox } from '../../src/exec/lane/laned.ts';
import { run } from '../conformance/command.ts';
import earlier from '../fixtures/earlier/scripts.json' with { type: 'json' };
import { shellDirectory, shells } from './kill/shells.ts';
import { newExecId, where } from './requests.ts';
import { openSession, say } from './session/shell.ts';
import { spawnedSandbox } from './spawned-sandbox.ts';

const home = mkdtempSync(join(tmpdir(), 'caisson-earlier-'));
afterAll(() => rmSync(home, { recursive: true }));

type Command = readonly [string, ...string[]];

const filled = (words: readonly string[], values: Readonly<Record<string, string>>): Command => {
  const [program = 'sh', ...rest] = words.map((word) => values[word] ?? word);
  return [program, ...rest];
};

describe.each(shells)('in %s, of the version before', (shell) => {
  const place = shellDirectory(shell);
  afterAll(() => place.remove());
  const inner = spawnedSandbox(place.path);
  const sandbox: Sandbox = {
    ...inner,
    exec: async (command, options) =>
      await inner.exec(command, { ...options, env: { HOME: join(home, shell), ...options.env } }),
  };
  const kept: ProcessDirectory = { sandbox, key: '', signal: undefined };

  async function detached(text: string): Promise<string> {
    const id = newExecId();
    const settings = ['', id, '2048', '60', JSON.stringify(['sh', '-c', text]), '', heldNames.join(' ')];
    const command = [
      'sh',
      '-c',
      earlier.detach.start,
      'caisson-detach',
      ...settings,
      earlier.detach.supervisor,
    ] as const;
    expect((await run(sandbox, [...command, 'sh', '-c', text], { env: { CAISSON_EXEC: 'detach' } })).exitCode).toBe(0);
    return id;
  }

  it('a detached process is found, read and waited for', async () => {
    const id = await detached('echo one; sleep 0.5; echo two; exit 9');
    expect(await findProcess(kept, id)).toMatchObject({ state: 'running', supervised: true });
    expect(await waitForProcess(kept, id)).toMatchObject({ state: 'exited', exitCode: 9 });
    const said: string[] = [];
    for await (const { event } of followProcess(kept, id, { after: 0, follow: false, where, cwd: '/' }))
      if (event.type === 'stdout') said.push(Buffer.from(event.bytes).toString());
    expect(said.join('')).toBe('one\ntwo\n');
  });

  it('a detached process is killed', async () => {
    const id = await detached('sleep 300');
    const { process, survivors } = await killProcess(kept, id, null);
    expect([process.state, survivors]).toEqual(['exited', []]);
  });

  it('a session is taken up with its state', async () => {
    const words = filled(earlier.session, { KEY: '', NONCE: 'NONCE', NAME: 'old' });
    const process = await sandbox.exec(words, { cwd: '/', env: { CAISSON_EXEC: 'session' }, stdin: true });
    for (const stream of [process.stdout, process.stderr]) stream.resume();
    process.stdin?.write("_cz_X='x=kept; cd /tmp' _cz_G='' _cz_T='' #.\nM NONCE2 #.\n");
    await sleep(500);
    process.stdin?.end();
    await process.wait();
    const { session, opened } = await openSession(sandbox, 'old');
    expect(opened.restored).toBe(true);
    expect(await say(session, 'echo "$x $PWD"')).toMatchObject({ code: 0, out: 'kept /tmp\n' });
    session.close();
  });

  it('a first process keeps its sandbox, and commands run beside it', async () => {
    const first = await sandbox.exec(filled(earlier.guardian, {}), { cwd: '/', env: {}, stdin: true });
    let hasEnded = false;
    void first.wait().then(() => (hasEnded = true));
    const laned = new LanedSandbox(sandbox, null);
    for (let index = 0; index < 3; index += 1)
      expect(await run(laned, ['sh', '-c', `echo ${index}; exit ${index}`])).toMatchObject({ exitCode: index });
    expect(hasEnded).toBe(false);
    laned.close();
    await first.kill('SIGKILL');
  });
});

/** Commands of another user of the sandbox: what starts them, and what ends them, is of that user. */
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/backend.ts';
import { collect } from '../../src/exec/collect.ts';
import { LanedSandbox } from '../../src/exec/lane/laned.ts';
import { startExec } from '../../src/exec/start.ts';
import { bare, shell } from './requests.ts';
import { spawnedSandbox } from './spawned-sandbox.ts';

const user = 'app:users';

/** Names the user in the environment of its commands, and counts what root starts. */
function withUsers(plain: Sandbox = spawnedSandbox()): { readonly sandbox: Sandbox; readonly asked: string[] } {
  const asked: string[] = [];
  const exec =
    (name: string): Sandbox['exec'] =>
    (command, options) => {
      asked.push(name);
      return plain.exec(command, { ...options, env: { ...options.env, RUN_BY: name } });
    };
  return { asked, sandbox: { ...plain, exec: exec('root'), users: { as: (name) => ({ exec: exec(name) }) } } };
}

const run = async (sandbox: Sandbox, request: ReturnType<typeof shell>) =>
  await collect(await startExec(sandbox, request, bare), { keepBytes: 1000 });

describe.each([
  ['a sandbox', (sandbox: Sandbox) => sandbox],
  ['a sandbox with lanes', (sandbox: Sandbox) => new LanedSandbox(sandbox, null)],
])('in %s', (_where, wrapped) => {
  it('a command runs as the user of its request, and others do not', async () => {
    const { sandbox, asked } = withUsers();
    const place = wrapped(sandbox);
    const text = 'printf %s "$RUN_BY"';
    expect((await run(place, shell(text, { user }))).stdout.text).toBe(user);
    expect(asked).toEqual([user]);
    expect((await run(place, shell(text))).stdout.text).toBe('root');
  });

  it('what is killed is looked for and ended by the same user', async () => {
    const { sandbox, asked } = withUsers();
    const text = "(trap '' TERM; while :; do sleep 0.1; done) & sleep 300";
    const { exit } = await run(wrapped(sandbox), shell(text, { user, timeoutMs: 300 }));
    expect(exit).toMatchObject({ reason: 'timed-out', survivors: [] });
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked)).toEqual(new Set([user]));
  });

  it('a command with a user is refused where there are no users to choose from, and is not run', async () => {
    const started = startExec(wrapped(spawnedSandbox()), shell('exit 3', { user }), bare);
    await expect(started).rejects.toMatchObject({
      code: 'not_supported',
      remedy: expect.stringContaining('leave out'),
    });
  });

  it('a terminal for a user is refused where the place has none', async () => {
    const started = startExec(
      wrapped(withUsers().sandbox),
      shell('exit 3', { user, tty: { columns: 80, rows: 24 } }),
      bare,
    );
    await expect(started).rejects.toMatchObject({ code: 'not_supported' });
  });
});

it('the command of a user never goes through a lane', async () => {
  const { sandbox } = withUsers();
  const laned = new LanedSandbox(sandbox, null);
  for (let index = 0; index < 3; index += 1) await run(laned, shell('true'));
  expect((await run(laned, shell('printf %s "$RUN_BY"', { user }))).stdout.text).toBe(user);
  laned.close();
});

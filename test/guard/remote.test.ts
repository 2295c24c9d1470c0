/** Questions about commands of clients of the service. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Caller } from '../../src/values/caller.ts';
import type { Guard } from '../../src/guard/open.ts';
import { call, configured, directories, guardOn } from './world.ts';

const risky = 'rm -rf ./build';
const agent: Caller = { owner: 'operator', token: 'tok_agent' };
const person: Caller = { owner: 'operator', token: 'tok_person' };

interface RemoteCall {
  readonly caller?: Caller;
  readonly waits?: boolean;
  readonly signal?: AbortSignal;
  readonly execId?: string;
  readonly command?: string;
}

/** The code and the details of the refusal; `null` when it passes. */
async function ask(
  guard: Guard,
  { caller = agent, waits = true, signal, execId = 'exec_1', command = risky }: RemoteCall,
) {
  const ids: string[] = [];
  const question = { waits, onAsked: (id: string) => ids.push(id) };
  const outcome = await guard.gate.admit(call(command, { execId }), { caller, question, signal }).then(
    () => null,
    (error: { readonly code: string; readonly details: Readonly<Record<string, unknown>> }) => error,
  );
  return { code: outcome?.code ?? null, details: outcome?.details ?? {}, ids };
}

async function open(config = 'approvals: {remote_timeout: 30}'): Promise<Guard> {
  const guard = await guardOn(configured(config), { approver: 'queue' });
  onTestFinished(() => guard.approvals.close());
  return guard;
}

async function questionIn(guard: Guard): Promise<string> {
  await expect.poll(async () => (await guard.queue.list()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  return (await guard.queue.list()).at(-1)?.id ?? '';
}

const by = (caller: Caller) => ({ name: 'x', env: {}, caller });

describe('a question of a client', () => {
  it('may not be answered by the token that asked, and may by another one (AP-05)', async () => {
    const guard = await open();
    const waiting = ask(guard, {});
    const id = await questionIn(guard);
    await expect(guard.queue.answer(id, 'once', by(agent))).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(guard.queue.answer(id, 'deny', by(agent))).rejects.toMatchObject({ code: 'permission_denied' });
    await guard.queue.answer(id, 'once', by(person));
    expect(await waiting).toMatchObject({ code: null, ids: [id] });
  });

  it('does not exist for another owner', async () => {
    const guard = await open();
    const waiting = ask(guard, {});
    const id = await questionIn(guard);
    const stranger: Caller = { owner: 'other', token: 'tok_other' };
    expect(await guard.queue.list(stranger)).toEqual([]);
    await expect(guard.queue.get(id, stranger)).rejects.toMatchObject({ code: 'not_found' });
    await expect(guard.queue.answer(id, 'once', by(stranger))).rejects.toMatchObject({ code: 'not_found' });
    await guard.queue.answer(id, 'deny', by(person));
    expect(await waiting).toMatchObject({ code: 'policy_denied' });
  });

  it('of any owner is there for the command line of the user who has the state directory', async () => {
    const guard = await open();
    const waiting = ask(guard, { caller: { owner: 'alice', token: 'tok_alice' } });
    const id = await questionIn(guard);
    const holder: Caller = { owner: 'operator', token: 'tok_answer', holdsHome: true };
    expect((await guard.queue.list(holder)).map((row) => row.id)).toEqual([id]);
    await guard.queue.answer(id, 'once', by(holder));
    expect(await waiting).toMatchObject({ code: null });
  });

  it('is refused at once with its id when the client does not wait, and the repeated call goes on', async () => {
    const guard = await open();
    const first = await ask(guard, { waits: false });
    const [id] = first.ids;
    expect(first).toMatchObject({ code: 'approval_required', details: { approvalId: id } });
    expect(await ask(guard, { waits: false })).toMatchObject({
      code: 'approval_required',
      details: { approvalId: id },
    });
    await guard.queue.answer(id ?? '', 'once', by(person));
    await expect.poll(async () => (await ask(guard, { waits: false })).code).toBeNull();
    // "once" is used up by it.
    expect((await ask(guard, { waits: false })).details['approvalId']).not.toBe(id);
  });

  it('that was not waited for is answered to no other token and no other exec', async () => {
    const guard = await open();
    const { ids } = await ask(guard, { waits: false });
    await guard.queue.answer(ids[0] ?? '', 'once', by(person));
    await expect.poll(async () => (await guard.queue.list()).length).toBe(0);
    const other = await ask(guard, { waits: false, caller: { owner: 'operator', token: 'tok_second' } });
    expect(other.code).toBe('approval_required');
    expect((await ask(guard, { waits: false, execId: 'exec_2' })).code).toBe('approval_required');
    expect((await ask(guard, { waits: false })).code).toBeNull();
  });

  it('waits longer than one on a terminal: for approvals.remote_timeout', async () => {
    const guard = await open('approvals: {timeout: 0.05, remote_timeout: 0.4}');
    const startedMs = performance.now();
    expect(await ask(guard, {})).toMatchObject({ code: 'approval_required', details: { reason: 'timed-out' } });
    expect(performance.now() - startedMs).toBeGreaterThan(390);
  });

  it('is a refusal when the client goes away, and cannot be answered afterwards', async () => {
    const guard = await open();
    const gone = new AbortController();
    const waiting = ask(guard, { signal: gone.signal });
    const id = await questionIn(guard);
    gone.abort();
    expect((await waiting).code).toBe('canceled');
    await expect(guard.queue.answer(id, 'once', by(person))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is refused for good when the service closes, and not put again', async () => {
    const guard = await open();
    const waiting = ask(guard, {});
    const id = await questionIn(guard);
    guard.approvals.close();
    expect(await waiting).toMatchObject({ code: 'approval_required', details: { reason: 'lost' }, ids: [id] });
    expect(await guard.queue.list()).toEqual([]);
    expect(await guard.queue.get(id, person)).toMatchObject({ state: 'denied' });
    expect(await ask(guard, { waits: false })).toMatchObject({ details: { reason: 'lost' }, ids: [] });
  });

  it('does not wait behind the questions of others', async () => {
    const guard = await open();
    const all = ['a', 'b', 'c'].map((name) => ask(guard, { execId: `exec_${name}`, command: `rm -rf ./${name}` }));
    await expect.poll(async () => (await guard.queue.list()).length, { timeout: 20_000 }).toBe(3);
    for (const { id } of (await guard.queue.list()).toReversed()) await guard.queue.answer(id, 'once', by(person));
    expect((await Promise.all(all)).map(({ code }) => code)).toEqual([null, null, null]);
  });

  it('is not put at all beyond 32 of a task', async () => {
    const guard = await open();
    for (let count = 0; count < 32; count++) await ask(guard, { waits: false, execId: `exec_${count}` });
    expect(await ask(guard, { waits: false, execId: 'exec_more' })).toMatchObject({ details: { reason: 'too-many' } });
  });

  it('answered with "always" saves a rule in the store, and leaves config.yaml as it is', async () => {
    const made = directories();
    const guard = await guardOn(made, { approver: 'queue' });
    const waiting = ask(guard, { command: 'git push --force' });
    const id = await questionIn(guard);
    const { question } = await guard.queue.get(id, person);
    expect(question['choices']).toContain('always');
    await guard.queue.answer(id, 'always', by(person));
    expect((await waiting).code).toBeNull();
    expect((await ask(guard, { execId: 'exec_2', command: 'git push --force' })).code).toBeNull();
    const { existsSync } = await import('node:fs');
    expect(existsSync(`${made.home}/config.yaml`)).toBe(false);
  });
});

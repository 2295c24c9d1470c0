/** The nouns of a client, beside execs: what they answer is what the library answers. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaissonClient } from '../../src/client/index.ts';
import { toCaissonError } from '../../src/errors.ts';
import type { CaissonApi } from '../../src/service/api.ts';
import { openClientWorld, textOf, type ClientWorld } from './world.ts';

let at: ClientWorld;
let client: CaissonClient;
let api: CaissonApi;
beforeAll(async () => {
  at = await openClientWorld({ config: 'approvals: {mode: "off"}' });
  client = at.client;
  api = at.world.api;
  await client.sandboxes.create({ task: 'build', labels: { team: 'a' } });
});
afterAll(async () => await at[Symbol.asyncDispose]());

const place = (name: string): string => join(at.world.root, name);
const sh = (text: string): readonly [string, ...string[]] => ['sh', '-c', text];
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a bad task id', () => {
  const said = async (work: Promise<unknown>): Promise<object> =>
    await work.then(
      () => expect.unreachable(),
      (error: unknown) => toCaissonError(error).toJSON(),
    );

  it.each(['Bad Id', '../x', '', 'x'.repeat(64)])('is refused in the words of the library: %j', async (taskId) => {
    const byLibrary = await said(api.sandboxes.create({ taskId }));
    expect(byLibrary).toMatchObject({ message: expect.stringContaining('is not a task id'), details: {} });
    expect(await said(client.sandboxes.create({ taskId }))).toEqual(byLibrary);
    expect(await said(client.run({ taskId, command: ['true'] }))).toEqual(byLibrary);
    expect(await said(client.run({ taskId, code: { language: 'bash', text: 'true' } }))).toEqual(byLibrary);
  });

  it('has its place in the answer, which names all places where there are several', async () => {
    const answer = await at.world.ask('/v1/sandboxes', { body: { taskId: 'Bad Id' } });
    const detail = '"Bad Id" is not a task id';
    expect(await answer.json()).toMatchObject({ detail, errors: [{ pointer: '/body/taskId', detail }] });
    const twice = await at.world.ask('/v1/sandboxes', { body: { taskId: 'Bad Id', surplus: 1 } });
    expect(await twice.json()).toMatchObject({
      detail: `/body/taskId: ${detail}`,
      errors: [{ pointer: '/body/taskId' }, { pointer: '/body/surplus' }],
    });
  });
});

describe('a task with two names', () => {
  it('is refused by the service before anything is made', async () => {
    for (const [path, rest] of Object.entries({
      '/v1/sandboxes': {},
      '/v1/execs': { command: ['true'] },
      '/v1/processes': { command: ['true'] },
    })) {
      const answer = await at.world.ask(path, { body: { task: 'build', taskId: 'other', ...rest } });
      expect([answer.status, await answer.json()]).toMatchObject([422, { code: 'invalid_argument' }]);
    }
    const without = await at.world.ask('/v1/sandboxes', { body: {} });
    expect(await without.json()).toMatchObject({ errors: [{ pointer: '/body/task', detail: 'it names no task' }] });
    expect((await api.sandboxes.list()).items.map(({ taskId }) => taskId)).toEqual(['build']);
  });
});

describe('sandboxes', () => {
  it('are made, found, listed, changed, stopped, started and removed, as by the library', async () => {
    const made = await client.sandboxes.create({ taskId: 'life' });
    expect(made).toMatchObject({ how: 'created', lostSince: null, sandbox: { taskId: 'life', state: 'ready' } });
    const hidden = { directory: null, spec: expect.anything() };
    expect({ ...(await client.sandboxes.get('life')), ...hidden }).toEqual({
      ...(await api.sandboxes.get('life')),
      ...hidden,
    });
    expect((await client.sandboxes.create({ taskId: 'life', existing: true })).how).toBe('found');
    expect(await client.sandboxes.update('life', { labels: { stage: 'b' } })).toMatchObject({ labels: { stage: 'b' } });
    expect((await client.sandboxes.list({ labels: { stage: 'b' } })).items.map(({ taskId }) => taskId)).toEqual([
      'life',
    ]);
    const first = await client.sandboxes.list({ limit: 1 });
    expect((await client.sandboxes.list({ limit: 1, cursor: first.nextCursor ?? '' })).items.length).toBe(1);
    expect(await client.sandboxes.limits('life')).toEqual(await api.sandboxes.limits('life'));
    await client.sandboxes.stop('life');
    expect((await client.sandboxes.start('life')).how).toBe('started');
    await client.sandboxes.remove('life');
    await expect(client.sandboxes.get('life')).rejects.toMatchObject({ code: 'not_found' });
    expect(Array.isArray(await client.sandboxes.gc({ dryRun: true }))).toBe(true);
  });
});

describe('files', () => {
  it('are written, read, patched, listed, moved and removed', async () => {
    const [task, path] = ['build', place('a.txt')];
    expect(await client.files.write({ task, path, bytes: 'one\n' })).toEqual({ size: 4, sha256: sha256('one\n') });
    const content = { bytes: new Uint8Array(Buffer.from('one\n')), size: 4, sha256: sha256('one\n') };
    expect(await client.files.read({ task, path })).toEqual(content);
    expect(await client.files.read({ task, path, offset: 1, length: 2 })).toMatchObject({ size: 4, sha256: null });
    await expect(client.files.write({ task, path, bytes: 'x', expected: null })).rejects.toMatchObject({
      code: 'conflict',
    });
    await client.files.write({ task, path, bytes: 'one\n', expected: sha256('one\n') });
    await client.files.patch({ task, path, edits: [{ find: 'one', replace: 'two' }] });
    expect(await client.files.stat({ task, path })).toEqual(await api.files.stat({ task, path }));
    expect(
      (await client.files.search({ task, path: at.world.root, pattern: 'two', name: 'a.txt' })).matches,
    ).toMatchObject([{ line: 1 }]);
    await client.files.move({ task, path, to: place('b.txt') });
    const { entries } = await client.files.list({ task, path: at.world.root });
    expect(entries.map(({ name }) => name)).toContain('b.txt');
    await client.files.remove({ task, path: place('b.txt') });
    await expect(client.files.read({ task, path })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('travel as they are read, in both directions, with their digest compared', async () => {
    const [task, path] = ['build', place('large')];
    const text = 'x'.repeat(9_000_000);
    const open = async function* () {
      for (let from = 0; from < text.length; from += 100_000)
        yield await Promise.resolve(Buffer.from(text.slice(from, from + 100_000)));
    };
    const source = { size: text.length, sha256: sha256(text), open };
    expect(await client.files.write({ task, path, bytes: source })).toEqual({
      size: text.length,
      sha256: sha256(text),
    });
    const wrong = client.files.write({ task, path, bytes: { ...source, sha256: sha256('other') } });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_argument' });
    const { size, parts } = await client.files.stream({ task, path });
    expect([size, await textOf(parts)]).toEqual([text.length, text]);
  });

  it('travel as an archive, and what was left out is listed', async () => {
    const tree = place('tree');
    await client.run({ taskId: 'build', command: sh(`mkdir -p ${tree}/d; echo 1 > ${tree}/d/f; mkfifo ${tree}/ä`) });
    await using archive = await client.files.archive({ task: 'build', path: tree });
    const wanted = await api.files.archive({ task: 'build', path: tree });
    const { files, directories, bytes, skipped } = wanted;
    expect(archive).toMatchObject({ files, directories, bytes, skipped });
    expect(skipped.length).toBe(1);
    await wanted[Symbol.asyncDispose]();
    const copied = await client.files.unpack({ task: 'build', path: place('copy'), archive: archive.parts });
    expect(copied).toEqual({ files, directories, bytes, skipped: [] });
  });

  it('are watched until the reader leaves', async () => {
    const watched = place('watched');
    await client.run({ taskId: 'build', command: ['mkdir', watched] });
    const events = await client.files.watch({ task: 'build', path: watched, intervalMs: 200 });
    await client.run({ taskId: 'build', command: ['touch', `${watched}/new`] });
    expect((await events.next()).value).toEqual({ type: 'created', path: 'new', kind: 'file' });
    await events.return?.();
  });
});

describe('processes', () => {
  it('are started once, given input, waited for, listed and killed', async () => {
    const request = { taskId: 'build', execId: 'exec_cat', command: ['cat'], stdin: true } as const;
    expect(await client.processes.start(request)).toMatchObject({ id: 'exec_cat', started: true });
    expect(await client.processes.start(request)).toMatchObject({ id: 'exec_cat', started: false });
    const source = async function* () {
      for (const part of ['a', 'b']) yield await Promise.resolve(Buffer.from(part));
    };
    await client.processes.input('exec_cat', source());
    expect(await client.processes.wait('exec_cat')).toMatchObject({ state: 'exited', exitCode: 0 });
    const texts = await Array.fromAsync(client.execs.logs('exec_cat'));
    expect(
      texts.flatMap(({ event }) => (event.type === 'stdout' ? [Buffer.from(event.bytes).toString()] : [])).join(''),
    ).toBe('ab');
    await client.processes.start({ taskId: 'build', execId: 'exec_sleep', command: ['sleep', '60'] });
    expect((await client.processes.list({ task: 'build' })).map(({ id }) => id)).toContain('exec_sleep');
    expect(await client.processes.get('exec_sleep')).toMatchObject({ taskId: 'build', state: 'running' });
    expect((await client.processes.kill('exec_sleep')).process).toMatchObject({ state: 'exited' });
    await expect(client.processes.get('exec_none')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('sessions', () => {
  it('keep their state, stream, and say when their shell has ended', async () => {
    const session = { taskId: 'build', name: 'main' };
    expect(await client.sessions.open(session)).toMatchObject({ name: 'main', open: true });
    await client.sessions.run({ ...session, text: 'X=1' });
    const running = await client.sessions.exec({ ...session, text: 'echo $X' });
    expect(await textOf(running.stdout)).toBe('1\n');
    expect([(await running.exit).exitCode, await running.session]).toEqual([
      0,
      { sessionEnded: false, endStatus: null },
    ]);
    const last = await client.sessions.run({ ...session, text: 'exit 4' });
    expect(last).toMatchObject({ sessionEnded: true, endStatus: 4, restored: false, lost: [] });
    expect((await client.sessions.list('build')).map(({ name }) => name)).toContain('main');
    await client.sessions.close(session);
  });
});

describe('records and administration', () => {
  it('are read through the service, and endless ones end with their reader', async () => {
    const seen = [];
    for await (const event of client.events.follow({ follow: true })) {
      seen.push(event.type);
      if (seen.length === 3) break;
    }
    expect(seen[0]).toBe('sandbox.state');
    const all = await Array.fromAsync(client.events.follow());
    const { seq = 0 } = all.at(-2) ?? {};
    expect((await Array.fromAsync(client.events.follow({ after: seq })))[0]).toEqual(all.at(-1));
    expect((await Array.fromAsync(client.audit.tail({ count: 2 }))).length).toBe(2);
    expect(await client.audit.verify()).toMatchObject({ intact: true });
  });

  it('judge commands and addresses', async () => {
    const check = await client.policy.checker({ backend: 'local' });
    const theirs = await api.policy.checker({ backend: 'local' });
    const words: string[] = ['mkfs', '/dev/sda'];
    for (const command of ['rm -rf /', 'ls', words]) expect(await check(command)).toEqual(theirs(command));
    await expect(check([])).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(() => theirs([])).toThrow('not an empty one');
    const url = { url: 'http://169.254.169.254/' };
    expect(await (await client.network.checker())(url)).toEqual((await api.network.checker())(url));
    expect(await client.policy.examples()).toEqual(await api.policy.examples());
    expect([await client.policy.ignored(), await client.policy.hooks.list()]).toEqual([[], []]);
  });

  it('make and remove tokens, and show settings, images, backends and pairings', async () => {
    const made = await client.tokens.create({ name: 'other', scopes: ['read'] }, 'ignored');
    expect((await client.tokens.list()).map(({ id }) => id)).toContain(made.id);
    await client.tokens.remove(made.id, 'ignored');
    expect(await client.config.show()).toEqual(await api.config.show());
    expect((await client.backends.check(['local'])).map(({ backend }) => backend)).toEqual(['local']);
    const refusal = async (check: CaissonApi['backends']['check']): Promise<unknown> =>
      await check(['local', 'nosuch']).then(null, (error: unknown) => toCaissonError(error).toJSON());
    expect(await refusal((names) => client.backends.check(names))).toMatchObject({ code: 'invalid_argument' });
    expect(await refusal((names) => client.backends.check(names))).toEqual(
      await refusal((names) => api.backends.check(names)),
    );
    expect(await client.backends.account(['local'])).toEqual(await api.backends.account(['local']));
    expect((await client.images.recipes()).length).toBeGreaterThan(0);
    expect(await client.mcpServers.names()).toEqual([]);
    expect(await client.access.pairing.list()).toEqual(await api.access.pairing.list());
    expect(await client.config.schema()).toEqual(await api.config.schema());
  });
});

describe('approvals', () => {
  it('are asked for while a command waits, and answered by another token', async () => {
    await using asking = await openClientWorld({ config: 'approvals: {rules: {ask: ["terminal(touch:*)"]}}' });
    const person = asking.connect({ token: asking.world.person });
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<string>();
    const request = { taskId: 'build', command: ['touch', place('touched')] } as const;
    const running = asking.client.run(request, { question: { onAsked } });
    const id = await asked;
    expect((await person.approvals.list()).map((each) => each.id)).toEqual([id]);
    await expect(asking.client.approvals.answer(id, 'once', '')).rejects.toMatchObject({ code: 'permission_denied' });
    await person.approvals.answer(id, 'once', 'ignored');
    expect((await running).exit.exitCode).toBe(0);
    const refused = asking.client.run({ ...request, execId: 'exec_now' }, { question: { waits: false } });
    const error = await refused.catch((failure) => failure);
    expect(error).toMatchObject({ code: 'approval_required', details: { approvalId: expect.stringMatching(/^apr_/) } });
    expect(await person.approvals.get(error.details.approvalId)).toMatchObject({ state: 'pending' });
    expect(await person.approvals.answerAll({ taskId: 'build', choice: 'once' }, '')).toMatchObject({ left: [] });
    expect((await asking.client.run({ ...request, execId: 'exec_now' })).exit.exitCode).toBe(0);
    expect(await person.approvals.grants()).toEqual([]);
  });

  it('of a command whose caller gives up are taken back', async () => {
    await using asking = await openClientWorld({ config: 'approvals: {rules: {ask: ["terminal(touch:*)"]}}' });
    const person = asking.connect({ token: asking.world.person });
    const controller = new AbortController();
    const request = { taskId: 'build', command: ['touch', place('untouched')] } as const;
    const how = { signal: controller.signal, question: { onAsked: () => controller.abort() } };
    await expect(asking.client.run(request, how)).rejects.toMatchObject({ code: 'canceled' });
    await expect.poll(async () => await person.approvals.list()).toEqual([]);
    await expect(asking.client.files.stat({ task: 'build', path: place('untouched') })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

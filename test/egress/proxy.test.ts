import { connect } from 'node:net';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { auditIn } from '../../src/audit/log.ts';
import { sourceOf } from '../../src/config/source.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { EgressDoors } from '../../src/egress/doors.ts';
import { deniedSince } from '../../src/egress/log.ts';
import { Link, openControl } from '../../src/egress/control.ts';
import { doorOf, logOf, makeEgressDirectory, withShortPath } from '../../src/egress/places.ts';
import { egressFigures } from '../../src/egress/tally.ts';
import { runProxy } from '../../src/egress/proxy.ts';
import { type EgressLists, type EgressReading, noOwnRules } from '../../src/store/egress.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { SandboxRow, Store } from '../../src/store/store.ts';
import { tailed } from '../audit/audits.ts';
import { noRules } from '../network/address/rules.ts';
import { restOf } from './door/world.ts';
import { newRow, spec } from '../store/rows.ts';

const none: EgressLists = { allow: [], deny: [], ports: [], presets: [] };
/** Longer than a path of a socket may be. */
let home = '';
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), `caisson-${'long-'.repeat(30)}`))));
afterEach(() => rmSync(home, { recursive: true }));

const audit = () => auditIn(join(home, 'audit'), { storeBytes: null, fileBytes: 1e6, holder: 'own_test' });
const filtered = (): SandboxRow => newRow({ spec: { ...spec, network: 'filtered' } });

/** What a process has in force that read this text of the file. */
function processWith(store: Store) {
  const records = audit();
  let reading: EgressReading = { lists: none, source: sourceOf(null), later: null };
  const doors = new EgressDoors({ home, env: {}, store, audit: records, reading: () => reading, asks: () => false });
  return {
    doors,
    close: (): void => {
      doors.release();
      records.close();
    },
    read: (lists: EgressLists, text: string): void => void (reading = { lists, source: sourceOf(text), later: null }),
  };
}

const writeFile = (text: string): void => writeFileSync(join(home, 'config.yaml'), text);

/** A proxy in this process, and what a service has on the same state directory. */
async function running() {
  const { store } = await openStore(join(home, 'caisson.db'), { clock: systemClock });
  const end = new AbortController();
  const said: string[] = [];
  const records = audit();
  const parts = {
    home,
    store,
    audit: records,
    addresses: async () => noRules,
    say: (text: string) => void said.push(text),
  };
  const run = () => runProxy({ ...parts, signal: end.signal });
  const over = run();
  const own = processWith(store);
  const { doors, read } = own;
  await vi.waitFor(async () => expect(await Link.open(home)).not.toBe(null));
  return {
    store,
    doors,
    over,
    said,
    run,
    take: (next: EgressLists): void => {
      const text = `# ${JSON.stringify(next)}`;
      writeFile(text);
      read(next, text);
    },
    [Symbol.asyncDispose]: async () => {
      own.close();
      end.abort();
      await over;
      records.close();
      await store.close();
    },
  };
}

/** What the door says to a plain request, or nothing where none listens. */
async function ask(sandboxId: string, host: string): Promise<string> {
  return await withShortPath(doorOf(home, sandboxId), 'door', async (path) => {
    const socket = connect(path).on('error', () => undefined);
    socket.write(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return await restOf(socket);
  });
}

describe('the egress proxy', () => {
  it('has a door for each sandbox with a filtered network, each with rules of its own', async () => {
    await using here = await running();
    const [one, two, other] = [filtered(), filtered(), newRow()];
    for (const row of [one, two, other]) await here.store.sandboxes.insert(row);
    await here.doors.open(one);
    here.take({ ...none, deny: ['a.example'] });
    await here.doors.open(two);
    expect(await ask(one.id, 'a.example')).toContain('a.example:80 is not allowed (no rule)');
    expect(await ask(two.id, 'a.example')).toContain('a.example:80 is not allowed (deny a.example)');
    expect(existsSync(doorOf(home, other.id))).toBe(false);
  });

  it('takes up a change of the rules before the next use, and writes none where nothing has changed', async () => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    await here.doors.open(row);
    await here.doors.keep(row);
    expect(await here.store.egress.of(row.id)).toMatchObject({ revision: 1, configured: none, own: noOwnRules });
    here.take({ ...none, deny: ['a.example'] });
    await here.doors.keep(row);
    expect(await here.store.egress.of(row.id)).toMatchObject({ revision: 2 });
    expect(await ask(row.id, 'a.example')).toContain('(deny a.example)');
  });

  it('keeps the rules of the newer file, whichever process comes last', async () => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    const { store: second } = await openStore(join(home, 'caisson.db'), { clock: systemClock });
    const [older, newer] = [processWith(here.store), processWith(second)];
    try {
      writeFile('wide');
      older.read({ ...none, presets: ['github'] }, 'wide');
      await older.doors.open(row);
      writeFile('tight');
      newer.read({ ...none, deny: ['a.example'] }, 'tight');
      await newer.doors.open(row);
      await older.doors.keep(row);
      await older.doors.open(row);
      expect(await ask(row.id, 'a.example')).toContain('(deny a.example)');
      expect(await here.store.egress.of(row.id)).toMatchObject({ revision: 2, source: sourceOf('tight') });
      writeFile('wide');
      await older.doors.keep(row);
      expect(await ask(row.id, 'a.example')).toContain('(no rule)');
    } finally {
      for (const each of [older, newer]) each.close();
      await second.close();
    }
  });

  it('allows what both processes allow, where they read the same file and have different lists', async () => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    const [one, other] = [processWith(here.store), processWith(here.store)];
    writeFile('same');
    one.read({ allow: ['a.example', 'b.example'], deny: ['c.example'], ports: [8080], presets: [] }, 'same');
    other.read({ allow: ['b.example'], deny: ['d.example'], ports: [], presets: ['github'] }, 'same');
    await one.doors.open(row);
    await other.doors.open(row);
    await one.doors.open(row);
    const configured = { allow: ['b.example'], deny: ['c.example', 'd.example'], ports: [], presets: [] };
    expect(await here.store.egress.of(row.id)).toMatchObject({ revision: 2, configured });
    for (const each of [one, other]) each.close();
  });

  it('leaves each change of the rules and each denied name in the audit', async () => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    here.take({ ...none, presets: ['github'] });
    await here.doors.open(row);
    await here.doors.open(row);
    here.take({ ...none, deny: ['a.example'] });
    await here.doors.keep(row);
    for (const host of ['a.example', 'a.example', 'b.example']) await ask(row.id, host);
    await here.doors.close(row.id);
    await here.store.sandboxes.delete(row.id);
    const reader = audit();
    const about = { type: 'egress', taskId: row.taskId, sandbox: row.id };
    await vi.waitFor(async () => {
      expect((await tailed(reader)).filter(({ what }) => what === 'rules')).toMatchObject([
        { ...about, revision: 1, added: ['preset github'], removed: [] },
        { ...about, revision: 2, added: ['deny a.example'], removed: ['preset github'] },
      ]);
      expect((await tailed(reader)).filter(({ what }) => what === 'denied')).toMatchObject([
        { ...about, name: 'a.example', port: 80, rule: 'deny a.example', count: 1 },
        { ...about, name: 'b.example', port: 80, rule: 'no rule', count: 1 },
        { ...about, name: 'a.example', port: 80, rule: 'deny a.example', count: 1 },
      ]);
    }, 5000);
    reader.close();
  });

  it.each([
    ['a plain request', 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n'],
    ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n'],
  ])('has a denied connection on record before the client reads the answer (%s)', async (_, request) => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    await here.doors.open(row);
    const [since, log] = [Date.now(), logOf(home, row.id)];
    await withShortPath(doorOf(home, row.id), 'door', async (path) => {
      const socket = connect(path).on('error', () => undefined);
      socket.write(request);
      await once(socket, 'data');
      expect(readFileSync(log, 'utf8')).toContain('"name":"a.example"');
      socket.destroy();
    });
    expect(await deniedSince(home, row.id, since)).toMatchObject([{ name: 'a.example', rule: 'no rule' }]);
    expect(await here.doors.denied(row, since)).toEqual([
      expect.stringContaining(`caisson net allow ${row.taskId} a.example`),
    ]);
  });

  it('makes an event of a denied name, counts connections for metrics, and keeps tokens out of all of it (NE-22)', async () => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    await here.doors.open(row);
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    for (const host of ['a.example', 'a.example', `${token}.evil.example`]) await ask(row.id, host);
    const denied = async () =>
      (await here.store.events.read({ after: 0, owner: 'operator', max: 100 })).filter(
        ({ type }) => type === 'network.denied',
      );
    const about = { taskId: row.taskId, sandboxId: row.id, backend: row.backend, port: 80, rule: 'no rule', count: 1 };
    await vi.waitFor(async () => expect(await denied()).toHaveLength(2));
    expect(await denied()).toMatchObject([
      { author: 'proxy', owner: 'operator', data: { ...about, host: 'a.example' } },
      { data: { ...about, host: '[REDACTED:github-token].evil.example' } },
    ]);
    await vi.waitFor(() => expect(egressFigures(home)).toMatchObject({ open: 0, allowed: 0, denied: 3 }), 5000);
    expect(readFileSync(logOf(home, row.id), 'utf8')).not.toContain(token);
  });

  it('shuts the door of a sandbox that is gone, whose rules go with it', async () => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    await here.doors.open(row);
    await here.store.sandboxes.delete(row.id);
    await vi.waitFor(async () => expect(await ask(row.id, 'a.example')).toBe(''), 5000);
    expect(await here.store.egress.of(row.id)).toBe(null);
    await here.doors.close(row.id);
    expect(existsSync(doorOf(home, row.id))).toBe(false);
  });

  it('opens nothing for rules that cannot hold, and says so', async () => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    here.take({ ...none, presets: ['unknown'] });
    await expect(here.doors.open(row)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await ask(row.id, 'a.example')).toBe('');
    here.take(none);
    await here.doors.open(row);
    expect(await ask(row.id, 'a.example')).toContain('(no rule)');
  });

  it('ends when its state directory is removed', async () => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    await here.doors.open(row);
    rmSync(join(home, 'egress'), { recursive: true });
    expect(await here.over).toBe(true);
  });

  it('ends when the database is another one, so that the next one goes by what that one says', async () => {
    await using here = await running();
    const row = filtered();
    await here.store.sandboxes.insert(row);
    await here.doors.open(row);
    renameSync(join(home, 'caisson.db'), join(home, 'lost.db'));
    expect(await here.over).toBe(true);
  });

  it('that does not answer is waited for, but not for ever', async () => {
    await makeEgressDirectory(home);
    const control = await openControl(home, () => new Promise(() => undefined));
    const link = await Link.open(home, 100);
    await expect(link?.sync('sbx_1')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/0.1 s/),
    });
    expect(link?.isOpen).toBe(false);
    control.close();
  });

  it('ends when no sandbox needs it', async () => {
    await using here = await running();
    expect(await here.over).toBe(true);
    expect(await Link.open(home)).toBe(null);
  });
});

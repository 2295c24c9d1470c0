import { expect, it } from 'vitest';
import { Denials } from '../../dashboard/src/live/denials.ts';
import { forgetLogin, keepLogin, loginIn, readLogin, type Store } from '../../dashboard/src/login/stored.ts';
import { delayMs, doneText, isDue, planOf, planText } from '../../dashboard/src/pages/sandboxes/bulk.ts';
import { exitText, Output } from '../../dashboard/src/pages/sandbox/execs/output.ts';
import { bytesText } from '../../dashboard/src/text/units.ts';
import { added, keep, readKept, without } from '../../dashboard/src/pages/sandbox/terminal/kept.ts';
import { hashOf, hashOfTask, home, routeOf, withFilter } from '../../dashboard/src/route.ts';
import {
  askOf,
  detailsOf,
  filtered,
  filtersOf,
  lastVerifiedText,
  verifiedText,
} from '../../dashboard/src/pages/audit/records.ts';

function storeOf(given: Readonly<Record<string, string>> = {}): Store {
  const held = new Map(Object.entries(given));
  return {
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, text) => void held.set(name, text),
    removeItem: (name) => void held.delete(name),
  };
}

const login = {
  key: `page_${'k'.repeat(43)}`,
  token: { name: 'me', owner: 'operator', scopes: ['read'], expiresAt: null, isBound: false },
};

it('every route is a link that leads back to it, with its filters', () => {
  const routes = [
    home,
    { ...home, page: 'sandboxes', filters: { text: 'a&b=c #', state: 'ready' } },
    { page: 'sandbox', task: 'a/b?c', tab: 'files', filters: { path: '/workspace/ä b' } },
    { page: 'sandbox', task: 'build', tab: 'overview', filters: {} },
  ] as const;
  for (const route of routes) expect(routeOf(hashOf(route))).toEqual(route);
  expect(hashOf(withFilter(home, 'text', ''))).toBe('#/questions');
});

it.each(['', '#', '#/nothing', '#/sandbox', '#x', '#/%E0%A4%A'])(
  'an address that is not known is the first page: %s',
  (hash) => {
    expect(routeOf(hash).page).toBe('questions');
  },
);

it('a task that cannot be decoded is the list, and an unknown view of one the overview', () => {
  expect(routeOf('#/sandboxes/%E0%A4%A').page).toBe('sandboxes');
  expect(routeOf(`${hashOfTask('build')}/nothing`)).toMatchObject({ page: 'sandbox', task: 'build', tab: 'overview' });
});

it('a login is kept and forgotten, and one of another shape is not read', () => {
  const store = storeOf();
  keepLogin(store, login);
  expect(readLogin(store)).toEqual(login);
  forgetLogin(store);
  expect(readLogin(store)).toBeNull();
  expect(readLogin(storeOf({ 'caisson.login': '{' }))).toBeNull();
  for (const wrong of [
    null,
    1,
    {},
    { ...login, key: 'caisson_x' },
    { ...login, token: { ...login.token, scopes: [1] } },
  ])
    expect(loginIn(wrong)).toBeNull();
});

it('terminals of a task are kept apart from those of another one, and what is not an id is left out', () => {
  const store = storeOf({ 'caisson.terminals.other': '[{"execId": "exec_1\\n", "label": "1"}, {"execId": 1}]' });
  const all = added(added([], 'exec_a'), 'exec_b');
  keep(store, 'build', all);
  expect(readKept(store, 'build')).toEqual([
    { execId: 'exec_a', label: '1' },
    { execId: 'exec_b', label: '2' },
  ]);
  expect(readKept(store, 'other')).toEqual([]);
  expect(added(without(all, 'exec_a'), 'exec_c').map(({ label }) => label)).toEqual(['2', '1']);
});

it('denials of the last minute are counted, and older ones are forgotten', () => {
  const denials = new Denials();
  denials.add('build', 3, 0);
  denials.add('build', 2, 30_000);
  expect([denials.of('build', 30_000), denials.of('build', 61_000), denials.of('other', 0)]).toEqual([5, 2, 0]);
  denials.forget(120_000);
  expect(denials.of('build', 30_000)).toBe(0);
});

it('what is done to many waits ten seconds, and says so', () => {
  expect(planOf('stop', [], 0)).toBeNull();
  const plan = planOf('remove', ['a', 'b'], 0) ?? expect.unreachable();
  expect([isDue(plan, delayMs - 1), isDue(plan, delayMs)]).toEqual([false, true]);
  expect(planText(plan, 4001)).toBe('Removes 2 sandboxes in 6 s. Closing this page cancels it.');
  expect(doneText('remove', 2, [{ task: 'a', why: 'x' }])).toBe('1 removed, 1 failed.');
});

it('output is text without the sequences of a terminal, and whole across parts', () => {
  const output = new Output();
  const bytes = new TextEncoder().encode('\u001b]0;title\u0007\u001b[1;31mrot ä\u001b[0m\u001b]52;c;YQ==\u001b\\ <b>');
  for (const byte of bytes) output.add('stdout', Uint8Array.of(byte));
  expect(output.text).toBe('rot ä <b>');
});

it('a long output is its last lines, and says how much is before them', () => {
  const output = new Output();
  const line = (at: number): string => `line ${String(at).padStart(5, '0')} ä\n`;
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  for (let at = 0; at < 40_000; at++) output.add('stdout', bytes(line(at)));
  const [note = '', first = '', ...rest] = output.text.split('\n');
  expect([rest.at(-2), rest.at(-1)]).toEqual([line(39_999).trim(), '']);
  expect(first).toMatch(/^line \d{5} ä$/);
  const shownLines = 1 + rest.length - 1;
  expect(note).toBe(`[${bytesText((40_000 - shownLines) * bytes(line(0)).length)} before this are left out]`);
  expect(output.text.length).toBeLessThan(250_100);
});

it('what a tail leaves out is said before it, and what was not kept where it is missing', () => {
  const output = new Output();
  output.addGap('stdout', 2048);
  output.add('stdout', new TextEncoder().encode('cut\nlast\n'));
  output.addGap('stdout', 7);
  expect(output.text).toBe('[2.0 KiB before this are left out]\nlast\n\n[7 bytes of stdout are not kept]\n');
  const one = new Output();
  one.addGap('stderr', 1024);
  one.add('stderr', new TextEncoder().encode('a long line without an end'));
  expect(one.text).toBe('[1.0 KiB before this are left out]\na long line without an end');
});

it('the end of a command is said as its record has it', () => {
  expect(exitText(null)).toBe('runs');
  expect(exitText({ reason: 'exited', exitCode: 3, signal: null })).toBe('exit 3');
  expect(exitText({ reason: 'signaled', exitCode: null, signal: 'SIGKILL' })).toBe('signaled SIGKILL');
  expect(exitText({ reason: 'timed-out', exitCode: 143, signal: null })).toBe('timed-out');
});

it('records are filtered by kind and words, the newest first; the rest is asked of the service', () => {
  const record = (seq: number, more: object) =>
    Object({ seq, at: `2026-01-0${seq}T00:00:00Z`, type: 'run', taskId: 'build', ...more });
  const all = [
    record(1, { verdict: 'deny', rule: 'terminal(rm:*)' }),
    record(2, { type: 'exit' }),
    record(3, { taskId: 'web' }),
  ];
  const found = (given: Readonly<Record<string, string>>) => filtered(all, filtersOf(given)).map(({ seq }) => seq);
  expect(found({})).toEqual([3, 2, 1]);
  expect(found({ text: 'RM:' })).toEqual([1]);
  expect(found({ type: 'exit', text: 'build' })).toEqual([2]);
  expect(askOf(filtersOf({ verdict: 'deny', rule: 'rm', task: 'build', since: '2026-01-02T12:00:00Z' }))).toEqual({
    verdict: 'deny',
    rule: 'rm',
    task: 'build',
    since: '2026-01-02T12:00:00.000Z',
  });
  expect(askOf(filtersOf({ verdict: 'other', until: 'soon', text: 'x', type: 'exit' }))).toEqual({});
  expect(detailsOf(all[0])).toBe('rule: terminal(rm:*)');
  expect(verifiedText({ intact: true, lastSeq: 9, records: 9 })).toContain('up to 9');
  expect(lastVerifiedText({ at: '2026-01-01T00:00:00Z', through: 7 })).toContain('up to 7');
  expect(lastVerifiedText(null)).toContain('never');
  expect(verifiedText({ intact: false, lastSeq: 9, records: 4 })).toContain('broken after 4');
});

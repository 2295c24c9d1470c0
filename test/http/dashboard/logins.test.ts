import { expect, it } from 'vitest';
import { cookieOf, cookiesIn, PageLogins } from '../../../src/http/dashboard/logins.ts';

const hourMs = 60 * 60_000;

function opened() {
  let nowMs = 0;
  const logins = new PageLogins(() => nowMs);
  return { logins, pass: (ms: number): void => void (nowMs += ms) };
}

it('a login ends twelve hours after it began, however much it is used', () => {
  const { logins, pass } = opened();
  const { key, cookie } = logins.open('token', []);
  const login = logins.find(key, [cookie]);
  for (let at = 0; at < 23; at++) {
    pass(hourMs / 2);
    expect(logins.find(key, [cookie])).not.toBeNull();
  }
  pass(hourMs / 2);
  expect(logins.find(key, [cookie])).toBeNull();
  expect(login?.ended.aborted).toBe(true);
});

it('a login ends an hour after its last request, and a wrong half is no request', () => {
  const { logins, pass } = opened();
  const { key, cookie } = logins.open('token', []);
  pass(hourMs / 2);
  expect(logins.find(key, ['A'.repeat(43)])).toBeNull();
  pass(hourMs / 2);
  expect(logins.find(key, [cookie])).toBeNull();
});

it('a token has 32 logins: one more ends the oldest', () => {
  const { logins } = opened();
  const all = Array.from({ length: 33 }, () => logins.open('token', []));
  const other = logins.open('other', []);
  expect(all.map(({ key, cookie }) => logins.find(key, [cookie]) !== null)).toEqual([
    false,
    ...Array.from({ length: 32 }, () => true),
  ]);
  expect(logins.find(other.key, [other.cookie])?.token).toBe('other');
});

it('a token that ends takes its logins along, and no others', () => {
  const { logins } = opened();
  const [one, other] = [logins.open('one', []), logins.open('other', [])];
  logins.endToken('one');
  expect(logins.find(one.key, [one.cookie])).toBeNull();
  expect([...logins.tokens()]).toEqual(['other']);
  expect(logins.find(other.key, [other.cookie])).not.toBeNull();
});

it('the cookie of https is bound to its host, and only values of the right form are read, eight at most', () => {
  const name = { service: '0a1b2c3d', secure: true };
  expect(cookieOf('x', name)).toBe('__Host-caisson_page_0a1b2c3d=x; Path=/; HttpOnly; SameSite=Strict; Secure');
  expect(cookieOf(null, { ...name, secure: false })).toContain('Max-Age=0');
  const [good, bad] = ['A'.repeat(43), 'A'.repeat(42)];
  const each = (value: string): string => `__Host-caisson_page_0a1b2c3d=${value}`;
  expect(cookiesIn(`${each(bad)}; ${each(good)}; caisson_page_0a1b2c3d=${good}`, name)).toEqual([good]);
  expect(cookiesIn(Array.from({ length: 20 }, () => each(good)).join('; '), name)).toHaveLength(8);
});

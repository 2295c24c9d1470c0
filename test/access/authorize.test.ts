/** Who may talk: the documented order, and what opens nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Environment, hasAllowlist, ruleFor, invalidFlags } from '../../src/access/authorize.ts';
import type { Rule } from '../../src/access/types.ts';
import { forwardProblem } from '../../src/values/env.ts';

const unpaired: ReadonlySet<string> = new Set();

function rule(env: Environment, ids: readonly string[] = ['42'], paired = unpaired, platform = 'telegram'): Rule {
  return ruleFor({ platform, ids }, env, paired);
}

/** The rules by their documented order, each with what makes it hold for user 42 on Telegram. */
const order: readonly (readonly [Rule, Environment])[] = [
  ['platform-allow-all', { TELEGRAM_ALLOW_ALL_USERS: 'true' }],
  ['paired', {}],
  ['platform-allowlist', { TELEGRAM_ALLOWED_USERS: '7,42' }],
  ['global-allowlist', { GATEWAY_ALLOWED_USERS: '42' }],
  ['global-allow-all', { GATEWAY_ALLOW_ALL_USERS: 'true' }],
];

describe('the first rule that holds is the one that counts', () => {
  it('in any combination of them', () => {
    fc.assert(
      fc.property(fc.subarray([...order]), (held) => {
        const env = Object.assign({}, ...held.map(([, variables]) => variables)) as Environment;
        const paired = new Set(held.some(([name]) => name === 'paired') ? ['42'] : []);
        const expected = order.find(([name]) => held.some(([other]) => other === name))?.[0] ?? 'none';
        expect(rule(env, ['42'], paired)).toBe(expected);
      }),
    );
  });
});

describe('the variables of the documents', () => {
  const documented = {
    TELEGRAM_ALLOWED_USERS: '123456789,987654321',
    DISCORD_ALLOWED_USERS: '111222333444555666',
    WHATSAPP_ALLOWED_USERS: '15551234567',
    SLACK_ALLOWED_USERS: 'U01ABC123',
    SIGNAL_ALLOWED_USERS: '+15551234567',
    EMAIL_ALLOWED_USERS: 'me@example.com',
    MATTERMOST_ALLOWED_USERS: 'userid123',
    GATEWAY_ALLOWED_USERS: '123456789',
  };

  it.each([
    ['telegram', '987654321', 'platform-allowlist'],
    ['telegram', '123456789', 'platform-allowlist'],
    ['discord', '111222333444555666', 'platform-allowlist'],
    ['whatsapp', '15551234567', 'platform-allowlist'],
    ['slack', 'U01ABC123', 'platform-allowlist'],
    ['signal', '+15551234567', 'platform-allowlist'],
    ['email', 'me@example.com', 'platform-allowlist'],
    ['mattermost', 'userid123', 'platform-allowlist'],
    ['discord', '123456789', 'global-allowlist'],
    ['matrix', '123456789', 'global-allowlist'],
    ['discord', '987654321', 'none'],
    ['slack', 'u01abc123', 'none'],
    ['telegram', '12345678', 'none'],
  ] as const)('on %s let %s in by: %s', (platform, id, expected) => {
    expect(rule(documented, [id], unpaired, platform)).toBe(expected);
  });

  it('let everybody in where they say so', () => {
    const strangers = { DISCORD_ALLOW_ALL_USERS: 'true' };
    expect(rule(strangers, ['1'], unpaired, 'discord')).toBe('platform-allow-all');
    expect(rule(strangers, ['1'], unpaired, 'slack')).toBe('none');
    expect(rule({ GATEWAY_ALLOW_ALL_USERS: 'true' }, ['1'], unpaired, 'slack')).toBe('global-allow-all');
  });

  it('never reach a command', () => {
    for (const name of [...Object.keys(documented), 'DISCORD_ALLOW_ALL_USERS', 'MATRIX_ALLOWED_USERS'])
      expect(forwardProblem(name)).not.toBeNull();
  });
});

describe('a list', () => {
  it.each([
    ['', 'none'],
    [' , ,', 'none'],
    ['7, 42 ,', 'platform-allowlist'],
    ['*', 'platform-allowlist'],
    ['7,*', 'platform-allowlist'],
    ['4*', 'none'],
    ['420', 'none'],
    ['4 2', 'none'],
  ])('of %j is: %s', (list, expected) => {
    expect(rule({ TELEGRAM_ALLOWED_USERS: list })).toBe(expected);
  });

  it('names no user who is not on it, whatever the ids', () => {
    const id = fc.string({ minLength: 1 }).map((text) => `x${text.replaceAll(/[,\s]/g, '')}`);
    fc.assert(
      fc.property(fc.array(id), fc.array(id, { minLength: 1 }), (listed, ids) => {
        const found = rule({ TELEGRAM_ALLOWED_USERS: listed.join(' , ') }, ids);
        expect(found).toBe(ids.some((each) => listed.includes(each)) ? 'platform-allowlist' : 'none');
      }),
    );
  });

  it('counts by any of the ids that one person has', () => {
    expect(rule({ TELEGRAM_ALLOWED_USERS: 'lid:9' }, ['42', 'lid:9'])).toBe('platform-allowlist');
    expect(rule({}, ['42', 'lid:9'], new Set(['lid:9']))).toBe('paired');
  });

  it('is there as soon as somebody has written something', () => {
    expect(hasAllowlist('telegram', { TELEGRAM_ALLOWED_USERS: '' })).toBe(false);
    expect(hasAllowlist('telegram', { TELEGRAM_ALLOWED_USERS: '  ' })).toBe(false);
    expect(hasAllowlist('telegram', { SLACK_ALLOWED_USERS: '1', TELEGRAM_ALLOW_ALL_USERS: 'true' })).toBe(false);
    expect(hasAllowlist('telegram', { TELEGRAM_ALLOWED_USERS: ',' })).toBe(true);
    expect(hasAllowlist('telegram', { GATEWAY_ALLOWED_USERS: '1' })).toBe(true);
  });
});

describe('a flag', () => {
  it.each(['true', 'TRUE', ' true ', '1', 'yes'])('is on by %j', (text) => {
    expect(rule({ TELEGRAM_ALLOW_ALL_USERS: text })).toBe('platform-allow-all');
  });

  it.each(['', 'false', '0', 'no', 'on', 'enabled', 'y', 'truthy', 'true,', 'null', '2'])('is off by %j', (text) => {
    expect(rule({ TELEGRAM_ALLOW_ALL_USERS: text, GATEWAY_ALLOW_ALL_USERS: text })).toBe('none');
  });
});

it('flags that say neither yes nor no are reported by their names', () => {
  const env = {
    A_ALLOW_ALL_USERS: 'on',
    B_ALLOW_ALL_USERS: 'True',
    C_ALLOW_ALL_USERS: ' no',
    GATEWAY_ALLOW_ALL_USERS: '',
  };
  expect(invalidFlags({ ...env, D_ALLOWED_USERS: 'on' })).toEqual(['A_ALLOW_ALL_USERS']);
});

it('a star as an id of a user is an id like any other', () => {
  expect(rule({ TELEGRAM_ALLOWED_USERS: '42' }, ['*'], new Set(['42']))).toBe('none');
  expect(rule({ TELEGRAM_ALLOWED_USERS: '42' }, ['7'], new Set(['*']))).toBe('none');
});

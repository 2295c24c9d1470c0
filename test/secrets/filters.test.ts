import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSafeInCode, localTerminalEnv, mcpChildEnv, namesSecret } from '../../src/secrets/filters.ts';

const host = {
  PATH: '/bin',
  HOME: '/h',
  USER: 'u',
  LANG: 'C',
  LC_ALL: 'C',
  LC_CTYPE: 'C',
  TERM: 'vt',
  SHELL: '/bin/sh',
  TMPDIR: '/t',
  XDG_DATA_HOME: '/d',
  EDITOR_THEME: 'dark',
  PWD: '/h',
  OLDPWD: '/',
  COMPASS: 'n',
  NVM_DIR: '/n',
  AWS_PROFILE: 'work',
};
const secret = {
  OPENAI_API_KEY: 's',
  GH_TOKEN: 's',
  MY_SECRET: 's',
  DB_PASSWORD: 's',
  db_passwd: 's',
  X_CREDENTIALS: 's',
  DB_PASS: 's',
  MYSQL_PWD: 's',
  SMTP_PW: 's',
  GPG_PASSPHRASE: 's',
  SENTRY_DSN: 's',
  CHAT_WEBHOOK_URL: 's',
  DB_URL: 'jdbc:postgresql://me:pass@db/x',
  DB_ARGS: '--url=mysql://me:pass@db/x',
  BASIC_AUTH: 's',
  DATABASE_URL: 'postgres://me:pass@db/x',
  TELEGRAM_BOT_TOKEN: 's',
};
const infrastructure = { DOCKER_HOST: 'x', SSH_AUTH_SOCK: 'x', CAISSON_HOME: 'x', KUBECONFIG: 'x', GATEWAY_RELAY: 'x' };
const control = {
  LD_PRELOAD: 'x',
  LUA_INIT_5_4: 'x',
  RSYNC_RSH: 'x',
  PYTHONBREAKPOINT: 'x',
  DOTNET_STARTUP_HOOKS: 'x',
  BASH_ENV: 'x',
  NODE_OPTIONS: 'x',
  GIT_CONFIG_COUNT: '1',
  PAGER: 'x',
  'BASH_FUNC_ls%%': '() {',
};
const all = { ...host, ...secret, ...infrastructure, ...control, NOT_SET: undefined };

describe('what programs inherit of the service', () => {
  it('is on this host all but infrastructure, control variables and secrets (EN-02, EN-06, EN-07)', () => {
    expect(localTerminalEnv(all)).toEqual(host);
  });

  it('is nothing of forty secrets, whatever holds them (EN-01)', () => {
    const words = ['KEY', 'TOKEN', 'SECRET', 'PASSWORD', 'PASSWD', 'CREDENTIAL', 'AUTH', 'api_key'];
    const fakes = words.flatMap((word) => [0, 1, 2, 3, 4].map((at) => [`FAKE_${at}_${word}`, 'value'] as const));
    expect(localTerminalEnv(Object.fromEntries(fakes))).toEqual({});
  });

  it('is in programs of others only what is known to be safe', () => {
    const kept = Object.keys(all).filter(isSafeInCode);
    expect(kept).toEqual([
      'PATH',
      'HOME',
      'USER',
      'LANG',
      'LC_ALL',
      'LC_CTYPE',
      'TERM',
      'SHELL',
      'TMPDIR',
      'XDG_DATA_HOME',
    ]);
    for (const name of ['XDG_TOKEN', 'LC_SECRET', 'LC_MINE', 'XDG_MINE', 'CONDA_AUTH', 'XDG_RUNTIME_DIR'])
      expect(isSafeInCode(name)).toBe(false);
  });

  it('is for MCP servers the documented list and what their own configuration sets (EN-03)', () => {
    const own = { GITHUB_PERSONAL_ACCESS_TOKEN: 'theirs', NODE_OPTIONS: '--max-old-space-size=512' };
    expect(mcpChildEnv(all, own)).toEqual({
      PATH: '/bin',
      HOME: '/h',
      USER: 'u',
      LANG: 'C',
      LC_ALL: 'C',
      TERM: 'vt',
      SHELL: '/bin/sh',
      TMPDIR: '/t',
      XDG_DATA_HOME: '/d',
      ...own,
    });
    expect(() => mcpChildEnv({}, { 'A=B': 'x' })).toThrow(/cannot be set/);
  });

  it('is never a secret by its name, nor a name that a shell would not take', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (env) => {
        const names = Object.keys(localTerminalEnv(env));
        expect(names.filter((name) => namesSecret(name) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))).toEqual([]);
      }),
    );
  });
});

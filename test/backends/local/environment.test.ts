import fc from 'fast-check';
import { expect, test } from 'vitest';
import { baseEnvironment } from '../../../backends/local/environment.ts';

test('keeps who and where, and nothing else (EN-01)', () => {
  const kept = {
    PATH: '/bin',
    HOME: '/h',
    USER: 'u',
    LOGNAME: 'u',
    SHELL: '/bin/sh',
    LANG: 'C',
    LC_ALL: 'C',
    TERM: 'vt',
    TMPDIR: '/t',
    TZ: 'UTC',
    XDG_DATA_HOME: '/d',
    XDG_SESSION_TYPE: 'tty',
    LC_CTYPE: 'C',
  };
  const dropped = {
    AWS_SECRET_ACCESS_KEY: 's',
    LD_PRELOAD: 'x',
    BASH_ENV: 'x',
    NODE_OPTIONS: 'x',
    CAISSON_HOME: 'x',
    DOCKER_HOST: 'x',
    HOMEX: 'x',
    lc_all: 'x',
    LC_SECRET: 's',
    LC_ALL_X: 's',
    XDG_SECRET: 's',
    XDG_SESSION_COOKIE: 's',
  };
  expect(baseEnvironment({ env: { ...kept, ...dropped } })).toEqual(kept);
});

test('is what core gives instead, where it gives something', () => {
  const settings = { environment: { NVM_DIR: '/n' } };
  expect(baseEnvironment({ env: { HOME: '/h' }, settings })).toEqual({ NVM_DIR: '/n', PATH: expect.any(String) });
  expect(baseEnvironment({ env: { HOME: '/h' }, settings: { environment: 'minimal' } })).toMatchObject({ HOME: '/h' });
});

test('drops exported shell functions (EN-07)', () => {
  expect(baseEnvironment({ env: { 'BASH_FUNC_ls%%': '() { echo x; }' } })).toEqual({ PATH: expect.any(String) });
});

test('has a PATH when the service has none', () => {
  expect(baseEnvironment({ env: { PATH: undefined } })['PATH']).toContain('/usr/bin');
});

test('never lets a name through that is not on the list', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (env) => {
      for (const name of Object.keys(baseEnvironment({ env }))) {
        expect(name).toMatch(/^(PATH|HOME|USER|LOGNAME|SHELL|LANG|TERM|TMPDIR|TZ|LC_.*|XDG_.*)$/s);
      }
    }),
  );
});

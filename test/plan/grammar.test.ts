import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkExecEnv, forwardedEnv } from '../../src/values/env.ts';
import { differingKeys, fingerprint } from '../../src/plan/fingerprint.ts';
import { imageProblem, placedImageProblem } from '../../src/values/image.ts';
import { canonicalPath, insideProblem, isWithin } from '../../src/values/paths.ts';
import { newTaskId } from '../../src/values/new-task.ts';
import { checkTaskId } from '../../src/values/task.ts';
import { aSpec } from './fixtures.ts';
import { notContaining, someText } from '../matchers.ts';

describe('task ids (API-13)', () => {
  it.each(['a', '0', 'my-task_1', 'a'.repeat(63), 'con'])('%s is one', (id) => {
    expect(checkTaskId(id)).toBe(id);
  });

  it.each([
    '',
    '..',
    '%2e%2e',
    'a/b',
    'a'.repeat(64),
    'a'.repeat(300),
    'ABC',
    'CON',
    '-a',
    '_a',
    'ä',
    'a b',
    'a\n',
    'a\0',
    'а',
    'a.b',
    `sbx_${'a'.repeat(16)}`,
    5,
    null,
    undefined,
    {},
    ['a'],
  ])('%j is not one', (id) => {
    expect(() => checkTaskId(id)).toThrow(expect.objectContaining({ code: 'invalid_argument', remedy: someText() }));
  });

  it('are made anew each time for tasks without one', () => {
    const ids = Array.from({ length: 100 }, () => checkTaskId(newTaskId()));
    expect(new Set(ids).size).toBe(100);
  });
});

describe('image references (API-14)', () => {
  it.each([
    'debian',
    'debian:12',
    'library/debian',
    'nikolaik/python-nodejs:python3.11-nodejs20',
    'registry.example.com/a/b/c:tag',
    'registry.example.com:5000/a',
    'localhost/a',
    'localhost:5000/a',
    'a__b/c--d.e_f',
    `debian@sha256:${'a'.repeat(64)}`,
    `debian:12@sha256:${'0'.repeat(64)}`,
    `sha256:${'f'.repeat(64)}`,
  ])('%s is one', (reference) => {
    expect(imageProblem(reference)).toBeNull();
  });

  it.each([
    '',
    '--privileged',
    '-v/:/host',
    'Debian',
    'debian:',
    'debian:-tag',
    `debian:${'a'.repeat(129)}`,
    'debian:12:13',
    'a//b',
    '/a',
    'a/',
    'a b',
    'a\nb',
    'a\0',
    'a..b',
    'a___b',
    'debian@sha256:abc',
    `debian@sha256:${'A'.repeat(64)}`,
    `debian@md5:${'a'.repeat(32)}`,
    `debian@sha256:${'a'.repeat(64)}@sha256:${'a'.repeat(64)}`,
    'registry.example.com:port/a',
    'registry.example.com:123456/a',
    '-host.example/a',
    'http://example.com/a',
    'docker://debian',
    'a'.repeat(513),
    '$(id)',
    'a;b',
    '../a',
  ])('%j is not one', (reference) => {
    expect(imageProblem(reference)).not.toBeNull();
  });

  it('never lets through white space, options or shell text, in a moment', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (imageProblem(text) === null) expect(text).toMatch(/^[A-Za-z0-9][A-Za-z0-9._:@/-]*$/);
      }),
    );
    imageProblem(`${'a-'.repeat(250)}!`);
  });
});

describe('images that some backend takes', () => {
  it.each([
    'debian:12',
    'docker://debian:12',
    `docker://registry.example.com:5000/a@sha256:${'a'.repeat(64)}`,
    'docker-archive:/images/one.tar',
    '/images/one file.sif',
  ])('%s is one', (image) => {
    expect(placedImageProblem(image)).toBeNull();
  });

  it.each([
    '',
    'docker://',
    'docker://--privileged',
    'docker-archive:one.tar',
    'docker-archive:',
    'docker-archive:/a/../b',
    '/a/../../etc',
    '/a\nb',
    './one.sif',
    'file:///one.sif',
    'library://one',
  ])('%j is not one', (image) => {
    expect(placedImageProblem(image)).not.toBeNull();
  });
});

describe('paths inside (CH-11)', () => {
  it.each(['/', '/workspace', '/procedure', '/device/x', '/a b', '/ä', '/...'])('%s is allowed', (path) => {
    expect(insideProblem(path)).toBeNull();
  });

  it.each([
    '',
    'a',
    './a',
    '/a/..',
    '/..',
    '/proc',
    '/proc/self/fd/7',
    '//proc/1/cwd',
    '/./proc/1',
    '/sys/fs',
    '/dev',
    '/dev/shm',
    '/a\0',
    '/a\n',
    '/a\u007f',
    `/${'a'.repeat(4096)}`,
  ])('%j is refused', (path) => {
    expect(insideProblem(path)).not.toBeNull();
  });

  it('are compared by segments', () => {
    expect(isWithin('/etcetera', '/etc')).toBe(false);
    expect(isWithin('/etc/ssl', '/etc')).toBe(true);
    expect(isWithin('/etc', '/etc')).toBe(true);
    expect(isWithin('/', '/etc')).toBe(false);
    expect(isWithin('/anything', '/')).toBe(true);
  });

  it('have one spelling', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', '', '.')), (parts) => {
        const once = canonicalPath(`/${parts.join('/')}`);
        expect(canonicalPath(once)).toBe(once);
        expect(once).toMatch(/^\/(\w+(\/\w+)*)?$/);
      }),
    );
  });
});

describe('the environment of a command', () => {
  it.each(['A', '_', 'path', 'MY_KEY_2', 'GITHUB_TOKEN', 'PATH', 'HOME', 'LDFLAGS', 'ENVIRONMENT', 'MY_LD_PRELOAD'])(
    'may hold %s',
    (name) => {
      expect(() => checkExecEnv({ [name]: 'x' })).not.toThrow();
    },
  );

  it.each([
    '',
    'A=B',
    'A\0',
    'A\n',
    '1A',
    'A-B',
    'A B',
    'BASH_FUNC_ls%%',
    'BASH_FUNC_ls()',
    'ä',
    'A'.repeat(256),
    '__proto__x%',
    'CAISSON_EXEC',
    'caisson_sandbox',
  ])('may not hold a name like %j (EN-07, EN-08)', (name) => {
    expect(() => checkExecEnv({ [name]: 'x' })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(() => checkExecEnv({ [name]: 'x' }, { operator: true })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });

  const controls =
    'LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND IFS CDPATH GLOBIGNORE NODE_OPTIONS PYTHONSTARTUP PYTHONPATH PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_PAGER PAGER EDITOR VISUAL LESSOPEN MANPAGER NPM_CONFIG_PREFIX npm_config_registry PIP_INDEX_URL CARGO_HOME TAR_OPTIONS RIPGREP_CONFIG_PATH HTTP_PROXY HTTPS_PROXY http_proxy NO_PROXY SSL_CERT_FILE'.split(
      ' ',
    );

  it.each(controls)('may hold %s only by word of the operator (EN-06)', (name) => {
    expect(() => checkExecEnv({ [name]: 'x' })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', details: { variable: name } }),
    );
    expect(() => checkExecEnv({ [name]: 'x' }, { operator: true })).not.toThrow();
  });

  it('may not hold values that Linux refuses, and errors never show one (EN-08)', () => {
    for (const value of ['secret\0', `secret${'x'.repeat(128 * 1024)}`, `secret${'ä'.repeat(64 * 1024)}`]) {
      expect(() => checkExecEnv({ TOKEN: value })).toThrow(
        expect.objectContaining({ message: notContaining('secret'), details: { variable: 'TOKEN' } }),
      );
    }
    expect(() => checkExecEnv({ TOKEN: 'x'.repeat(128 * 1024 - 7) })).not.toThrow();
    expect(() => checkExecEnv({ TOKEN: 'x'.repeat(128 * 1024 - 6) })).toThrow('longer than 131072 bytes');
    expect(() =>
      checkExecEnv(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`A${n}`, 'x'.repeat(120 * 1024)]))),
    ).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });

  it('forwards exactly the named variables, and absent ones not at all (EN-03, EN-05)', () => {
    const env = { FOO_KEY: '1', FOO_KEY2: '2', foo_key: '3', EMPTY: '', GONE: undefined };
    expect(forwardedEnv(['FOO_KEY', 'MISSING', 'GONE', 'EMPTY', 'constructor'], env)).toEqual({
      FOO_KEY: '1',
      EMPTY: '',
    });
  });
});

describe('fingerprints', () => {
  const shuffled = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, shuffled(inner)]),
    );
  };

  it('do not depend on the order of keys', () => {
    expect(fingerprint(aSpec)).toMatch(/^[0-9a-f]{32}$/);
    const copy = { ...aSpec };
    expect(fingerprint(Object.assign(copy, shuffled(aSpec)))).toBe(fingerprint(aSpec));
  });

  it('are the same across releases, since sandboxes carry them', () => {
    expect(fingerprint(aSpec)).toBe('41162dd0e524465a6cc0d1096b22d517');
  });

  it.each([
    ['image', { ...aSpec, image: 'debian:13' }],
    ['limits.pids', { ...aSpec, limits: { ...aSpec.limits, pids: null } }],
    ['mounts.0.source', { ...aSpec, mounts: [{ source: '/other', target: '/workspace', readOnly: false }] }],
    ['hardening.user', { ...aSpec, hardening: { ...aSpec.hardening, user: 'root' as const } }],
  ])('differ when %s does, and the key is named', (key, other) => {
    expect(fingerprint(other)).not.toBe(fingerprint(aSpec));
    expect(differingKeys(aSpec, other)).toEqual([key]);
    expect(differingKeys(other, aSpec)).toEqual([key]);
  });

  it('name nothing when nothing differs, and everything of a mount that is gone', () => {
    expect(differingKeys(aSpec, structuredClone(aSpec))).toEqual([]);
    expect(differingKeys(aSpec, { ...aSpec, mounts: [] })).toEqual([
      'mounts.0.readOnly',
      'mounts.0.source',
      'mounts.0.target',
    ]);
  });
});

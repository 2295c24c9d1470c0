import { afterAll, describe, expect, it } from 'vitest';
import { makeHome } from './home.ts';
import { openPlaces } from './places.ts';

const places = await openPlaces();
afterAll(() => places.stop());

const value = (at: number): string => `zqx${at}-plain-looking-value-of-number-${at}`;
const fakes = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`FAKE_SECRET_${at}`, value(at)]));
const passed = '  env_passthrough: [FOO_KEY, NOT_SET]\n';
const host = {
  ...fakes,
  FOO_KEY: 'the-value-of-foo',
  FOO_KEY2: 'no',
  foo_key: 'no',
  LD_DEBUG_OUTPUT: '/x',
  GIT_PAGER: 'x',
};

describe.each(places.backends)('a command on %s', (backend) => {
  it('sees what is named, and nothing else of the service (EN-01, EN-02, EN-03, EN-05, EN-06)', async () => {
    await using home = await makeHome();
    const caisson = await places.open(home, backend, { config: passed, env: host });
    for (const round of [1, 2, 3]) {
      const { stdout } = await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'env | cut -d= -f1'] });
      const names = stdout.text.split('\n').filter((name) => Object.hasOwn(host, name) || name === 'NOT_SET');
      expect([round, names]).toEqual([round, ['FOO_KEY']]); // the direct way, and lanes
    }
    await caisson.close();
  });

  it.each([
    ['a control variable', { LD_PRELOAD: '/x.so' }],
    ['a control variable in lower case', { http_proxy: 'http://x' }],
    ['options of git', { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'alias.x', GIT_CONFIG_VALUE_0: '!id' }],
    ['an exported function', { 'BASH_FUNC_ls%%': '() { echo X; }' }],
    ['an empty name', { '': 'x' }],
    ['a name with an equals sign', { 'A=B': 'x' }],
    ['a NUL byte', { A: 'x\0y' }],
    ['a value of 1 MiB', { A: 'x'.repeat(2 ** 20) }],
  ])('is refused with %s in its environment (EN-06, EN-07, EN-08)', async (_what, env) => {
    await using home = await makeHome();
    const caisson = await places.open(home, backend);
    const run = caisson.run({ command: ['true'], env: { ...env } });
    await expect(run).rejects.toMatchObject({ code: 'invalid_argument' });
    await caisson.close();
  });

  it('finds in no process of its sandbox more than it was given itself (EN-15)', async () => {
    await using home = await makeHome();
    const caisson = await places.open(home, backend, { config: passed, env: host });
    const mine = 'grep -lz "CAISSON_SANDBOX\\|CAISSON_EXEC" /proc/[0-9]*/environ 2>/dev/null';
    const all = backend === 'docker' ? 'echo /proc/[0-9]*/environ' : mine;
    const script = `for f in $(${all}); do tr '\\0' '\\n' <$f 2>/dev/null | grep -o "^FAKE_SECRET_[0-9]*\\|^FOO_KEY2"; done; true`;
    await caisson.run({ taskId: 'demo', command: ['true'] });
    await caisson.run({ taskId: 'demo', command: ['true'] });
    expect((await caisson.run({ taskId: 'demo', command: ['sh', '-c', script] })).stdout.text).toBe('');
    const first = ['sh', '-c', 'tr "\\0" "\\n" </proc/1/environ | grep -c FOO_KEY'] as const;
    if (backend === 'docker') expect((await caisson.run({ taskId: 'demo', command: first })).stdout.text).toBe('0\n');
    await caisson.close();
  });

  it('prints nothing of it, whole, split or encoded, and what looks like a token neither (EN-10, EN-11)', async () => {
    await using home = await makeHome();
    const caisson = await places.open(home, backend, { config: passed, env: host });
    const script = [
      'echo "$FOO_KEY"; printf %.5s "$FOO_KEY"; sleep 0.2; printf %s "${FOO_KEY#the-v}"; echo',
      'printf %s "$FOO_KEY" | base64; printf %s "$FOO_KEY" | od -An -tx1 | tr -d " \\n"; echo',
      'echo ghp_0123456789abcdefghijklmnopqrstuvwxyz >&2; echo kept',
    ].join('\n');
    const { stdout, stderr, exit } = await caisson.run({ taskId: 'demo', command: ['sh', '-c', script] });
    expect(stdout.text).toBe(`${'[REDACTED:FOO_KEY]\n'.repeat(4)}kept\n`);
    expect(stderr.text).toBe('[REDACTED:github-token]\n');
    expect(exit.redactions).toBe(5);
    await caisson.close();
  });

  it('receives nothing when a short secret is declared, but the operator is (EN-14)', async () => {
    await using home = await makeHome();
    const caisson = await places.open(home, backend, {
      config: '  env_passthrough: [PIN_SECRET]\n',
      env: { PIN_SECRET: 'a1b' },
    });
    expect(caisson.config.notices.filter((notice) => notice.includes('PIN_SECRET'))).toHaveLength(1);
    expect(caisson.config.notices.join('')).not.toContain('a1b');
    const { stdout } = await caisson.run({ command: ['sh', '-c', 'echo "$PIN_SECRET"; echo "x$PIN_SECRET"'] });
    expect(stdout.text).toBe('[REDACTED:PIN_SECRET]\nxa1b\n');
    await caisson.close();
  });
});

import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import { compiled } from '../compiled.ts';
import { makeHome } from './home.ts';

const secret = 'a-value-to-hide-1f9c';

/** Every file of the state directory, as text. */
async function stateOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

describe('the environment of a command', () => {
  it('holds forwarded names that are set, and nothing else of the service (EN-01, EN-03, EN-05)', async () => {
    await using home = await makeHome();
    await writeFile(
      join(home.path, 'config.yaml'),
      'terminal:\n  docker_forward_env: [FOO_KEY, NOT_SET]\n  docker_env: {DEBUG: "by the file", FOO_KEY: "of the host first"}\n',
      {
        mode: 0o600,
      },
    );
    const env = { ...home.env, FOO_KEY: secret, FOO_KEY2: 'no', foo_key: 'no', OTHER_TOKEN: 'no' };
    const caisson = await openCaisson({ home: home.path, env, cwd: home.path });
    // What a command prints is recorded, so it only tells names and a digest.
    const names = await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'env | cut -d= -f1 | sort'] });
    const seen = names.stdout.text.split('\n');
    expect(seen).toContain('FOO_KEY');
    expect(
      seen.filter((name) =>
        ['NOT_SET', 'FOO_KEY2', 'foo_key', 'OTHER_TOKEN', 'DOCKER_HOST', 'CAISSON_HOME'].includes(name),
      ),
    ).toEqual([]);
    const digest = await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'printf %s "$FOO_KEY" | sha256sum'] });
    expect(digest.stdout.text).toContain(createHash('sha256').update(secret).digest('hex'));
    const set = await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'echo "$DEBUG"'] });
    const asked = await caisson.run({
      taskId: 'demo',
      command: ['sh', '-c', 'echo "$DEBUG"'],
      env: { DEBUG: 'by the call' },
    });
    expect([set.stdout.text, asked.stdout.text]).toEqual(['by the file\n', 'by the call\n']);
    const shown = (await caisson.config.show()).find(({ key }) => key === 'terminal.docker_env');
    expect(shown?.value).toEqual(['DEBUG', 'FOO_KEY']);
    const inner = await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'grep -c FOO_KEY /proc/1/environ'] });
    expect(inner.stdout.text).toBe('0\n');
    const [container] = await home.containers();
    expect(await home.engine(['inspect', String(container)])).not.toContain(secret);
    await caisson.close();
    expect(await stateOf(home.path)).not.toContain(secret);
  });

  it('refuses to forward what is never passable, and says why (EN-04, EN-06)', async () => {
    await using home = await makeHome();
    for (const name of ['DOCKER_HOST', 'LD_PRELOAD', 'SSH_AUTH_SOCK', 'NOT-A-NAME', 'OPENAI_API_KEY'])
      for (const key of ['docker_forward_env', 'env_passthrough']) {
        await writeFile(join(home.path, 'config.yaml'), `terminal:\n  ${key}: [${name}]\n`, { mode: 0o600 });
        await expect(home.open()).rejects.toMatchObject({ code: 'invalid_argument' });
      }
  });

  it.each(['docker', 'local'])(
    'on %s holds what env_passthrough and skills name, also in code runs (EN-01, EN-03, EN-05)',
    async (backend) => {
      await using home = await makeHome();
      const skill = join(home.path, 'gifs');
      await mkdir(skill);
      await writeFile(
        join(skill, 'SKILL.md'),
        '---\nrequired_environment_variables:\n  - name: TENOR_API_KEY\n    prompt: key\n  - NOT_SET_KEY\n---\n',
      );
      await writeFile(join(home.path, 'config.yaml'), 'terminal:\n  env_passthrough: [MY_TOKEN]\n', { mode: 0o600 });
      const fakes = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`FAKE_${at}_SECRET`, `${secret}-${at}`]));
      const env = {
        ...home.env,
        ...fakes,
        MY_TOKEN: secret,
        MY_TOKEN2: `${secret}2`,
        TENOR_API_KEY: `tenor-${secret}`,
      };
      const caisson = await openCaisson({ home: home.path, env, cwd: home.path });
      const request = { taskId: 'demo', backend };
      const named = async (what: object): Promise<readonly string[]> => {
        const { stdout } = await caisson.run({ ...request, command: ['sh', '-c', 'env | cut -d= -f1'], ...what });
        return stdout.text
          .split('\n')
          .filter((name) => /TOKEN|SECRET|KEY/.test(name))
          .toSorted();
      };
      expect(await named({})).toEqual(['MY_TOKEN']);
      const running = await caisson.exec({ ...request, command: ['true'], skills: ['gifs'] });
      running.ignore();
      expect([running.unsetVariables, (await running.exit).exitCode]).toEqual([['NOT_SET_KEY'], 0]);
      expect(await named({})).toEqual(['MY_TOKEN', 'TENOR_API_KEY']);
      const code = await caisson
        .run({ ...request, code: { language: 'bash', text: 'printf %s "$MY_TOKEN" | wc -c' } })
        .catch(() => null);
      if (code !== null && code.exit.exitCode === 0) expect(Number(code.stdout.text)).toBe(secret.length);
      const printed = await caisson.run({
        ...request,
        command: ['sh', '-c', 'echo "$MY_TOKEN"; echo "$TENOR_API_KEY" >&2'],
      });
      expect([printed.stdout.text, printed.stderr.text]).toEqual([
        '[REDACTED:MY_TOKEN]\n',
        '[REDACTED:TENOR_API_KEY]\n',
      ]);
      expect(printed.exit.redactions).toBe(2);
      await expect(caisson.run({ ...request, command: ['true'], skills: ['nowhere'] })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
      await caisson.close();
      expect(await stateOf(home.path)).not.toContain(secret);
    },
  );
});

describe('the environment of this host', () => {
  it('reaches local commands as local_environment says, and programs of others less (EN-01, EN-02, EN-06)', async () => {
    await using home = await makeHome();
    const fakes = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`FAKE_${at}_TOKEN`, `${secret}-${at}`]));
    const more = { NVM_DIR: '/n', DATABASE_URL: `postgres://me:${secret}@db/x`, LD_DEBUG_X: 'x', GIT_PAGER: 'x' };
    const env = { ...home.env, ...fakes, ...more, MY_TOKEN: secret, NODE_COMPILE_CACHE: '' };
    const names = async (environment: string): Promise<readonly (readonly string[])[]> => {
      const text = `terminal: {backend: local, local_environment: ${environment}, env_passthrough: [MY_TOKEN]}\n`;
      await writeFile(join(home.path, 'config.yaml'), text, { mode: 0o600 });
      const caisson = await openCaisson({ home: home.path, env, cwd: home.path });
      const command = await caisson.run({ command: ['sh', '-c', 'env'] });
      const code = await caisson.run({ code: { language: 'bash', text: 'env' } });
      await caisson.close();
      return [command, code].map(({ stdout }) =>
        [...stdout.text.matchAll(/^([A-Z_]+)=/gm)]
          .map((found) => found[1] ?? '')
          .filter((name) => Object.hasOwn(env, name) && !['PATH', 'HOME', ...Object.keys(compiled)].includes(name))
          .toSorted(),
      );
    };
    expect(await names('minimal')).toEqual([['MY_TOKEN'], ['MY_TOKEN']]);
    expect(await names('host')).toEqual([['MY_TOKEN', 'NVM_DIR'], ['MY_TOKEN']]);
  });
});

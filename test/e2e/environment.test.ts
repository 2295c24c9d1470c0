import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import { makeHome } from './home.ts';

const secret = 'a-value-nobody-else-may-see-1f9c';

/** Every file of the state directory, as text. */
async function stateOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

describe('the environment of a command', () => {
  it('holds forwarded names that are set, and nothing else of the service (EN-01, EN-03, EN-05)', async () => {
    await using home = await makeHome();
    await writeFile(join(home.path, 'config.yaml'), 'terminal:\n  docker_forward_env: [FOO_KEY, NOT_SET]\n', {
      mode: 0o600,
    });
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
    const inner = await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'grep -c FOO_KEY /proc/1/environ'] });
    expect(inner.stdout.text).toBe('0\n');
    const [container] = await home.containers();
    expect(await home.engine(['inspect', String(container)])).not.toContain(secret);
    await caisson.close();
    expect(await stateOf(home.path)).not.toContain(secret);
  });

  it('refuses to forward what is never passable, and says why (EN-04, EN-06)', async () => {
    await using home = await makeHome();
    for (const name of ['DOCKER_HOST', 'LD_PRELOAD', 'SSH_AUTH_SOCK', 'NOT-A-NAME']) {
      await writeFile(join(home.path, 'config.yaml'), `terminal:\n  docker_forward_env: [${name}]\n`, { mode: 0o600 });
      await expect(home.open()).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });
});

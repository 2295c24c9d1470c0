import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { type Home, makeHome } from './home.ts';
import { openPlaces } from './places.ts';

const places = await openPlaces();
afterAll(() => places.stop());

const token = 'ya29-not-a-pattern-of-anybody-7c1e';
const tokenFile = JSON.stringify({ refresh_token: token, kind: 'authorized_user' });

async function open(home: Home, backend: string, config = ''): Promise<Caisson> {
  await writeFile(join(home.path, 'token.json'), tokenFile, { mode: 0o600 });
  return await places.open(home, backend, { config: `  credential_files: [token.json]\n${config}` });
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A command sees the file where it is asked to look, as a secret. */
const sum = ['sh', '-c', 'sha256sum <"$CAISSON_CREDENTIALS/token.json"'] as const;

describe.each(places.backends)('credential files on %s', (backend) => {
  it('are seen by commands, sessions and detached processes, and follow their source (CF-04, CF-05)', async () => {
    await using home = await makeHome();
    const caisson = await open(home, backend);
    const request = { taskId: 'demo', backend };
    const text = async (command: readonly [string, ...string[]]): Promise<string> =>
      (await caisson.run({ ...request, command })).stdout.text;
    expect(await text(sum)).toContain(digest(tokenFile));
    if (backend === 'docker') expect(await text(['sh', '-c', 'echo $CAISSON_CREDENTIALS'])).toBe('/root/.caisson\n');
    const said = await caisson.sessions.run({ taskId: 'demo', name: 'one', text: sum[2] });
    expect(said.stdout.text).toContain(digest(tokenFile));
    await writeFile(join(home.path, 'next'), 'renewed-by-rename', { mode: 0o600 });
    await rename(join(home.path, 'next'), join(home.path, 'token.json'));
    const again = await caisson.sessions.run({ taskId: 'demo', name: 'one', text: sum[2] });
    expect(again.stdout.text).toContain(digest('renewed-by-rename'));
    expect(await text(sum)).toContain(digest('renewed-by-rename'));
    const { id } = await caisson.processes.start({ ...request, command: sum });
    await caisson.processes.wait(id);
    const events = await Array.fromAsync(caisson.execs.logs(id));
    const printed = events.flatMap(({ event }) =>
      event.type === 'stdout' ? [Buffer.from(event.bytes).toString()] : [],
    );
    expect(printed.join('')).toContain(digest('renewed-by-rename'));
    const where = await text(['sh', '-c', 'echo "$CAISSON_CREDENTIALS"']);
    await rm(join(home.path, 'token.json'));
    const gone = await caisson.exec({ ...request, command: ['ls', '-A', where.trim()] });
    gone.ignore('stderr');
    expect(gone.missingFiles).toEqual(['token.json']);
    expect(await Array.fromAsync(gone.stdout)).toEqual([]);
    await caisson.close();
  });

  it('are not there for a task whose skill does not declare them (CF-10)', async () => {
    await using home = await makeHome();
    const caisson = await open(home, backend, '  credential_directory: /root/.hermes/\n');
    await mkdir(join(home.path, 'mail'));
    await writeFile(join(home.path, 'mail', 'SKILL.md'), '---\nrequired_credential_files:\n  - path: mail.json\n---\n');
    await writeFile(join(home.path, 'mail.json'), 'mail-credential');
    const list = ['sh', '-c', 'ls -A "$CAISSON_CREDENTIALS"; ls -A /root/.hermes 2>/dev/null; true'] as const;
    const one = await caisson.run({ taskId: 'one', backend, command: list, skills: ['mail'] });
    const two = await caisson.run({ taskId: 'two', backend, command: list });
    expect([one.stdout.text.includes('mail.json'), two.stdout.text.includes('mail.json')]).toEqual([true, false]);
    if (backend === 'docker') expect(one.stdout.text).toBe('mail.json\ntoken.json\nmail.json\ntoken.json\n');
    await caisson.close();
  });

  it('are neither printed, recorded nor left behind (CF-07, CF-08, EN-09, EN-10)', async () => {
    await using home = await makeHome();
    const caisson = await open(home, backend);
    const script =
      'cat "$CAISSON_CREDENTIALS/token.json"; stat -c %a "$CAISSON_CREDENTIALS/token.json"; echo "$CAISSON_CREDENTIALS"';
    const printed = await caisson.run({ taskId: 'demo', backend, command: ['sh', '-c', script] });
    expect(printed.stdout.text).not.toContain(token);
    const [, mode, directory = ''] = printed.stdout.text.trimEnd().split(/\n|(?<=\})(?=\d)/);
    expect(mode).toBe('400');
    const other = await caisson.run({ taskId: 'demo', backend, command: ['sh', '-c', `printf %s ${token}`] });
    expect(other.stdout.text).not.toContain(token);
    const container = backend === 'docker' ? String((await home.containers())[0]) : null;
    if (container !== null) {
      expect(await home.engine(['inspect', container])).not.toContain(token);
      const image = await home.engine(['commit', container]);
      const inImage = await home
        .engine(['run', '--rm', '--entrypoint', 'ls', image, '-A', '/root/.caisson'])
        .catch(String);
      await home.engine(['rmi', image]);
      expect(inImage).not.toContain('token.json');
    }
    if (container === null) await expect(readdir(directory)).resolves.toEqual(['token.json']);
    await caisson.sandboxes.remove('demo', { keepFiles: true });
    if (container === null) await expect(readdir(directory)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(join(home.path, 'credentials'))).toEqual([]);
    await caisson.close();
    await rm(join(home.path, 'token.json'));
    const entries = await readdir(home.path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')));
    expect(files.filter((_file, at) => texts[at]?.includes(token))).toEqual([]);
  });

  it('are refused as a download, left out of what they lie in, and that is audited (CF-09)', async () => {
    await using home = await makeHome();
    const caisson = await open(home, backend);
    const script =
      'cd "${CAISSON_CREDENTIALS%/*}" && pwd -P; ln -s "$CAISSON_CREDENTIALS" /tmp/link-$$; echo /tmp/link-$$; echo kept >note';
    const { stdout } = await caisson.run({ taskId: 'demo', backend, command: ['sh', '-c', script] });
    const [above = '', link = ''] = stdout.text.split('\n');
    const { stdout: reported } = await caisson.run({
      taskId: 'demo',
      backend,
      command: ['sh', '-c', 'echo "$CAISSON_CREDENTIALS"'],
    });
    const inside = reported.text.trim();
    await using elsewhere = await makeHome();
    const target = join(elsewhere.path, 'out');
    for (const source of [
      inside,
      `${inside}/token.json`,
      `${inside}/.`,
      link,
      `${link}/token.json`,
      `${above}/x/../${inside.slice(above.length + 1)}`,
    ])
      await expect(caisson.files.copyOut({ task: 'demo', source, target })).rejects.toMatchObject({
        code: 'policy_denied',
      });
    await mkdir(target);
    await caisson.files.copyOut({ task: 'demo', source: `${above}/.`, target });
    const names = await readdir(target, { recursive: true });
    expect(names).toContain('note');
    expect(names.filter((name) => name.includes('token.json'))).toEqual([]);
    await caisson.run({ taskId: 'demo', backend, command: ['rm', link] });
    const denied = (await Array.fromAsync(caisson.audit.tail({ count: 100 }))).filter(
      (record) => record['kind'] === 'copy',
    );
    expect(denied).toHaveLength(6);
    await caisson.close();
  });
});

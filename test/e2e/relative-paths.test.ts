import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeHome } from './home.ts';
import { openPlaces } from './places.ts';

const places = await openPlaces();
afterAll(async () => await places.stop());

describe.each(places.backends)('a relative path inside, on %s', (backend) => {
  it('starts where commands start, for every file tool and copies both ways', async () => {
    await using home = await makeHome();
    const here = await mkdtemp(join(tmpdir(), 'caisson-relative-'));
    // On this host the test's own directory is the state directory, which is protected.
    const caisson = await places.open(home, backend, backend === 'local' ? { config: `  cwd: ${here}\n` } : {});
    const task = 'relative';
    await caisson.sandboxes.create({ taskId: task });
    const { stdout } = await caisson.run({ taskId: task, command: ['pwd'] });
    const at = stdout.text.trim();
    await caisson.files.write({ task, path: 'notes/a.txt', bytes: Buffer.from('one\n') });
    expect((await caisson.run({ taskId: task, command: ['cat', `${at}/notes/a.txt`] })).stdout.text).toBe('one\n');
    await writeFile(join(here, 'b.txt'), 'two\n');
    await caisson.files.copyIn({ task, source: join(here, 'b.txt'), target: 'notes/' });
    expect(Buffer.from((await caisson.files.read({ task, path: './notes/b.txt' })).bytes).toString()).toBe('two\n');
    await caisson.files.move({ task, path: 'notes/b.txt', to: 'c.txt' });
    await caisson.files.copyOut({ task, source: 'c.txt', target: join(here, 'out.txt') });
    expect(await readFile(join(here, 'out.txt'), 'utf8')).toBe('two\n');
    const { entries } = await caisson.files.list({ task, path: '.' });
    expect(entries.map(({ name }) => name)).toEqual(expect.arrayContaining(['notes', 'c.txt']));
    await expect(caisson.files.read({ task, path: '' })).rejects.toMatchObject({ code: 'invalid_argument' });
    for (const path of ['notes', 'c.txt']) await caisson.files.remove({ task, path, recursive: true });
    await caisson.sandboxes.remove(task);
    await caisson.close();
    await rm(here, { recursive: true });
  });
});

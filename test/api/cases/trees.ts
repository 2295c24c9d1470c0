import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Place } from '../place.ts';
import { bytesOf, firstOf, refused } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function treeCases(suite: Suite): void {
  archiveCases(suite);
  watchCases(suite);
  hostCases(suite);
}

async function partsOf(bytes: Uint8Array): Promise<AsyncIterable<Uint8Array>> {
  return await Promise.resolve(
    (async function* () {
      for (let at = 0; at < bytes.length; at += 1000) {
        await Promise.resolve();
        yield bytes.subarray(at, at + 1000);
      }
    })(),
  );
}

async function archived(place: Place, path: string): Promise<Buffer> {
  await using archive = await place.agent.files.archive({ task: place.task, path });
  return await bytesOf(archive.parts);
}

function archiveCases(suite: Suite): void {
  suite.placeTest(
    'files.archive.tree',
    'gives a directory that unpack makes again, without links that lead outside',
    async (place) => {
      const { task, agent } = place;
      const dir = await place.directory();
      await place.sh(
        `cd ${dir} && mkdir -p tree/sub/empty && echo one >'tree/sub/a b' && ln -s 'sub/a b' tree/in && ln -s /etc tree/out && echo x >tree/p && chmod 755 tree/p`,
      );
      const bytes = await archived(place, `${dir}/tree`);
      const result = await agent.files.unpack({ task, path: `${dir}/again`, archive: await partsOf(bytes) });
      expect(result).toMatchObject({ files: 2, skipped: [] });
      const look = 'cat in && ls -A . sub && test -x p && ! test -x "sub/a b"';
      const { stdout, exit } = await place.sh(`cd ${dir}/again && ${look}`);
      expect([stdout.text, exit.exitCode]).toEqual(['one\n.:\nin\np\nsub\n\nsub:\na b\nempty\n', 0]);
    },
  );

  suite.placeTest('files.archive.skipped', 'says which entries were left out', async (place) => {
    const { task } = place;
    const dir = await place.directory();
    await place.sh(`cd ${dir} && ln -s /etc out && echo x >f`);
    await using archive = await place.agent.files.archive({ task, path: dir });
    await bytesOf(archive.parts);
    expect([archive.files, archive.skipped.map(({ path }) => path)]).toEqual([1, ['out']]);
  });

  suite.test('files.archive.file', 'gives a single file as an archive of that file', async (place) => {
    const { task, agent } = place;
    const dir = await place.directory();
    await agent.files.write({ task, path: `${dir}/one.txt`, bytes: 'one' });
    const bytes = await archived(place, `${dir}/one.txt`);
    expect(await agent.files.unpack({ task, path: `${dir}/to`, archive: await partsOf(bytes) })).toMatchObject({
      files: 1,
    });
    expect((await place.sh(`cat ${dir}/to/one.txt`)).stdout.text).toBe('one');
  });

  suite.test('files.archive.missing', 'has nothing of a path that is not there', async (place) => {
    await refused(place.agent.files.archive({ task: place.task, path: '/no/such/tree' }), 'not_found');
  });

  suite.placeTest(
    'files.unpack.cut',
    'refuses an archive that is cut, and bytes that are no archive, and changes nothing',
    async (place) => {
      const { task, agent } = place;
      const dir = await place.directory();
      await agent.files.write({ task, path: `${dir}/tree/f`, bytes: 'new' });
      const bytes = await archived(place, `${dir}/tree`);
      await agent.files.write({ task, path: `${dir}/to/f`, bytes: 'old' });
      for (const wrong of [bytes.subarray(0, -1024), Buffer.alloc(4096, 'x'), Buffer.alloc(0)]) {
        const unpacking = agent.files.unpack({ task, path: `${dir}/to`, archive: await partsOf(wrong) });
        await refused(unpacking, 'invalid_argument');
      }
      expect((await place.sh(`cat ${dir}/to/f; ls ${dir}/to`)).stdout.text).toBe('oldf\n');
    },
  );

  suite.placeTest('files.unpack.parent', 'makes the directory, but not what is above it', async (place) => {
    const { task, agent } = place;
    const dir = await place.directory();
    await agent.files.write({ task, path: `${dir}/f`, bytes: 'x' });
    const bytes = await archived(place, `${dir}/f`);
    const unpack = async (path: string) => await agent.files.unpack({ task, path, archive: await partsOf(bytes) });
    await refused(unpack(`${dir}/none/below`), 'not_found');
    expect(await unpack(`${dir}/made`)).toMatchObject({ files: 1, bytes: 1 });
  });
}

function watchCases(suite: Suite): void {
  suite.placeTest(
    'files.watch.changes',
    'says what is created, modified and removed below a directory',
    async (place) => {
      const { task, agent } = place;
      const path = await place.directory();
      await place.sh(`mkdir ${path}/sub; echo a >${path}/old`);
      const changes = await agent.files.watch({ task, path, recursive: true, intervalMs: 200 });
      await place.sh(`echo x >${path}/sub/new; echo longer >${path}/old`);
      const seen = new Map<string, string>();
      for await (const change of changes) {
        if (change.type === 'created' || change.type === 'modified' || change.type === 'removed') {
          if (seen.size === 0) await sleep(0);
          if (change.kind === 'file') seen.set(`${change.type} ${change.path}`, change.kind);
        }
        if (seen.has('created sub/new') && seen.has('modified old') && !seen.has('asked'))
          seen.set('asked', (await place.sh(`rm ${path}/old`)).execId);
        if (seen.has('removed old')) break;
      }
      expect([...seen.keys()]).toEqual(expect.arrayContaining(['created sub/new', 'modified old', 'removed old']));
    },
  );

  suite.placeTest('files.watch.ends', 'ends when its directory is gone', async (place) => {
    const { task, agent } = place;
    const path = `${await place.directory()}/gone`;
    await place.sh(`mkdir ${path}`);
    const changes = await agent.files.watch({ task, path, intervalMs: 200 });
    await place.sh(`rmdir ${path}`);
    expect(await firstOf(changes, ({ type }) => type === 'end')).toEqual({ type: 'end', reason: 'directory' });
  });

  suite.test(
    'files.watch.refused',
    'watches no file, and looks no more often than five times a second',
    async (place) => {
      const { task, agent } = place;
      await refused(agent.files.watch({ task, path: '/etc/hosts' }), 'failed_precondition');
      await refused(agent.files.watch({ task, path: '/usr', intervalMs: 10 }), 'invalid_argument');
      await refused(agent.files.watch({ task, path: '/no/such/directory' }), 'not_found');
    },
  );
}

function hostCases(suite: Suite): void {
  suite.placeTest('files.copyIn.tree', 'copies a tree of this host into the sandbox', async (place) => {
    const { task, agent } = place;
    const source = await hostTree(place);
    const target = `${await place.directory()}/copied`;
    expect(await agent.files.copyIn({ task, source, target })).toMatchObject({ files: 2 });
    expect((await place.sh(`cat ${target}/a ${target}/sub/b`)).stdout.text).toBe('ab');
  });

  suite.placeTest('files.copyOut.tree', 'copies a tree of the sandbox to this host', async (place) => {
    const { task, agent } = place;
    const source = `${await place.directory()}/made`;
    await place.sh(`mkdir -p ${source}/sub && printf x >${source}/sub/f`);
    const target = join(await place.hostDirectory(), 'out');
    expect(await agent.files.copyOut({ task, source, target })).toMatchObject({ files: 1, skipped: [] });
    expect(readFileSync(join(target, 'sub', 'f'), 'utf8')).toBe('x');
  });

  suite.placeTest('files.sync.both-ways', 'brings a directory of this host in, and its changes out', async (place) => {
    const { task, agent } = place;
    const host = await hostTree(place);
    const inside = `${await place.directory()}/synced`;
    await agent.files.sync({ task, host, inside, direction: 'in' });
    await place.sh(`printf changed >${inside}/a`);
    await agent.files.sync({ task, host, inside, direction: 'out' });
    expect(readFileSync(join(host, 'a'), 'utf8')).toBe('changed');
  });
}

async function hostTree(place: Place): Promise<string> {
  const root = await place.hostDirectory();
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'a'), 'a');
  writeFileSync(join(root, 'sub', 'b'), 'b');
  symlinkSync('/etc/passwd', join(root, 'outside'));
  return root;
}

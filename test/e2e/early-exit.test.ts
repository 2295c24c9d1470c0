import { expect, it, vi } from 'vitest';
import { makeHome } from './home.ts';

it('run ends before its sandbox is removed, and the engine completes the removal', async () => {
  await using home = await makeHome();
  expect(await home.cli(['run', '-q', '--', 'echo', 'done'])).toMatchObject({ code: 0, stdout: 'done\n' });
  await vi.waitFor(async () => expect(await home.containers()).toEqual([]), { timeout: 20_000 });
  // The next process sees that it is gone, and takes the record and the network with it.
  const listed = await home.cli(['ls', '-q']);
  const caisson = await home.open();
  await vi.waitFor(async () => expect((await caisson.sandboxes.list()).items).toEqual([]), { timeout: 20_000 });
  await caisson.close();
  expect(await home.networks()).toEqual([]);
  expect(listed.code).toBe(0);
});

it('runs beside each other leave nothing behind', async () => {
  await using home = await makeHome();
  const runs = Array.from({ length: 12 }, (_, at) =>
    home.cli(['run', '-q', '--network', 'none', '--', 'echo', String(at)]),
  );
  const ended = await Promise.all(runs);
  expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual(ended.map((_, at) => [0, `${at}\n`]));
  await vi.waitFor(async () => expect(await home.containers()).toEqual([]), { timeout: 60_000, interval: 500 });
  await home.cli(['gc']);
  expect(await home.cli(['ls', '-q'])).toMatchObject({ code: 0, stdout: '' });
}, 180_000);

it('a library that closes without a word about removals waits for them', async () => {
  await using home = await makeHome();
  const caisson = await home.open();
  const running = await caisson.exec({ command: ['true'] });
  running.stdout.resume();
  running.stderr.resume();
  await running.exit;
  await caisson.close();
  expect(await home.containers()).toEqual([]);
});

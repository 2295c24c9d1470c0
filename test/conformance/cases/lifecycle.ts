import { expect } from 'vitest';
import { run, sh, start } from '../command.ts';
import type { Suite } from '../suite.ts';

export function lifecycleCases(suite: Suite): void {
  suite.test('lifecycle.create', 'makes a running sandbox that runs a command', async (place) => {
    const sandbox = await place.create();
    expect(sandbox.state).toBe('running');
    expect(sandbox.place.resource.length).toBeGreaterThan(0);
    const { exitCode, stdout } = await run(sandbox, ['echo', 'hello']);
    expect({ exitCode, text: stdout.toString() }).toEqual({ exitCode: 0, text: 'hello\n' });
    await place.destroy(sandbox);
  });

  suite.test('lifecycle.labels', 'lists a sandbox with exactly the labels it was given', async (place) => {
    const options = place.options();
    const sandbox = await place.create({ options });
    const listed = (await place.listed()).find(({ labels }) => labels.sandbox === options.labels.sandbox);
    expect(listed).toEqual({ ref: sandbox.ref, labels: options.labels, state: 'running' });
    expect(await place.backend.list({ instance: `${place.instance}x` })).toEqual([]);
    await place.destroy(sandbox);
  });

  suite.test(
    'lifecycle.attach',
    'is found again by its ref, as stored text, through another Backend object',
    async (place) => {
      const made = await place.create();
      await sh(made, 'echo kept >/tmp/conformance-$CAISSON_EXEC', { env: { CAISSON_EXEC: place.instance } });
      const backend = await place.another();
      const found = await backend.attach(JSON.parse(JSON.stringify(made.ref)));
      expect({ ref: found.ref, state: found.state }).toEqual({ ref: made.ref, state: 'running' });
      await expect.poll(() => made.place).toEqual(found.place);
      expect(found.init).toBeUndefined();
      const { stdout } = await sh(
        found,
        `cat /tmp/conformance-${place.instance}; rm /tmp/conformance-${place.instance}`,
      );
      expect(stdout.toString()).toBe('kept\n');
      await place.destroy(made);
    },
  );

  suite.test('lifecycle.attach-gone', 'tells not_found for a sandbox that was destroyed', async (place) => {
    const sandbox = await place.create();
    await place.destroy(sandbox);
    await expect(place.backend.attach(sandbox.ref)).rejects.toMatchObject({ code: 'not_found' });
  });

  suite.test(
    'lifecycle.exec-gone',
    'tells not_found for a command in a sandbox that another process destroyed',
    async (place) => {
      const sandbox = await place.create();
      const other = await (await place.another()).attach(sandbox.ref);
      await other.destroy();
      await expect(run(sandbox, ['true'])).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  suite.test(
    'lifecycle.destroy-twice',
    'may be destroyed again, also from an object that did not see it',
    async (place) => {
      const sandbox = await place.create();
      const other = await (await place.another()).attach(sandbox.ref);
      await place.destroy(sandbox);
      await sandbox.destroy();
      await other.destroy();
      expect(await place.listed()).not.toContainEqual(expect.objectContaining({ ref: sandbox.ref }));
    },
  );

  suite.test(
    'lifecycle.destroy-running',
    'ends running commands when it is destroyed, and their wait settles',
    async (place) => {
      const sandbox = await place.create();
      const process = await start(sandbox, ['sleep', '300']);
      process.stdout.resume();
      process.stderr.resume();
      const end = process.wait().catch((error: unknown) => error);
      await place.destroy(sandbox);
      expect(await end).not.toMatchObject({ exitCode: 0 });
      process.release();
    },
  );

  suite.test('lifecycle.parallel', 'makes several sandboxes at once, each with its own name', async (place) => {
    const made = await Promise.all(Array.from({ length: 5 }, () => place.create()));
    const refs = made.map(({ ref }) => JSON.stringify(ref));
    expect(new Set(refs).size).toBe(5);
    const listed = new Set((await place.listed()).map(({ ref }) => JSON.stringify(ref)));
    expect(refs.filter((ref) => !listed.has(ref))).toEqual([]);
    const outputs = await Promise.all(made.map((sandbox, index) => run(sandbox, ['echo', String(index)])));
    expect(outputs.map(({ stdout }) => stdout.toString())).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n']);
    await Promise.all(made.map((sandbox) => place.destroy(sandbox)));
  });

  suite.test('lifecycle.close-twice', 'closes twice, and sandboxes live on', async (place) => {
    const backend = await place.another();
    const sandbox = await place.create({ backend });
    sandbox.init?.release();
    await backend.close();
    await backend.close();
    const found = await place.backend.attach(sandbox.ref);
    expect((await run(found, ['true'])).exitCode).toBe(0);
    await place.destroy(found);
  });
}

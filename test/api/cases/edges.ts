/** Behaviour on which frameworks of agents rely: sizes near the limits of a kernel, and errors that programs tell apart. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Suite } from '../suite.ts';

/** MAX_ARG_STRLEN of Linux less its NUL. */
const longestArgument = 131_071;

export function edgeCases(suite: Suite): void {
  suite.placeTest('execs.run.input-10mib', 'gives a command 10 MiB as its input', async (place) => {
    const input = new Uint8Array(10 * 2 ** 20).fill(7);
    const { stdout } = await place.agent.execs.run({ taskId: place.task, command: ['sha256sum'], input });
    expect(stdout.text.slice(0, 64)).toBe(createHash('sha256').update(input).digest('hex'));
  });

  suite.placeTest('execs.run.long-arguments', 'passes on as much as the kernel takes', async (place) => {
    const taskId = await place.fresh();
    // On a host, a command that is too long to be read is asked about.
    await place.agent.approvals.skip(taskId, true);
    const one = await place.agent.execs.run({ taskId, command: ['printf', '%s', 'y'.repeat(longestArgument)] });
    expect(one.stdout.bytes).toBe(longestArgument);
    // There, more than a mebibyte is never read, and so never run without a person.
    const count = place.subject.isContained ? 15 : 9;
    const words = Array.from({ length: count }, () => 'y'.repeat(100_000));
    const many = await place.agent.execs.run({ taskId, command: ['printf', '%.1s', ...words] });
    await place.agent.approvals.skip(taskId, false);
    expect(many.stdout.text).toBe('y'.repeat(count));
  });

  suite.placeTest('execs.run.too-long', 'starts nothing with more than that, and names the most', async (place) => {
    const run = async (words: readonly string[]) =>
      await place.agent.execs.run({ taskId: place.task, command: ['true', ...words] });
    await expect(run(['y'.repeat(longestArgument + 1)])).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { reason: 'too-large', most: longestArgument },
    });
    await expect(run(Array.from({ length: 40 }, () => 'y'.repeat(100_000)))).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { reason: 'too-large' },
    });
  });

  suite.placeTest('files.read.reasons', 'tells missing files, directories and devices apart', async (place) => {
    const { task, agent } = place;
    const directory = await place.directory();
    await place.sh(`cd ${directory} && mkdir sub && ln -s nowhere dangling`);
    const reasonOf = async (reading: Promise<unknown>): Promise<unknown> =>
      await reading.then(
        () => 'none',
        (error: unknown) => Reflect.get(Object(Reflect.get(Object(error), 'details')), 'reason'),
      );
    const read = async (path: string) => await reasonOf(agent.files.read({ task, path }));
    expect([await read(`${directory}/no`), await read(`${directory}/dangling`)]).toEqual(['missing', 'missing']);
    expect([await read(`${directory}/sub`), await read('/dev/null')]).toEqual(['directory', 'special']);
    expect(await reasonOf(agent.files.list({ task, path: `${directory}/dangling` }))).toBe('missing');
    expect(await reasonOf(agent.files.write({ task, path: `${directory}/sub`, bytes: 'x' }))).toBe('directory');
    expect(await reasonOf(agent.files.read({ task, path: `${directory}/no`, length: 2 ** 30 }))).toBe('too-large');
  });

  suite.placeTest('execs.run.hundred', 'runs a hundred commands of one task at once', async (place) => {
    const numbers = Array.from({ length: 100 }, (_, index) => `${index}`);
    const results = await Promise.all(
      numbers.map(async (number) => await place.agent.execs.run({ taskId: place.task, command: ['echo', number] })),
    );
    expect(results.map(({ stdout }) => stdout.text.trim())).toEqual(numbers);
  });
}

/** Names of tasks as callers give them who mix up verbs that take a name and verbs that take an object. */
import { describe, expect, it } from 'vitest';
import { byTask } from '../../src/service/verbs/task.ts';

/** Verbs that give what they got. */
const echo = {
  remove: async (task: unknown, how?: unknown) => await Promise.resolve([task, how]),
  create: async (input: unknown) => await Promise.resolve([input]),
  skipped: (task: unknown) => [task],
};
const noun = byTask(echo, {
  remove: { takes: ['task', '...?'], keys: { keepFiles: true } },
  create: { takes: ['...'], keys: { taskId: true, image: true } },
  skipped: { takes: ['task'], now: true },
});

describe('a verb that takes the name of a task by itself', () => {
  it('gets it, with what follows', async () => {
    expect(await noun.remove('build', { keepFiles: true })).toEqual(['build', { keepFiles: true }]);
    expect(await noun.remove(undefined)).toEqual([undefined, undefined]);
  });

  it.each([
    [{ taskId: 'build' }, 'write remove("build")'],
    [{ task: 'build', keepFiles: true }, 'write remove("build")'],
    [{ id: 'build' }, 'give the task id as a text'],
    [['build'], 'give the task id as a text'],
    [7, 'give the task id as a text'],
    [null, 'give the task id as a text'],
  ])('refuses %j and says what to write', async (given, remedy) => {
    await expect(noun.remove(given)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('by itself'),
      remedy,
    });
  });

  it('throws at once where the verb answers at once', () => {
    expect(noun.skipped('build')).toEqual(['build']);
    expect(() => noun.skipped({ taskId: 'build' })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

describe('a verb that takes an object', () => {
  it('gets it under the name that it knows', async () => {
    const wanted = [{ taskId: 'build', image: 'i' }];
    expect(await noun.create({ task: 'build', image: 'i' })).toEqual(wanted);
    expect(await noun.create({ taskId: 'build', image: 'i' })).toEqual(wanted);
    expect(await noun.create({ task: 'build', taskId: 'build', image: 'i' })).toEqual(wanted);
    await expect(noun.create({ task: 'a', taskId: 'b' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

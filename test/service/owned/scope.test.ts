/** Ids and sentences on their way between one owner and core. */
import { expect, it } from 'vitest';
import { CaissonError } from '../../../src/errors.ts';
import { Scope } from '../../../src/service/owned/scope.ts';
import { isTaskKey } from '../../../src/values/task.ts';
import { checkOwner, ownerOf, ownerOfExec, taskIn } from '../../../src/values/owner.ts';

const owners = ['operator', 'alice', 'bob', 'a', 'a-1', 'exec', 'x'.repeat(32)];
const letters = 'abcxyz019-_';
const random = (length: number): string =>
  Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join('');
const taskIds = [
  'build',
  'exec_x',
  'a',
  'eph-1',
  'x'.repeat(63),
  ...Array.from({ length: 200 }, () => `t${random(9)}`),
];
const where = { backend: 'docker', sandboxId: 'sbx_a', host: null, resource: null, recreated: false };

it('an id comes back as its owner named it, and belongs to that owner alone', () => {
  for (const owner of owners)
    for (const taskId of taskIds) {
      const scope = new Scope(owner);
      const [task, exec] = [scope.taskKey(taskId), scope.execKey(`exec_${taskId}`)];
      expect([isTaskKey(task), ownerOf(task), taskIn(task), ownerOfExec(exec)]).toEqual([true, owner, taskId, owner]);
      const result = scope.ofResult({ execId: exec, where: { ...where, taskId: task } });
      expect(result).toEqual({ execId: `exec_${taskId}`, where: { ...where, taskId } });
      for (const other of owners.filter((each) => each !== owner))
        expect([new Scope(other).has({ taskId: task }), new Scope(other).hasExec(exec)]).toEqual([false, false]);
    }
});

it('keys of two owners, or of two tasks, are never the same', () => {
  const keys = owners.flatMap((owner) => taskIds.map((taskId) => new Scope(owner).taskKey(taskId)));
  expect(new Set(keys).size).toBe(owners.length * new Set(taskIds).size);
});

it.each(['bob.build', 'operator.build', '.build', 'build.', 'a.b.c', 'Build', '', 'sbx_0123456789abcdef'])(
  'a client cannot name the task %j',
  (taskId) => {
    for (const owner of owners)
      expect(() => new Scope(owner).taskKey(taskId)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  },
);

it.each(['exec_bob.x', 'exec_operator.x', 'exec_.x', 'exec_', 'x', 'exec_a.b.c'])(
  'a client cannot name the exec %j',
  (execId) => {
    for (const owner of owners)
      expect(() => new Scope(owner).execKey(execId)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  },
);

it('a key of the operator has no prefix, so that one with it is no key', () => {
  expect([isTaskKey('operator.build'), isTaskKey('alice.build'), isTaskKey('alice.sbx_0123456789abcdef')]).toEqual([
    false,
    true,
    false,
  ]);
});

it('errors hold ids as their owner named them, in the message, the remedy and the details', () => {
  for (const owner of owners)
    for (const taskId of taskIds.slice(0, 20)) {
      const scope = new Scope(owner);
      const [task, exec] = [scope.taskKey(taskId), scope.execKey('exec_x')];
      const inCore = new CaissonError('conflict', `task ${task} has ${exec}, "${task}"`, {
        remedy: `use ${task}`,
        details: { taskId: task, list: [exec, { task }] },
      });
      expect(scope.error(inCore)).toMatchObject({
        code: 'conflict',
        message: `task ${taskId} has exec_x, "${taskId}"`,
        remedy: `use ${taskId}`,
        details: { taskId, list: ['exec_x', { task: taskId }] },
      });
    }
});

it.each(['', 'Alice', '1a', 'a.b', 'a_b', 'ä', 'x'.repeat(33), 7, null])('%j is no name of an owner', (name) => {
  expect(() => checkOwner(name)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
});

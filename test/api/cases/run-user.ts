import { expect } from 'vitest';
import { refused } from '../reading.ts';
import type { Suite } from '../suite.ts';

/** Commands of another user of the sandbox. */
export function runUserCases(suite: Suite): void {
  suite.placeTest(
    'execs.run.user',
    'runs it, or a program, as a user of the sandbox, where the place has them',
    async (place) => {
      const request = { taskId: place.task, command: ['id', '-u'], cwd: '/tmp', user: '4242:4343' };
      // A host has one account for all commands.
      if (!place.subject.isContained) return await refused(place.agent.execs.run(request), 'not_supported');
      const { execId, stdout } = await place.agent.execs.run(request);
      expect(stdout.text).toBe('4242\n');
      expect((await place.agent.execs.get(execId)).user).toBe('4242:4343');
      const program = {
        taskId: place.task,
        code: { language: 'bash', text: 'pwd; id -u' },
        user: '4242:4343',
      } as const;
      const [directory = '', id] = (await place.agent.execs.run(program)).stdout.text.split('\n');
      expect([id, (await place.sh(`test -e ${directory}`)).exit.exitCode]).toEqual(['4242', 1]);
      const unknown = { ...request, user: 'no-such-user' };
      await refused(place.agent.execs.run(unknown), 'invalid_argument');
    },
  );

  suite.placeTest(
    'execs.run.user-repeated',
    'is a conflict with the id of a command of another user',
    async (place) => {
      const request = { taskId: place.task, command: ['id', '-u'], execId: `exec_${place.name('user')}` };
      await place.agent.execs.run(request);
      await refused(place.agent.execs.run({ ...request, user: 'root' }), 'conflict');
    },
  );

  suite.test('execs.run.bad-user', 'refuses what is no user', async (place) => {
    for (const user of ['', '-u', 'a b', 'a:b:c'])
      await refused(place.agent.execs.run({ taskId: place.task, command: ['true'], user }), 'invalid_argument');
  });
}

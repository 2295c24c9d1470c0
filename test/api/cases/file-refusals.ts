import { expect } from 'vitest';
import { refused } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function fileRefusalCases(suite: Suite): void {
  suite.test('files.read.refused', 'says what is wrong with a path', async (place) => {
    const { task, agent } = place;
    await refused(agent.files.read({ task, path: '/no/such/file' }), 'not_found');
    await expect(agent.files.read({ task, path: 'no/such/file' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/there is no \/\S*no\/such\/file in the sandbox/),
      remedy: expect.not.stringContaining('not accepted'),
    });
    await refused(agent.files.read({ task, path: '/usr' }), 'failed_precondition');
    await refused(agent.files.read({ task, path: '/dev/null' }), 'invalid_argument');
    await refused(agent.files.read({ task, path: '' }), 'invalid_argument');
    await refused(agent.files.read({ task: 'never-made', path: '/etc/hosts' }), 'not_found');
  });

  suite.test('files.read.bad-key', 'refuses a key that is not known', async (place) => {
    const input = { task: place.task, path: '/etc/hosts', lenght: 5 };
    await refused(place.agent.files.read(input), 'invalid_argument');
  });

  suite.test('files.write.bad-key', 'refuses a key that is not known, and writes nothing', async (place) => {
    const path = `${await place.directory()}/f`;
    const input = { task: place.task, path, bytes: 'x', expect: null };
    await refused(place.agent.files.write(input), 'invalid_argument');
    await refused(place.agent.files.stat({ task: place.task, path }), 'not_found');
  });

  suite.placeTest('files.remove.root', 'never removes the root', async (place) => {
    await refused(place.agent.files.remove({ task: place.task, path: '/', recursive: true }), 'invalid_argument');
  });

  suite.test('files.write.denied', 'keeps to rules about files', async (place) => {
    const task = await place.fresh({}, 'asked');
    const dir = await place.directory(task);
    await place.agent.run({ taskId: task, command: ['sh', '-c', `echo secret >${dir}/denied.txt`] });
    await refused(place.agent.files.write({ task, path: `${dir}/denied.txt`, bytes: 'x' }), 'policy_denied');
    await refused(place.agent.files.read({ task, path: `${dir}/denied.txt` }), 'policy_denied');
    const moved = { task, path: `${dir}/denied.txt`, to: `${dir}/fine.txt` };
    await refused(place.agent.files.move(moved), 'policy_denied');
  });
}

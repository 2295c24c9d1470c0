/** Names at the limits of their grammars, as core puts them together. */
import { expect, it } from 'vitest';
import { apiOf } from '../../src/service/owned.ts';
import { makeHome } from './home.ts';

const noLimits = { execs: null, requestsPerMinute: null };

it('an owner, a task and execs may have the longest names that are allowed', { timeout: 60_000 }, async () => {
  await using home = await makeHome();
  const caisson = await home.open();
  const owner = 'a'.repeat(32);
  const api = apiOf(caisson, { id: 'tok_x', owner, scopes: ['run', 'read'], bounds: null, limits: noLimits });
  const taskId = 'b'.repeat(63);
  const execId = `exec_${'c'.repeat(64)}`;
  await api.sandboxes.create({ taskId, backend: 'docker' });
  const ran = await api.execs.run({ taskId, existing: true, execId, command: ['echo', 'x'] });
  expect(ran).toMatchObject({ execId, where: { taskId }, stdout: { text: 'x\n' } });
  const processId = `exec_${'d'.repeat(64)}`;
  await api.processes.start({ taskId, existing: true, execId: processId, command: ['true'] });
  expect(await api.processes.wait(processId)).toMatchObject({ id: processId, exitCode: 0 });
  const code = { language: 'bash', text: 'echo y' } as const;
  expect((await api.execs.run({ taskId, existing: true, code })).exit.reason).toBe('exited');
  await api.execs.run({ taskId, existing: true, command: ['touch', '/workspace/kept'] });
  await api.sandboxes.remove(taskId, { keepFiles: true });
  await api.sandboxes.remove(taskId);
  await expect(api.sandboxes.get(taskId)).rejects.toMatchObject({ code: 'not_found', details: { task: taskId } });
});

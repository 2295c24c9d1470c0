import { expect, it } from 'vitest';
import { expectAllAdopted, kills, killServices, tasks } from '../exec/detached/adoption.ts';
import { makeHome } from './home.ts';

it(
  'detached processes in a container live through kills of the service: all adopted, statuses right, output whole',
  { timeout: 300_000 },
  async () => {
    await using home = await makeHome();
    const first = await home.open();
    await Promise.all(tasks.map((taskId) => first.sandboxes.create({ taskId })));
    await first.close();
    const accepted = await killServices({ home: home.path, env: home.env, times: kills });
    expect(accepted.size).toBeGreaterThanOrEqual(kills);
    const caisson = await home.open();
    await expectAllAdopted(caisson, accepted);
    await Promise.all(tasks.map((taskId) => caisson.sandboxes.remove(taskId)));
  },
);

it('a session in a container is taken up by the next service', { timeout: 120_000 }, async () => {
  await using home = await makeHome();
  const first = await home.open();
  await first.sandboxes.create({ taskId: 'work' });
  await first.sessions.run({ taskId: 'work', name: 'dev', text: 'cd /workspace; X="a b"; alias hi="echo hello"' });
  await first.close();
  const next = await home.open();
  const said = await next.sessions.run({ taskId: 'work', name: 'dev', text: 'echo "$X $PWD"; hi' });
  expect([said.stdout.text, said.restored, said.sessionEnded]).toEqual(['a b /workspace\nhello\n', true, false]);
  await next.sandboxes.stop('work');
  await next.sandboxes.start('work');
  const later = await next.sessions.run({ taskId: 'work', name: 'dev', text: 'echo "$X"' });
  expect([later.stdout.text, later.restored]).toEqual(['a b\n', true]);
  await next.sandboxes.remove('work');
});

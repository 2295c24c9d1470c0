/** Steps of a command with their times, by the library and through a service. */
import { expect, it } from 'vitest';
import { connectCaisson } from '../../src/client/connect.ts';
import { stepTimes } from '../../src/cli/timing.ts';
import { openWorld } from '../http/world.ts';

const namesIn = (line: string): readonly string[] => line.split(', ').map((each) => each.replace(/ \d+\.\d ms$/, ''));

it('is silent unless CAISSON_TIMING is 1', () => {
  expect(stepTimes({})).toBeNull();
  expect(stepTimes({ CAISSON_TIMING: '0' })).toBeNull();
});

it('names the steps of a creation and of a command, those of the service too', async () => {
  await using world = await openWorld();
  const times = stepTimes({ CAISSON_TIMING: '1' });
  if (times === null) throw new Error('no times');
  const { onTimed } = times;
  await using client = connectCaisson({ url: world.url, token: await world.token('run', 'read'), onTimed });
  const ran = await client.run({ taskId: 'timed', command: ['true'] });
  expect(ran.exit.exitCode).toBe(0);
  expect(namesIn(times.line())).toEqual(['policy', 'queue', 'create', 'prove', 'network', 'start', 'total', 'command']);
  const own = stepTimes({ CAISSON_TIMING: '1' });
  await world.api.run({ taskId: 'timed', command: ['true'] }, { onTimed: own?.onTimed ?? fail });
  expect(namesIn(own?.line() ?? '')).toEqual(['policy', 'start', 'command']);
});

function fail(): never {
  throw new Error('no listener');
}

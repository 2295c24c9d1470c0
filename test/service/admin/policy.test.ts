/** CP-27: a check answers what a run would be answered, also about the files of this installation. */
import { expect, it } from 'vitest';
import { checkerOf } from '../../../src/service/admin/policy.ts';
import { newHome } from '../../config/home.ts';

it('a check on this host knows the state directory in use, and one in a container does not mind it', async () => {
  await using home = await newHome();
  const loaded = await home.load();
  const rulebook = { asked: () => Promise.resolve({}) };
  const isolationOf = (name: string) => (name === 'local' ? 'none' : 'container');
  const { checker } = checkerOf({ cwd: '/srv', loaded, rulebook, isolationOf });
  const onHost = await checker({ backend: 'local' });
  const state = loaded.home;

  expect(onHost(`echo x > ${state}/config.yaml`)).toMatchObject({ verdict: 'ask', tier: 'dangerous' });
  expect(onHost(`rm ${state}/audit/x`)).toMatchObject({ verdict: 'ask' });
  expect(onHost(`cat ${state}/config.yaml`).verdict).toBe('allow');
  expect(onHost('rm -rf /').verdict).toBe('deny');
  const inside = await checker({ backend: 'docker' });
  expect(inside(`echo x > ${state}/config.yaml`).verdict).toBe('allow');
});

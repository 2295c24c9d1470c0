/** Variables that a command line is given, and a service never sees. */
import { expect, it } from 'vitest';
import { openHome } from '../background/home.ts';

it(
  'a key of a backend without its section is named, unless it says what the service holds',
  { timeout: 120_000 },
  async () => {
    await using home = openHome('');
    await home.caisson(['config', 'set', 'terminal.docker_image', 'debian:12']);
    await home.caisson(['serve', '--background', '--port', '0']);
    const said = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
      const { exitCode, stderr } = await home.caisson([...args, 'ls'], { env });
      return [exitCode, stderr];
    };
    expect(await said({ CAISSON_DOCKER_IMAGE: 'debian:13', CAISSON_AGENT_NAME: 'ann' })).toEqual([
      0,
      expect.stringMatching(
        /^caisson: CAISSON_DOCKER_IMAGE is ignored: there is no such setting, did you mean CAISSON_TERMINAL_DOCKER_IMAGE\?\n(?!.*CAISSON_)/s,
      ),
    ]);
    expect(await said({ CAISSON_DOCKER_IMAGE: 'debian:13' }, '--quiet')).toEqual([0, '']);
    expect((await said({ CAISSON_DOCKER_IMAGE: 'debian:12' })).join()).not.toContain('CAISSON_');
  },
);

import { describe, expect, it } from 'vitest';
import { unsectioned } from '../../src/config/defaults.ts';
import { defaults } from './known.ts';
import { newHome } from './home.ts';
import { containing, matching } from '../matchers.ts';

describe('without a file', () => {
  it('the defaults hold, and say so', async () => {
    await using home = await newHome();
    const loaded = await home.load();
    expect(loaded.config).toEqual({
      ...defaults,
      ...unsectioned,
    });
    expect(new Set(Object.values(loaded.origins))).toEqual(new Set(['default']));
    expect(Object.keys(loaded.origins)).toContain('terminal.timeout');
    expect(loaded.forTask('any').terminal).toEqual(defaults.terminal);
  });

  it.each(['', '# nothing\n', 'terminal:\n', 'terminal:\n  # timeout: 5\ntasks:\n  a:\n', '---\n'])(
    'an empty one (%j) is no different',
    async (config) => {
      await using home = await newHome();
      expect((await home.load({ config })).config.terminal).toEqual(defaults.terminal);
    },
  );
});

describe('precedence', () => {
  const config = `
terminal:
  timeout: 1
  container_cpu: 1
  container_pids: 1
  container_memory: 100
tasks:
  big-*:
    container_cpu: 2
    container_pids: 2
    container_memory: 200
  big-one:
    container_memory: 300
`;

  it('is flag, environment, task, file, default, and each origin is reported', async () => {
    await using home = await newHome();
    const loaded = await home.load({
      config,
      env: { CAISSON_TERMINAL_CONTAINER_PIDS: '3' },
      flags: { terminal: { timeout: 4 } },
    });
    const { terminal, originOf } = loaded.forTask('big-two');
    const file = `${home.path}/config.yaml`;
    expect(terminal).toMatchObject({
      timeout: 4,
      container_pids: 3,
      container_cpu: 2,
      container_memory: 200,
      container_disk: 51_200,
    });
    expect(originOf('timeout')).toBe('flag');
    expect(originOf('container_pids')).toBe('env CAISSON_TERMINAL_CONTAINER_PIDS');
    expect(originOf('container_cpu')).toBe(`task big-* at ${file}:9`);
    expect(originOf('container_disk')).toBe('default');
    expect(loaded.origins['terminal.container_cpu']).toBe(`file ${file}:4`);
    expect(loaded.config.terminal.container_cpu).toBe(1);
  });

  it('lets the exact id win over patterns, wherever it stands', async () => {
    await using home = await newHome();
    const loaded = await home.load({
      config: 'tasks:\n  a1: {timeout: 1}\n  a*: {timeout: 2, container_cpu: 2}\n  "*1": {timeout: 3}\n',
    });
    expect(loaded.forTask('a1').terminal).toMatchObject({ timeout: 1, container_cpu: 2 });
    expect(loaded.forTask('a11').terminal).toMatchObject({ timeout: 3, container_cpu: 2 });
    expect(loaded.forTask('a2').terminal).toMatchObject({ timeout: 2 });
    expect(loaded.forTask('b').terminal).toMatchObject({ timeout: 180 });
  });

  it('takes a flag that is undefined for no flag', async () => {
    await using home = await newHome();
    expect((await home.load({ flags: { terminal: { timeout: undefined } } })).origins['terminal.timeout']).toBe(
      'default',
    );
  });

  it('lets null from a stronger source win over a value', async () => {
    await using home = await newHome();
    const loaded = await home.load({ config: 'terminal: {timeout: 5}', env: { CAISSON_TERMINAL_TIMEOUT: 'null' } });
    expect(loaded.config.terminal.timeout).toBeNull();
  });
});

describe('a flag', () => {
  it.each([
    [
      { terminal: { docker_imgae: 'x' } },
      /^flag: terminal\.docker_imgae: there is no such key, did you mean docker_image\?$/,
    ],
    [{ termnal: { timeout: 1 } }, /^flag: termnal: there is no such key, did you mean terminal\?$/],
    [
      { terminal: { timeout: 'soon' } },
      /^flag: terminal\.timeout: expected seconds above 0, a time such as 5m, or null, got a string$/,
    ],
    [{ tasks: {} }, /^flag: tasks: there is no such key/],
  ])('that is wrong is refused: %j', async (flags, message) => {
    await using home = await newHome();
    await expect(home.load({ flags })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: matching(message),
    });
  });
});

describe('environment switches', () => {
  it.each([
    ['CAISSON_TERMINAL_DOCKER_IMAGE', 'debian:12', 'docker_image', 'debian:12'],
    ['CAISSON_TERMINAL_CONTAINER_CPU', '0.5', 'container_cpu', 0.5],
    ['CAISSON_TERMINAL_CONTAINER_CPU', 'null', 'container_cpu', null],
    ['CAISSON_TERMINAL_DOCKER_NETWORK', 'false', 'docker_network', false],
    ['CAISSON_TERMINAL_DOCKER_SHM_SIZE', '64m', 'docker_shm_size', '64m'],
    ['CAISSON_TERMINAL_DOCKER_SHM_SIZE', '1048576', 'docker_shm_size', 1_048_576],
    ['CAISSON_TERMINAL_CWD', '', 'cwd', null],
  ] as const)('%s=%s is read by the type of its key', async (name, text, key, value) => {
    await using home = await newHome();
    const { terminal } = (await home.load({ env: { [name]: text } })).config;
    expect(terminal).toHaveProperty(key, value);
  });

  it.each([
    [
      'CAISSON_TERMINAL_TIMEOUT',
      'CAISSON_TERMINAL_TIMEOUT: terminal.timeout: expected seconds above 0, a time such as 5m, or null, got a string',
    ],
    [
      'CAISSON_TERMINAL_DOCKER_NETWORK',
      'CAISSON_TERMINAL_DOCKER_NETWORK: terminal.docker_network: expected true or false, got a string',
    ],
    [
      'CAISSON_TERMINAL_DOCKER_FORWARD_ENV',
      'CAISSON_TERMINAL_DOCKER_FORWARD_ENV: terminal.docker_forward_env holds several values, which only the file can do',
    ],
    [
      'CAISSON_TERMINAL_TIMOUT',
      'CAISSON_TERMINAL_TIMOUT: there is no such setting, did you mean CAISSON_TERMINAL_TIMEOUT?',
    ],
    [
      'CAISSON_TERMNAL_TIMEOUT',
      'CAISSON_TERMNAL_TIMEOUT: there is no such setting, did you mean CAISSON_TERMINAL_TIMEOUT?',
    ],
    [
      'CAISSON_DOCKER_IMAGE',
      'CAISSON_DOCKER_IMAGE: there is no such setting, did you mean CAISSON_TERMINAL_DOCKER_IMAGE?',
    ],
    ['CAISSON_POOL_ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'CAISSON_POOL_ZZZZZZZZZZZZZZZZZZZZZZZZZ: there is no such setting'],
  ])('%s with a wrong name or value is refused', async (name, message) => {
    await using home = await newHome();
    await expect(home.load({ env: { [name]: 'sometimes' } })).rejects.toMatchObject({
      code: 'invalid_argument',
      message,
    });
  });

  it('leaves alone what is not a key, and the variables of the system before', async () => {
    await using home = await newHome();
    const others = [
      'CAISSON_HOME',
      'CAISSON_EXEC',
      'CAISSON_SANDBOX',
      'CAISSON_REQUIRE_ENGINES',
      'CAISSON_TEST_X',
      'CAISSON_DEBUG',
      'CAISSON_NO_COLOR',
      'CAISSON_URL',
      'TERMINAL_ENV',
      'TERMINAL_TIMEOUT',
    ];
    const loaded = await home.load({ env: Object.fromEntries(others.map((name) => [name, 'local'])) });
    expect(loaded.config).toEqual({
      ...defaults,
      ...unsectioned,
    });
  });
});

describe('the .env file', () => {
  it('gives values to forwarded names and switches, and never over the real environment', async () => {
    await using home = await newHome();
    const dotenv = 'TOKEN=from-file\n# a comment\nCAISSON_TERMINAL_TIMEOUT=7\nOTHER=from-file\n';
    const loaded = await home.load({ dotenv, env: { OTHER: 'real', GONE: undefined } });
    expect(loaded.env).toMatchObject({ TOKEN: 'from-file', OTHER: 'real' });
    expect(loaded.config.terminal.timeout).toBe(7);
    expect(loaded.origins['terminal.timeout']).toBe(`env CAISSON_TERMINAL_TIMEOUT at ${home.path}/.env:3`);
  });

  it('does not choose the directory that it is in', async () => {
    await using home = await newHome();
    await expect(home.load({ dotenv: '\nCAISSON_HOME=/elsewhere' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: containing('.env:2'),
    });
  });
});

describe('the engine that the file names', () => {
  const config = 'terminal:\n  docker_host: unix:///run/other.sock\n';

  it('is where programs look for one, unless DOCKER_HOST is set', async () => {
    await using home = await newHome();
    expect((await home.load({ config })).env).toMatchObject({ DOCKER_HOST: 'unix:///run/other.sock' });
    const env = { DOCKER_HOST: 'unix:///run/own.sock' };
    expect((await home.load({ config, env })).env).toMatchObject(env);
    expect((await home.load({ config: '' })).env).not.toHaveProperty('DOCKER_HOST');
  });

  it('is over TCP one with verified TLS', async () => {
    await using home = await newHome();
    const { env } = await home.load({ config: 'terminal: {docker_host: "tcp://engine.example:2376"}' });
    expect(env).toMatchObject({ DOCKER_HOST: 'tcp://engine.example:2376', DOCKER_TLS_VERIFY: '1' });
  });

  it.each(['run/docker.sock', 'unix://run/x', 'ssh://u@h', 'tcp://', 'http://h:1'])('is never %s', async (host) => {
    await using home = await newHome();
    const loading = home.load({ config: `terminal: {docker_host: ${JSON.stringify(host)}}` });
    await expect(loading).rejects.toThrow('terminal.docker_host');
  });

  it('is one for all tasks', async () => {
    await using home = await newHome();
    const loading = home.load({ config: 'tasks: {a: {docker_host: "unix:///x"}}' });
    await expect(loading).rejects.toThrow('docker_host');
  });
});

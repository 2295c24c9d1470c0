import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CaissonError } from '../../src/errors.ts';
import { checkFile } from '../../src/config/check.ts';
import { schema } from './known.ts';

function messageFor(text: string): string {
  try {
    checkFile(schema, text, 'F');
    return 'it loads';
  } catch (error) {
    if (!(error instanceof CaissonError)) throw error;
    expect(error.code).toBe('invalid_argument');
    return error.message;
  }
}

describe('an error in the file', () => {
  it.each([
    [
      'terminal:\n  docker_imgae: debian',
      'F:2:3: terminal.docker_imgae: there is no such key, did you mean docker_image?',
    ],
    ['terminl:\n  backend: docker', 'F:1:1: terminl: there is no such key, did you mean terminal?'],
    ['terminl:', 'F:1:1: terminl: there is no such key, did you mean terminal?'],
    ['docker_image: debian', 'F:1:1: docker_image: there is no such key, did you mean terminal.docker_image?'],
    ['exec:\n  timeout: 5', 'F:2:3: exec.timeout: there is no such key, did you mean terminal.timeout?'],
    ['terminal:\n  quite_unheard_of: 1', 'F:2:3: terminal.quite_unheard_of: there is no such key'],
    ['terminal:\n  __proto__: 1', 'F:2:3: terminal.__proto__: there is no such key'],
    ['__proto__:\n  timeout: 1', 'F:1:1: __proto__: there is no such key'],
    ['constructor: 1', 'F:1:1: constructor: there is no such key'],
    [
      'unauthorised_dm_behavior: pair',
      'F:1:1: unauthorised_dm_behavior: there is no such key, did you mean unauthorized_dm_behavior?',
    ],
    [
      'unauthorized_dm_behavior: reply',
      'F:1:1: unauthorized_dm_behavior: expected pair, ignore or null, which this string is not',
    ],
    [
      'slack:\n  group_sessions_per_user: false',
      'F:2:3: slack.group_sessions_per_user: there is no such key, did you mean group_sessions_per_user at the top?',
    ],
    [
      'group_sessions_per_user: "no"',
      'F:1:1: group_sessions_per_user: expected true or false, without quotes, got a string',
    ],
    ['whatsap: {}', 'F:1:1: whatsap: there is no such key, did you mean whatsapp?'],
    [
      'telegram: {require_mention: true}',
      'F:1:12: telegram.require_mention: there is no such key, did you mean discord.require_mention?',
    ],
    [
      'discord: {free_response_channels: 123456789012345678}',
      'F:1:11: discord.free_response_channels: expected ids of channels in quotes, separated by commas or as a list, which this number is not',
    ],
    [
      'terminal:\n  timeout: soon',
      'F:2:3: terminal.timeout: expected seconds above 0, a time such as 5m, or null, got a string',
    ],
    [
      'terminal:\n  timeout: -1',
      'F:2:3: terminal.timeout: expected seconds above 0, a time such as 5m, or null, which this number is not',
    ],
    [
      'terminal:\n  timeout: 1e400',
      'F:2:3: terminal.timeout: expected seconds above 0, a time such as 5m, or null, got a number',
    ],
    [
      'terminal:\n  timeout: .nan',
      'F:2:3: terminal.timeout: expected seconds above 0, a time such as 5m, or null, got a number',
    ],
    [
      'tasks:\n  web-*:\n    network:\n      mode: filterd',
      'F:4:7: tasks.web-*.network.mode: expected open, observe, filtered, none, or null, which this string is not',
    ],
    [
      'tasks:\n  web-*:\n    network: filtered',
      'F:3:5: tasks.web-*.network: expected a mapping of mode, allow, deny, ports and presets, got a string',
    ],
    [
      'terminal:\n\n  docker_network: no',
      'F:3:3: terminal.docker_network: expected true or false, without quotes, got a string',
    ],
    [
      'terminal:\n  container_cpu: "1"',
      'F:2:3: terminal.container_cpu: expected a number of cores from 0.01 on, or null, got a string',
    ],
    [
      'terminal:\n  container_memory: [1]',
      'F:2:3: terminal.container_memory: expected whole megabytes from 6 on, a size such as 2g, or null, got a list',
    ],
    [
      'terminal:\n  docker_seccomp: unconfined',
      'F:2:3: terminal.docker_seccomp: expected builtin or engine, which this string is not',
    ],
    [
      'terminal:\n  docker_image: --privileged',
      'F:2:3: terminal.docker_image: names are lower-case letters and digits, joined by single dots, dashes or underscores',
    ],
    ['terminal:\n  cwd: ../etc', 'F:2:3: terminal.cwd: it must be absolute'],
    [
      'terminal:\n  docker_shm_size: 1t',
      'F:2:3: terminal.docker_shm_size: expected bytes, or a number with b, k, m or g such as 64m, or null, which this string is not',
    ],
    [
      'terminal:\n  docker_forward_env: TOKEN',
      'F:2:3: terminal.docker_forward_env: expected a list of names of environment variables, got a string',
    ],
    [
      'terminal:\n  docker_forward_env:\n    - TOKEN\n    - A=b',
      'F:4:7: terminal.docker_forward_env[1]: it is not a name of letters, digits and underscores',
    ],
    ['terminal: 5', 'F:1:1: terminal: expected a mapping of keys, got a number'],
    ['- terminal', 'F:1:1: expected a mapping of sections, got a list'],
    ['just words', 'F:1:1: expected a mapping of sections, got a string'],
    ['tasks:\n  ci:\n    tiemout: 4', 'F:3:5: tasks.ci.tiemout: there is no such key, did you mean timeout?'],
    [
      'tasks:\n  ci:\n    ssh_host: h',
      'F:3:5: tasks.ci.ssh_host: there is no such key, did you mean terminal.ssh_host?',
    ],
    [
      'terminal:\n  ssh_host: -oProxyCommand=x',
      'F:2:3: terminal.ssh_host: expected a host name, an address or a Host of ~/.ssh/config, or null, which this string is not',
    ],
    [
      'tasks:\n  ci:\n    timeout: x',
      'F:3:5: tasks.ci.timeout: expected seconds above 0, a time such as 5m, or null, got a string',
    ],
    ['tasks:\n  ../x:\n    timeout: 4', 'F:2:3: tasks.../x: expected a task id, or a pattern of one with * and ?'],
    ['terminal:\n  timeout: 1\n  timeout: 2', 'F:3:3: Map keys must be unique'],
    ['terminal:\n  timeout: 1\nterminal:\n  timeout: 2', 'F:3:1: Map keys must be unique'],
    ['terminal:\n  ? [a, b]\n  : 1', 'F:2:5: terminal: a key must be a plain word'],
    ['a: 1\n---\nb: 2', 'F:2:1: only one document is allowed'],
  ])('names place, key and what was expected: %j', (text, message) => {
    expect(messageFor(text)).toBe(message);
  });

  it.each(['terminal: {timeout: 1', 'terminal:\n\tbackend: docker', '"'])('of YAML itself has a place: %j', (text) => {
    expect(messageFor(text)).toMatch(/F:\d+:\d+: \w/);
  });

  it('does not hide the ones after it', () => {
    const message = messageFor('terminal:\n  timeout: x\n  cwd: y\nbogus: 1');
    expect(message).toMatch(/F:2:3[\s\S]*F:3:3[\s\S]*F:4:1/);
  });

  it.each([
    ...['DOCKER_HOST', 'DOCKER_CERT_PATH', 'SSH_AUTH_SOCK', 'CAISSON_TOKEN', 'caisson_token'].map((name) => [
      name,
      'it leads to the host',
    ]),
    ...['LD_PRELOAD', 'BASH_ENV', 'NODE_OPTIONS', 'GIT_CONFIG_COUNT', 'https_proxy', 'npm_config_registry'].map(
      (name) => [name, 'it changes what commands do'],
    ),
  ])('says why %s is not forwarded (EN-04, EN-06)', (name, reason) => {
    expect(messageFor(`terminal:\n  docker_forward_env: [GITHUB_TOKEN, ${name}]`)).toContain(reason);
  });

  it('never shows a value', () => {
    for (const key of [
      'timeout',
      'docker_network',
      'container_cpu',
      'docker_seccomp',
      'backend',
      'cwd',
      'docker_image',
      'bogus',
    ]) {
      expect(messageFor(`terminal:\n  ${key}: Xsecret-value`)).not.toContain('Xsecret');
    }
  });
});

describe('hostile YAML', () => {
  it('is bounded when aliases multiply', () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) =>
        `${String.fromCharCode(98 + n)}: &${String.fromCharCode(98 + n)} [${Array(10)
          .fill(`*${String.fromCharCode(97 + n)}`)
          .join(',')}]`,
    );
    expect(messageFor(['a: &a [x,x,x,x,x,x,x,x,x,x]', ...levels].join('\n'))).toContain(
      'too large or too deeply nested',
    );
  });

  it('is bounded when it is deep, or refers to itself', () => {
    expect(messageFor(`terminal: ${'['.repeat(500)}${']'.repeat(500)}`)).toContain('too large or too deeply nested');
    expect(messageFor('terminal: &a\n  backend: *a')).toContain('too large or too deeply nested');
  });

  it('takes an alias for what it stands for', () => {
    expect(checkFile(schema, 'tasks:\n  a: &a {timeout: 5}\n  b: *a', 'F').tasks['b']).toMatchObject([
      { key: 'timeout', value: 5 },
    ]);
  });

  it('runs no tag', () => {
    expect(messageFor('terminal: !!js/function "function () {}"')).toMatch(/tag/i);
  });

  it('gives settings or a typed error, whatever the text', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'terminal:',
        'tasks:',
        '\n',
        '  ',
        '- ',
        ': ',
        '{',
        '}',
        '[',
        ']',
        '&a ',
        '*a',
        '!!x ',
        '? ',
        '|',
        '"',
        "'",
        'timeout',
        'null',
        '1',
        '#',
        '\t',
        '---',
        '%',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        messageFor(pieces.join(''));
      }),
      { numRuns: 500 },
    );
  });
});

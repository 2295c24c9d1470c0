import { describe, expect, it } from 'vitest';
import { cut, filler, redacted, through } from './redacted.ts';
import { Redaction } from '../../src/redact/redactor.ts';

const alnum = filler(64).replaceAll(/[^A-Za-z0-9]/g, '');
const secret = 'P@ssw0rd!';
const lines = [filler(64), `${filler(50)}/+aZ0`];

function expectGone(text: string, gone: readonly string[], kept: readonly string[] = []): void {
  const out = redacted(text);
  for (const each of gone) expect(out).not.toContain(each);
  for (const each of kept) expect(out).toContain(each);
  const bytes = Buffer.from(text);
  const whole = through(new Redaction().stream(), [bytes]);
  for (let at = 1; at < bytes.length; at += 1) expect(through(new Redaction().stream(), cut(bytes, [at]))).toBe(whole);
}

const prefixes = [
  ...['glrtr-', 'glffct-', 'glwt-', 'GR1348941', 'sk_', 'pk-lf-', 'fc-', 'fal_', 'bb_live_', 'am_', 'am_org_', 'exa_'],
  ...[
    'syt_',
    'retaindb_',
    'hsk-',
    'mem0_',
    'brv_',
    'fw-',
    'fpk_',
    'ak-',
    'as-',
    'dtn_',
    'e2b_',
    'tskey-auth-',
    'jina_',
  ],
];

describe('a token of an issuer', () => {
  it.each(prefixes)('is known by %s', (prefix) =>
    expectGone(`using ${prefix}${alnum.slice(0, 40)} for it`, [alnum.slice(0, 40)], ['using', 'for it']),
  );

  it.each([
    ['a line end that is escaped', '\\n'],
    ['a character that is escaped', '\\u4e2d'],
    ['a byte that is escaped', '\\x0a'],
    ['percent-encoding', '%22'],
    ['a colour', '\u001b[38;5;196m'],
  ])('is known behind %s', (_what, before) => expectGone(`${before}ghp_${alnum}`, [alnum]));
});

const written = [
  ...['PGPASSWORD=%', 'DB_PW=%', 'PW=%', 'PASS=%', 'smtp_pass=%', "auth: {user: 'x', pass: '%'}", 'password1=%'],
  ...['password            = "%"', '  password:                %', 'PASSWORD ?= %', 'password: |\n  %\n'],
  ...[
    '{\\\\\\"password\\\\\\":\\\\\\"%\\\\\\"}',
    '“password”: “%”',
    '&quot;password&quot;:&quot;%&quot;',
    'password：%',
  ],
  ...["{'password': b'%'}", 'password = r"%"', 'password = """%"""', "password=$'%'", '"password":["%"]'],
  ...['const PASSWORD: &str = "%";', 'password: str = "%"', '#define PASSWORD "%"', "define('DB_PASSWORD', '%');"],
  ...[
    '"password", "%"',
    '["mysql","--password","%"]',
    ':password "%"',
    'user%5Bpassword%5D=%',
    '%22password%22%3A%22@%22',
  ],
  ...['<password>%</password>', '<add key="DbPassword" value="%" />', '<property name="db.password">%</property>'],
  ...[
    '- name: DB_PASSWORD\n  value: %',
    '{"name":"DB_PASSWORD","value":"%"}',
    'ENV DB_PASSWORD %',
    'setenv DB_PASSWORD %',
  ],
  ...['set -x DB_PASSWORD %', 'requirepass %', "ALTER USER x WITH PASSWORD '%';", "x identified by '%'"],
  ...[
    'cmd --password % --verbose',
    "cmd --password '%'",
    'cmd -password %',
    'sshpass -p % ssh u@h',
    'mysql -u root -p% db',
  ],
  ...[
    'docker login -u me -p % reg.io',
    'curl -u admin:% https://x',
    'curl -uadmin:% https://x',
    'curl --user "admin:%" x',
  ],
  ...['redis-cli -a % ping', 'openssl rsa -passin pass:% -in k', 'machine api.x login bob password %'],
  ...['machine api.x\n  login bob\n  password %\n', '\u001b[36mDB_PASSWORD\u001b[0m=\u001b[32m%\u001b[0m'],
].map((text) =>
  text.includes('@') && text.startsWith('%') ? text.replace('@', secret) : text.replace(/%(?![0-9A-F]{2})/, secret),
);

describe('a password', () => {
  it.each(written)('is replaced wherever it is written: %s', (text) => expectGone(text, [secret, 'ssw0rd']));
});

const key = (kind: string, line: (text: string) => string): string =>
  [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`].map(line).join('\n');

describe('a private key', () => {
  it.each([
    ['quoted in a mail', (text: string) => `> ${text}`],
    ['in the log of a service', (text: string) => `app_1  | ${text}`],
    ['with times', (text: string) => `2026-01-01T00:00:00.123Z ${text}`],
    ['with line numbers', (text: string) => `12| ${text}`],
    ['in source text', (text: string) => `  "${text}\\n" +`],
    ['in a list', (text: string) => `'${text}',`],
    ['in a comment', (text: string) => ` * ${text}`],
    ['with line ends of HTML', (text: string) => `${text}<br>`],
  ])('is replaced %s', (_what, line) =>
    expectGone(`before\n${key('RSA PRIVATE KEY', line)}\nafter it`, lines, ['after it']),
  );

  it('is replaced in one line, as SSH2 and PuTTY write it, and in base64', () => {
    expectGone(`x ${key('PRIVATE KEY', (text) => text).replaceAll('\n', ' ')} after it`, lines, ['after it']);
    expectGone(
      `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${lines.join('\n')}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\nafter it`,
      lines,
      ['after it'],
    );
    expectGone(`Private-Lines: 2\n${lines.join('\n')}\nPrivate-MAC: 00`, lines);
    const encoded = Buffer.from(key('EC PRIVATE KEY', (text) => text)).toString('base64');
    expectGone(`x ${encoded} after it`, [encoded.slice(50, 120)], ['after it']);
  });

  it('takes nothing along of a text that only speaks of one', () => {
    const text = 'if "-----BEGIN RSA PRIVATE KEY-----" in text:\n    print("found one here, and stop")';
    expect(redacted(text)).toBe(text);
  });
});

describe('other secrets', () => {
  it.each([
    ['a header of a scheme in letters', 'Authorization: Bearer abcdefghijklmnop', 'abcdefghijklmnop'],
    ['a header in a list', `["Authorization", "SSWS ${alnum}"]`, alnum],
    ['cookies', `Cookie: a=1; session=${alnum}`, alnum],
    ['a cookie that is set', `Set-Cookie: sid=${alnum}; Path=/`, alnum],
    ["Docker's pair", '{"auths":{"reg.io":{"auth":"dXNlcjpwYXNz"}}}', 'dXNlcjpwYXNz'],
    ['a token before a host', 'https://MYPASSWORDWASDISPLAYEDHERE@github.com/o/r.git', 'MYPASSWORD'],
    ['a token as user', `https://${alnum}:x-oauth-basic@github.com/o/r`, alnum],
    ['a signature', `https://a.blob.core.windows.net/c?sv=1&sig=${alnum}&se=1`, alnum],
    ['a key with a slash', 'AWS_SECRET_ACCESS_KEY=/JalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'JalrXUtnFEMI'],
    ['a webhook', `https://discordapp.com/api/webhooks/123456789012345678/${alnum}`, alnum],
    ['a bot', `bot123456789:ABCDEfghij-KLMNopqrst_UVWXyz12345`, 'ABCDEfghij'],
    ['a key behind an identity', `${'0123456789abcdef'.repeat(2)}.AbCdEfGhIjKlMnOp1`, 'AbCdEfGhIjKl'],
    ['a telephone', 'from=+4915112345678, to', '4915112345678'],
    ['an encoded query', `redirect=https%3A%2F%2Fx%2F%3Faccess_token%3D${alnum}%26b%3D2`, alnum],
  ])('are replaced: %s', (_what, text, gone) => expectGone(text, [gone]));
});

const innocent = [
  ...[
    'self.password = password',
    'password = input("Password: ")',
    'let token = env::var("TOKEN")?;',
    'PASSWORD=`cat x`',
  ],
  ...['password: "{{ vault_password }}"', '+ password = (sensitive value)', 'Password: must be 8 characters'],
  ...['pwd: error retrieving current directory: getcwd', 'passwd: Authentication token manipulation error'],
  ...['passwd: permission denied'],
  ...[
    'idempotency-key: 550e8400-e29b-41d4-a716-446655440000',
    'Authorization: Bearer YOUR_TOKEN',
    'use --password to set it',
  ],
  ...[
    '--token string   API token',
    '--password PASSWORD  the password',
    '--secret id=foo,src=bar',
    '--key path/to/key.pem',
  ],
  ...[
    'PASS=3 FAIL=0',
    '--- PASS: TestLogin (0.01s)',
    '"pass": 12',
    'mkdir -p a/b',
    'docker run -p 8080:80 -u 1000:1000 x',
  ],
  ...[
    '["email", "password", "confirm_password"]',
    '<label>Password</label>',
    '<input type="password" name="password">',
  ],
  ...[
    '- name: API_KEY\n  valueFrom:\n    secretKeyRef:',
    '{"name":"PORT","value":"8080"}',
    'Usage: x <user> <password>',
  ],
  ...['am_example_identifier_123', 'fw_tooshort', 'task-sk-runner', '127.0.0.1:5432:5432', '2026-01-01T00:00:00+02:00'],
  ...[
    'diff\n+1700000000123\n',
    'Cookie policy: we use cookies',
    'secrets: inherit',
    'ENV NODE_ENV production',
    'auth0.com',
  ],
  ...['https://example.com/cb?code=abc123xyz789&state=ok', 'https://git@github.com/o/r.git', 'ssh://ec2-user@host/'],
  ...['password: BinaryLike,', 'secretKey: Uint8Array;', 'let hasApiKey = !isBearerToken;', 'tokenRatio: 0.1234567'],
  ...[
    'identified by `code: "ERR_INVALID"`.',
    "['apiKey', 'adminApiKey', 'workloadIdentity']",
    "access_token: 'access_token',",
  ],
  ...["currentToken = ['brackets', content]", 'credentials: "same-origin"', 'const key = `node-retry-12345-${id}`'],
  ...["const GRANT_TOKEN = 'urn:ietf:params:oauth:token-type:jwt'", "['authorization', 'api-key', 'x-organization']"],
  ...["let head = '-----BEGIN OPENSSH PRIVATE KEY-----\\n';\nconst privateKeyBody = encodeInBase64(everything);"],
];

describe('what is written like a secret, and is not one', () => {
  it.each(innocent)('stays: %s', (text) => expect(redacted(text)).toBe(text));
});

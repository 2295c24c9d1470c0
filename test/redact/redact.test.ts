import { describe, expect, it } from 'vitest';
import { Redaction } from '../../src/redact/redactor.ts';
import { filler, redacted, through } from './redacted.ts';

const alnum = filler(48).replaceAll(/[^A-Za-z0-9]/g, '');
const hex = '0123456789abcdef'.repeat(4);
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', filler(43)].join('.');
const pem = (kind: string): string => `-----BEGIN ${kind}-----\n${`${filler(64)}\n`.repeat(5)}-----END ${kind}-----`;

/** EN-10: the text, and what of it must not be seen. */
const shapes: readonly (readonly [what: string, text: string, secret: string])[] = [
  ...['ghp_', 'gho_', 'ghs_', 'github_pat_', 'glpat-', 'sk-', 'sk-proj-', 'sk-ant-api03-', 'sk-or-v1-'].map(
    (prefix) => [`${prefix}...`, `using ${prefix}${alnum} now`, alnum] as const,
  ),
  ...['xoxb-', 'xapp-1-', 'AIza', 'ya29.', 'GOCSPX-', 'hf_', 'npm_', 'pypi-', 'dckr_pat_', 'shpat_', 'SG.', 'hvs.'].map(
    (prefix) => [`${prefix}...`, `"${prefix}${alnum}"`, alnum] as const,
  ),
  ['a project key of lower-case letters', `using sk-proj-${'abcdefgh'.repeat(3)} now`, 'abcdefgh'.repeat(3)],
  ['an AWS key id', `aws_access_key_id AKIA${'FAKE0123'.repeat(2)} x`, `AKIA${'FAKE0123'.repeat(2)}`],
  ['an AWS secret', `aws_secret_access_key = wJal/${alnum}+a/b=`, `wJal/${alnum}`],
  ['a Slack webhook', `https://hooks.slack.com/services/T000/B000/${alnum}`, alnum],
  ['a Telegram bot', `123456789:AA${alnum.slice(0, 33)}`, `AA${alnum.slice(0, 33)}`],
  ['a JWT', `cookie=${jwt};`, jwt],
  ['a key', pem('EC PRIVATE KEY'), filler(64)],
  ['a PGP key', pem('PGP PRIVATE KEY BLOCK'), filler(64)],
  ['a service account', `"private_key": "${pem('PRIVATE KEY').replaceAll('\n', '\\n')}"`, filler(64)],
  ['a DSN', 'postgres://app:hunter22@db:5432/x', 'hunter22'],
  ['a DSN with an at sign', 'redis://:p@ss@cache:6379', 'p@ss'],
  ['a token as user', `https://${alnum}@example.com/repo.git`, alnum],
  ['basic authorization', 'Authorization: Basic dXNlcjpodW50ZXIyMg==', 'dXNlcjpodW50ZXIyMg=='],
  ['a signed request', 'Authorization: AWS4-HMAC-SHA256 Credential=AKID/x, Signature=fe5f80', 'fe5f80'],
  ['a header in curl', `curl -H "X-Auth-Token: ${hex}" http://x`, hex],
  ['bearer in prose', `got Bearer ${alnum} back`, alnum],
  ['an export', `declare -x STRIPE_KEY="${alnum}"`, alnum],
  ['an environment', 'DB_PASSWORD=a;b&c,d', 'a;b&c,d'],
  ['JSON', `{"clientSecret":"${alnum}","page":2}`, alnum],
  ['JSON in JSON', `"{\\"api_key\\": \\"${alnum}\\"}"`, alnum],
  ['a quote in a password', String.raw`{"password":"hun\"ter22"}`, 'ter22'],
  ['Python', `{'auth_token': '${alnum}'}`, alnum],
  ['YAML', 'password: hunter22', 'hunter22'],
  ['a query', `GET /x?access_token=${alnum}&page=2`, alnum],
  ['an option', `--api-key=${alnum} --verbose`, alnum],
];

describe('a secret by its shape (EN-10)', () => {
  it.each(shapes)('is replaced: %s', (_what, text, secret) => {
    const out = redacted(`before\n${text}\nafter`);
    expect(out).not.toContain(secret);
    expect(out).toMatch(/^before\n[^]*\[REDACTED:[a-z0-9-]+\][^]*\nafter$/);
    expect(redacted(out)).toBe(out);
  });

  it('says what it was, and how often', () => {
    const stream = new Redaction().stream();
    const out = through(stream, [`ghp_${alnum} and DB_PASSWORD=x and ghp_${alnum}`]);
    expect(out).toBe('[REDACTED:github-token] and DB_PASSWORD=[REDACTED:password] and [REDACTED:github-token]');
    expect(stream.counts).toMatchObject({ redactions: 3, kinds: { 'github-token': 2, password: 1 } });
  });

  it('is not waited for longer than it takes to know it: what is no secret goes on at once', () => {
    const redaction = new Redaction([{ name: 'X', value: 'a-declared-value' }]);
    for (const text of ['$ ', 'Password: ', 'Continue? [y/N] ', 'a line\n', '12%'])
      expect(Buffer.concat([...redaction.stream().write(Buffer.from(text))]).toString()).toBe(text);
  });

  it('of any length takes no memory', () => {
    const stream = new Redaction().stream();
    const [first] = stream.write(Buffer.from('token='));
    expect(first?.toString()).toBe('token=');
    const out = Array.from({ length: 1000 }, () => stream.write(Buffer.from('0123456789abcdef'.repeat(64)))).flat();
    expect(Buffer.concat([...out, ...stream.write(Buffer.from(' end')), ...stream.end()]).toString()).toBe(
      '[REDACTED:token] end',
    );
  });
});

const ordinary = [
  'const token = await getToken(request);',
  'if (password === undefined) throw new TypeError("password is required");',
  'interface Login { password: string; token?: string | null }',
  'Unexpected token: identifier',
  'secretKeyRef: {name: db, key: url}',
  '{"key":"name","sort_key":"createdAt12345678","max_tokens":4096,"next_page_token":"CAAQAA=="}',
  'Authorization: Bearer $TOKEN',
  'export API_KEY=${API_KEY}',
  'PASSWORD=******',
  'TOKEN_URL=https://example.com/oauth/token',
  'git clone git@github.com:owner/task-sk-runner.git',
  'listening on http://localhost:3000/ and ws://127.0.0.1:80',
  'bearer of bad news, Bearer authentication',
  'npm_config_registry npm_lifecycle_event npm_package_version',
  'class="sk-estimator-doc-link sk-toggleable__content"',
  '12:30:15 keyboard: us, monkey=bars, author: A. Nonymous',
  'PASSED tests/test_auth.py::test_token[param0]',
  '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIU\n-----END CERTIFICATE-----',
  'eyJmb28iOiJiYXIifQ',
];

describe('what is no secret', () => {
  it.each(ordinary)('stays: %s', (text) => expect(redacted(text)).toBe(text));
});

/** Forms that vendors document, and files that hold passwords. */
import { describe, expect, it } from 'vitest';
import { cut, redacted, through } from './redacted.ts';
import { Redaction } from '../../src/redact/redactor.ts';

const alnum = 'Qx7Rb2Kp9Zt4Wm6Vn3Jc8Hd5Lf1Gs0Ya'.repeat(5);
const hex = '3fa9c07be15d8264'.repeat(12);
const uuid = '3fa9c07b-e15d-4264-93fa-9c07be15d826';

/** What must be gone, in a text around it. */
function expectGone(text: string, gone: string): void {
  const out = redacted(text);
  expect(out).not.toContain(gone);
  const bytes = Buffer.from(text);
  const whole = through(new Redaction().stream(), [bytes]);
  for (let at = 1; at < bytes.length; at += 1) expect(through(new Redaction().stream(), cut(bytes, [at]))).toBe(whole);
}

describe('a token in the form that its issuer documents', () => {
  it.each([
    ...['vcp_', 'cfut_', 'HRKU-', 'napi_', 'pcsk_', 'AQ.Ab8RN6', '1//0g', 'CCIPAT_', 'bkua_', 'hcaik_', 'CFPAT-'],
    ...['snyk_uat.', 'sha256~', 'wandb_v1_', 'crsr_', 'sk_prod_', 'tr_prod_', 'signkey-prod-', 'polar_oat_'],
    ...['pdl_live_', 'packagist_ort_', 'rnd_', 'tfp_', 'duffel_live_', 'bce-v3/ALTAK-', 'AKID', 'AQVN'],
  ])('is known by %s', (prefix) => {
    const rest = alnum.slice(0, 48);
    expectGone(`value here: ${prefix}${rest} and more`, rest);
    expect(redacted(`value here: ${prefix}${rest} and more`)).toContain(' and more');
  });

  it.each([
    ['v1.0-', `${hex.slice(0, 24)}-${hex.slice(0, 146)}`],
    ['re_', `${alnum.slice(0, 8)}_${alnum.slice(0, 24)}`],
    ['pat-na1-', uuid],
    ['AKCp', alnum.slice(0, 69)],
    ['EAAA', alnum.slice(0, 60)],
    ['dt0c01.', `${alnum.slice(0, 24).toUpperCase()}.${alnum.slice(0, 64).toUpperCase()}`],
    ['sgp_', `${hex.slice(0, 16)}_${hex.slice(0, 40)}`],
    ['squ_', hex.slice(0, 40)],
    ['key_', hex.slice(0, 64)],
    ['sdk-', uuid],
    ['t1.', `${alnum.slice(0, 40)}==.${alnum.slice(0, 86)}`],
    ['oy2', alnum.slice(0, 43).toLowerCase()],
    ['access-production-', uuid],
  ])('is known by %s and its length', (prefix, rest) => expectGone(`value here: ${prefix}${rest} and more`, rest));

  it.each([
    [`${alnum.slice(0, 14)}.atlasv1.`, alnum.slice(0, 67)],
    ['abc8Q~', alnum.slice(0, 34)],
    [`pat${alnum.slice(0, 14)}.`, hex.slice(0, 64)],
  ])('is known in its middle by %s', (before, rest) => expectGone(`value here: ${before}${rest} and more`, rest));
});

describe('a password', () => {
  it.each([
    ['of .netrc', 'machine example.com login joe password %'],
    ['of .netrc in a line of a log', 'wrote machine example.com login joe password %'],
    ['of .pgpass', 'db.example.com:5432:orders:joe:%'],
    ['of .pgpass for every database', '*:*:*:joe:%'],
    ['of an address without its scheme', 'cloning //joe:%@example.com/project.git'],
    ['of openssl', 'openssl rsa -in key.pem -passin pass:%'],
    ['of LDAP', 'bindpw %'],
    ['of a wireless network', 'psk="%"'],
  ])('%s', (_of, text) => expectGone(text.replace('%', 'tr0ub4dor&3'), 'tr0ub4dor'));

  it('of a private key of PGP, whatever its headers are', () => {
    const block = (headers: string): string =>
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${headers}\nlQPGBGX${alnum.slice(0, 57)}\n${alnum.slice(0, 64)}\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----\nbehind`;
    for (const headers of ['', 'Version: GnuPG v2\n', 'Comment: made by a test\nVersion: GnuPG v2.4.7 (Linux)\n']) {
      expectGone(block(headers), alnum.slice(0, 57));
      expect(redacted(block(headers))).toMatch(/behind$/);
    }
  });
});

it.each([
  'see ./rnd_helper.ts and tests/re_export_everything_from_here.ts',
  'the path api-gateway-service/v1.0-beta and sdk-tools-for-everybody',
  '// see joe:the README@example, and http://example.com:5432/path:5',
  '10:5432:a:b',
  'fe80::5432:1234:abcd:ef01',
  'cron: * 5 * * * and *:*:80',
  'image@sha256:3fa9c07be15d82643fa9c07be15d8264',
  'const keyboard = key_down; const t1 = t1.start.then(t2)',
  'EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
])('what only looks like one stays: %s', (text) => expect(redacted(text)).toBe(text));

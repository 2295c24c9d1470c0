import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { entriesFor, fingerprint, judgeKey, keyType } from '../../../backends/ssh/known-hosts.ts';

function keyOf(type: string): { readonly blob: Buffer; readonly text: string } {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  const blob = Buffer.concat([length, Buffer.from(type), randomBytes(32)]);
  return { blob, text: `${type} ${blob.toString('base64')}` };
}

function hashed(name: string): string {
  const salt = randomBytes(20);
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
}

const mine = keyOf('ssh-ed25519');
const other = keyOf('ssh-ed25519');
const rsa = keyOf('ssh-rsa');

function verdictOn(text: string, name = 'host.example', key = mine.blob): string {
  return judgeKey(entriesFor(text, name, 'known_hosts'), key).verdict;
}

describe('known_hosts (API-16)', () => {
  it.each([
    ['a plain name', `host.example ${mine.text}`, 'known'],
    ['one of several names', `other,host.example,10.0.0.1 ${mine.text}`, 'known'],
    ['a comment behind the key', `host.example ${mine.text} someone@somewhere`, 'known'],
    ['a name in capitals', `HOST.example ${mine.text}`, 'known'],
    ['a pattern', `*.example ${mine.text}`, 'known'],
    ['a pattern of single characters', `h?st.example ${mine.text}`, 'known'],
    ['a hashed name', `${hashed('host.example')} ${mine.text}`, 'known'],
    ['carriage returns', `host.example ${mine.text}\r\n`, 'known'],
    ['nothing', '', 'unknown'],
    ['a comment', `# host.example ${mine.text}`, 'unknown'],
    ['another name', `host2.example ${mine.text}`, 'unknown'],
    ['a name that ends alike', `x.host.example ${mine.text}`, 'unknown'],
    ['a dot that is any character', `hostXexample ${mine.text}`, 'unknown'],
    ['another name, hashed', `${hashed('host2.example')} ${mine.text}`, 'unknown'],
    ['a pattern that excludes it', `*.example,!host.example ${mine.text}`, 'unknown'],
    ['the name with another port', `[host.example]:2222 ${mine.text}`, 'unknown'],
    ['a key that is cut off', `host.example ssh-ed25519 AAAA`, 'unknown'],
    ['a key of another type than it says', `host.example ssh-rsa ${mine.text.split(' ')[1]}`, 'unknown'],
    ['another key', `host.example ${other.text}`, 'changed'],
    ['another key beside this one', `host.example ${other.text}\nhost.example ${mine.text}`, 'known'],
    ['a key of another type', `host.example ${rsa.text}`, 'other-type'],
    ['a revocation', `@revoked host.example ${mine.text}`, 'revoked'],
    ['a revocation for all hosts', `@revoked * ${mine.text}\nhost.example ${mine.text}`, 'revoked'],
    ['a revocation of another key', `@revoked * ${other.text}\nhost.example ${mine.text}`, 'known'],
    ['an authority', `@cert-authority *.example ${other.text}`, 'authority-only'],
    ['an authority with the very key', `@cert-authority *.example ${mine.text}`, 'authority-only'],
  ])('takes %s', (_what, text, verdict) => {
    expect(verdictOn(text)).toBe(verdict);
  });

  it('knows a host on another port by name and port', () => {
    const text = `[host.example]:2222 ${mine.text}`;
    expect(verdictOn(text, '[host.example]:2222')).toBe('known');
    expect(verdictOn(text, '[host.example]:2223')).toBe('unknown');
    expect(verdictOn(`${hashed('[host.example]:2222')} ${mine.text}`, '[host.example]:2222')).toBe('known');
  });

  it.each([`@revoked * ssh-ed25519 AAAA`, `@revoke * ${mine.text}`])(
    'fails rather than overlook a revocation it cannot read: %s',
    (text) => {
      expect(() => verdictOn(text)).toThrow(expect.objectContaining({ code: 'failed_precondition' }));
    },
  );

  it('tells where the entries stand', () => {
    const standing = judgeKey(entriesFor(`\nhost.example ${other.text}`, 'host.example', '/f'), mine.blob);
    expect(standing).toEqual({ verdict: 'changed', places: ['/f:2'] });
  });

  it('prints fingerprints as ssh-keygen does', () => {
    const blob = Buffer.from(
      'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl', // github.com
      'base64',
    );
    expect(fingerprint(blob)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU');
    expect(keyType(blob)).toBe('ssh-ed25519');
    expect(keyType(Buffer.alloc(3))).toBe('');
    expect(keyType(Buffer.from([0xff, 0xff, 0xff, 0xff, 1]))).toBe('');
  });
});

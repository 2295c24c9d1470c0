import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyring, optionsOf, sourcesOf } from '../../images/builder/apt-host.ts';

describe("the host's way to Debian", () => {
  it("takes the host's own mirror for all suites of the release, checked by Debian's keyring", () => {
    const targets =
      'http://mirror.test/debian/ bookworm main\nhttp://mirror.test/debian-security/ bookworm-security main\n';
    expect(sourcesOf(targets)).toBe(
      `deb [signed-by=${keyring}] http://mirror.test/debian/ bookworm main\n` +
        `deb [signed-by=${keyring}] http://mirror.test/debian-security/ bookworm-security main\n`,
    );
  });

  it('leaves out other releases, other components and archives of others', () => {
    const targets = [
      'http://mirror.test/debian/ bookworm main',
      'http://mirror.test/debian/ bookworm contrib',
      'http://mirror.test/debian/ trixie main',
      'http://vendor.test/apt/ bookworm main',
      'http://vendor.test/linux/debian/ bookworm stable',
    ];
    expect(sourcesOf(targets.join('\n')).split('\n')).toHaveLength(2);
  });

  it("uses Debian's own addresses when the host has no source for the release", () => {
    expect(sourcesOf('http://mirror.test/ubuntu/ jammy main\n')).toBe('');
    expect(sourcesOf('http://mirror.test/debian-security/ bookworm-security main\n')).toBe('');
    expect(sourcesOf('')).toBe('');
  });

  it('takes how to fetch, and not whom to trust', () => {
    const dump = [
      'Acquire::http::Proxy "http://proxy.test:3128";',
      'Acquire::https::Proxy::mirror.test "DIRECT";',
      'Acquire::https::CaInfo "/etc/ssl/ca.pem";',
      'Acquire::AllowInsecureRepositories "1";',
      'Acquire::AllowWeakRepositories "1";',
      'APT::Get::AllowUnauthenticated "1";',
      'DPkg::Pre-Invoke:: "touch /owned";',
      'APT::Update::Pre-Invoke:: "touch /owned";',
    ];
    expect(optionsOf(dump.join('\n'))).toBe(`${dump.slice(0, 3).join('\n')}\n`);
  });

  it('makes only whole, signed lines of whatever apt prints', () => {
    const word = fc.constantFrom(
      'bookworm',
      'main',
      'http://a/debian',
      '[trusted=yes]',
      ' ',
      '\t',
      '\r',
      'deb',
      '"',
      '$(x)',
    );
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 5 }), { maxLength: 5 }), (lines) => {
        const made = sourcesOf(lines.map((words) => words.join(' ')).join('\n'));
        for (const line of made.split('\n').slice(0, -1)) {
          expect(line).toMatch(/^deb \[signed-by=\S+\] \S+\/debian(-security)?\/? bookworm(-updates|-security)? main$/);
        }
      }),
    );
  });
});

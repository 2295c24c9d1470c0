import { describe, expect, it } from 'vitest';
import { websiteRule } from '../../src/values/website-rule.ts';
import { indexWebsites } from '../../src/network/websites.ts';
import type { Reach } from '../../src/policy/types.ts';
import { policyWith } from './opened.ts';

const websites = indexWebsites(
  ['admin.example.com', '*.internal.company.com', '10.0.0.5', '[::1]'].flatMap((text) => {
    const rule = websiteRule(text);
    return rule === null ? [] : [{ ...rule, source: 'the test' }];
  }),
);
const policy = policyWith({ websites });

const decide = (command: string, reach: Reach = 'container') => policy.decide({ command, cwd: '/workspace', reach });

describe('in a container, a command that names a blocked host', () => {
  it.each([
    'curl https://admin.example.com/x',
    'curl HTTPS://ADMIN.EXAMPLE.COM',
    'curl admin.example.com/path',
    'curl --url=admin.example.com',
    'curl -x proxy:3128 admin.example.com.',
    'curl -xadmin.example.com:3128 https://good.com',
    "wget --header='Host: admin.example.com' http://1.1.1.1",
    'curl //admin.example.com/x',
    'ssh -oHostName=admin.example.com alias',
    'wget -qO- wiki.internal.company.com',
    'wget ftp://admin.example.com/f',
    'curl https://good.com@admin.example.com',
    'curl https://good.com:pw@admin.example.com:8443/',
    "curl 'https://admin.example.com\\@good.com'",
    'curl https://admin%2eexample%2ecom/',
    'curl https:/admin.example.com https:admin.example.com',
    'curl http://[::1]:80/ -o x',
    'curl http://167772165/',
    'curl http://[::ffff:10.0.0.5]/',
    "curl 'https://{a,admin}.example.com'",
    'curl https://{a,admin}.example.com',
    "curl -H 'Host: admin.example.com' http://1.1.1.1",
    'curl --resolve admin.example.com:443:1.1.1.1 https://good.com',
    'curl --connect-to ::admin.example.com:443 https://good.com',
    'git clone git@x.admin.example.com:a/b.git',
    'git clone admin.example.com:a/b',
    'git clone ssh://git@admin.example.com/a/b',
    'git remote add origin git://admin.example.com/a',
    'ssh -p 22 me@admin.example.com ls',
    'ssh -J admin.example.com,other h',
    'ssh -L 8080:admin.example.com:80 h',
    'scp a me@admin.example.com:/x',
    'rsync -a a admin.example.com:b',
    'nc admin.example.com 443',
    'cat </dev/tcp/admin.example.com/80',
    'U=https://admin.example.com; curl $U/x',
    'API=https://admin.example.com make',
    'curl "https://admin.example.com$PATH_OF_IT"',
    'curl "https://$SUB.internal.company.com/"',
    'curl "https://$USER:$PASSWORD@admin.example.com:$PORT/"',
    'echo https://admin.example.com | xargs curl',
    'curl -K - <<< "url = https://admin.example.com"',
    "sh -c 'cd x && curl https://admin.example.com'",
    'npm install git+https://admin.example.com/a.git',
    `python3 -c 'import requests; requests.get("https://admin.example.com")'`,
    "node <<'EOF'\nfetch('https://admin.example.com/')\nEOF",
    'sudo -u x env A=1 timeout 5 curl admin.example.com',
    'docker exec box curl admin.example.com',
    'if true; then curl admin.example.com; fi &',
    'curl admin.example.com | (((',
  ])('is refused: %s', (command) => {
    const { verdict, tier, findings } = decide(command);
    expect({ verdict, tier }).toEqual({ verdict: 'deny', tier: 'rule' });
    expect(findings[0]?.description).toMatch(/ is blocked by the website policy of the test$/);
  });

  it('is reported with host, rule and place', () => {
    const command = 'ls && curl -s https://wiki.internal.company.com/start';
    const [finding] = decide(command).findings;
    expect(finding).toMatchObject({
      rule: 'website(*.internal.company.com)',
      description: 'wiki.internal.company.com is blocked by the website policy of the test',
    });
    expect(command.slice(finding?.start, finding?.end)).toBe('https://wiki.internal.company.com/start');
  });
});

it.each([
  'curl https://example.com/admin.example.com',
  'curl https://admin.example.com@example.com/',
  'curl https://example.com/?next=admin.example.com',
  'curl internal.company.com',
  'curl notadmin.example.com',
  'curl admin.example.com.evil.org',
  'git commit -m admin.example.com',
  'ls admin.example.com',
  'rsync -a admin.example.com backup',
  'cat > hosts <<EOF\nhttps://admin.example.com\nEOF',
  'curl file:///srv/admin.example.com',
  'curl http://10.0.0.50/',
])('lets pass what goes elsewhere: %s', (command) => {
  expect(decide(command)).toEqual({ verdict: 'allow', tier: 'none', findings: [] });
});

it.each(['curl "$URL"', 'curl "https://$HOST_OF_IT/x"', '$FETCH https://x.example.com', 'curl "$(cat url)"'])(
  'does not change what is decided about what cannot be read: %s',
  (command) => {
    for (const reach of ['host', 'container', 'remote-host', 'container-with-host-paths'] as const)
      expect(decide(command, reach)).toEqual(policyWith().decide({ command, cwd: '/workspace', reach }));
  },
);

it('reads programs as it reads their text', () => {
  const text = 'import urllib.request as u\nu.urlopen("https://admin.example.com/")';
  const place = { cwd: '/workspace', reach: 'container' } as const;
  expect(policy.decideCode({ ...place, language: 'python', text }).verdict).toBe('deny');
  expect(policy.decideCode({ ...place, language: 'python', text: 'print(1)' }).verdict).toBe('allow');
});

it('refuses what holds more addresses than can be looked at, and does not take long for it', () => {
  const started = performance.now();
  expect(decide(`echo ${'http:a'.repeat(150_000)}`).findings[0]?.description).toContain('more addresses');
  expect(performance.now() - started).toBeLessThan(5000);
});

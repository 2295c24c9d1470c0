/** What may be connected to, by the rules of the service that runs. */
import { expect, it } from 'vitest';
import { openHome } from '../background/home.ts';

const site = 'http://ads.example/';

it(
  'net check answers for the service, which still blocks what the file does no longer',
  { timeout: 120_000 },
  async () => {
    await using home = openHome('security: {website_blocklist: {domains: [ads.example]}}\n');
    const check = async (url: string): Promise<string> =>
      (await home.caisson(['net', 'check', '--dns', '93.184.216.34', url])).stdout;
    await home.caisson(['serve', '--background', '--port', '0']);
    const set = await home.caisson(['config', 'set', 'security.website_blocklist', '{domains: [b.example]}']);
    expect(set.stderr).toContain('reload would loosen: security.website_blocklist.domains: without ads.example');
    expect([await check(site), await check('http://b.example/')]).toEqual([
      expect.stringContaining('block: ads.example is blocked by the website policy'),
      expect.stringContaining('block: b.example is blocked by the website policy'),
    ]);
    await home.caisson(['config', 'reload']);
    expect(await check(site)).toContain('allow');
  },
);

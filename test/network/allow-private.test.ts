import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import type { CaissonApi } from '../../src/service/api.ts';
import type { OpenInput } from '../../src/service/open.ts';

async function opened(text: string, more: OpenInput = {}): Promise<CaissonApi> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-network-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 });
  const caisson = await openCaisson({ home, cwd: root, env: { HOME: root }, ...more });
  onTestFinished(() => caisson.close());
  return caisson;
}

it('the configuration file opens an address, and the website policy of the same file holds for URLs', async () => {
  const caisson = await opened(
    'network: {allow_private: ["10.1.2.3:8080"], nat64_prefix: "64:ff9b::/96"}\n' +
      'security: {website_blocklist: {domains: [admin.example.com]}}\n',
  );
  const check = await caisson.network.checker();
  expect(check({ url: 'http://10.1.2.3:8080/' }).verdict).toBe('allow');
  expect(check({ url: 'http://10.1.2.3/' }).verdict).toBe('block');
  expect(check({ url: 'http://[64:ff9b::808:808]/' }).verdict).toBe('allow');
  const dns = ['93.184.216.34'];
  expect(check({ url: 'http://x.admin.example.com/', dns }).reason).toContain('website policy');
  expect(check({ url: 'http://example.com/', dns }).verdict).toBe('allow');
});

it('the file is refused for what is never opened, with the line', async () => {
  const text = 'network:\n  allow_private:\n    - 10.1.2.3:8080\n    - 127.0.0.1:80\n';
  await expect(opened(text)).rejects.toThrow(/config\.yaml:4:.*a loopback address is never opened/s);
  await expect(opened('network: {nat64_prefix: "10.0.0.0/8"}\n')).rejects.toThrow('64:ff9b::/96');
});

it('neither the environment nor a flag opens an address', async () => {
  const env = { CAISSON_NETWORK_ALLOW_PRIVATE: '10.1.2.3:8080' };
  await expect(opened('', { env })).rejects.toThrow('which only the file can do');
  const flags = { 'network.allow_private': ['10.1.2.3:8080'] };
  await expect(opened('', { flags })).rejects.toThrow('network.allow_private');
});

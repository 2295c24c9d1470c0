/** `security.website_blocklist` in front of every command: what it refuses, on which places, and what cannot change that. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCode } from '../../src/errors.ts';
import type { Guard } from '../../src/guard/open.ts';
import type { GuardInput } from '../../src/guard/types.ts';
import { call, directories, guardOn, type GuardHome, refusalOf } from './world.ts';

/** Section in the form that the document prints. */
const documented = `# In ~/.hermes/config.yaml
security:
  website_blocklist:
    enabled: true
    domains:
      - "*.internal.company.com"
      - "admin.example.com"
    shared_files:
      - "/etc/hermes/blocked-sites.txt"
`;

function written(text: string): GuardHome {
  const made = directories();
  mkdirSync(made.home, { mode: 0o700 });
  writeFileSync(join(made.home, 'config.yaml'), text, { mode: 0o600 });
  return made;
}

const reaches = ['host', 'remote-host', 'container', 'container-with-host-paths'] as const;

async function everywhere(guard: Guard, command: string): Promise<readonly (string | null)[]> {
  const refusals: (string | null)[] = [];
  for (const reach of reaches) refusals.push(await refusalOf(guard, call(command, { reach })));
  return refusals;
}

const yes: GuardInput = { approver: async () => await Promise.resolve('once'), yolo: true };

describe('the documented snippet', () => {
  it.each([yes, {}])('refuses on every backend, with any approver: %j', async (input) => {
    const guard = await guardOn(written(documented), input);
    for (const command of ['curl https://wiki.internal.company.com/', 'git clone git@admin.example.com:a/b'])
      expect(await everywhere(guard, command)).toEqual(reaches.map(() => 'policy_denied'));
    expect(await everywhere(guard, 'curl https://example.com/')).toEqual(reaches.map(() => null));
  });

  it('names domain, rule and where it stands', async () => {
    const { gate } = await guardOn(written(documented));
    await expect(gate.admit(call('curl admin.example.com', { reach: 'container' }), {})).rejects.toMatchObject({
      code: 'policy_denied',
      message: expect.stringContaining(
        'admin.example.com is blocked by the website policy of security.website_blocklist.domains (website(admin.example.com))',
      ),
      details: { tier: 'rule', findings: [{ rule: 'website(admin.example.com)' }] },
    });
  });

  it('tells that its shared file is not there', async () => {
    expect((await guardOn(written(documented))).notices).toEqual([
      expect.stringContaining('/etc/hermes/blocked-sites.txt'),
    ]);
  });

  it('blocks nothing when it is not enabled', async () => {
    const guard = await guardOn(written(documented.replace('enabled: true', 'enabled: false')));
    expect(guard.notices).toEqual([]);
    expect(await refusalOf(guard, call('curl https://admin.example.com/', { reach: 'container' }))).toBeNull();
  });

  it('is not loosened by the list of what is approved, by rules or by modes', async () => {
    const more = 'command_allowlist: [curl]\napprovals: {mode: off, rules: {allow: ["terminal(curl:*)"]}}\n';
    const guard = await guardOn(written(documented + more), yes);
    expect(await everywhere(guard, 'curl https://admin.example.com/')).toEqual(reaches.map(() => 'policy_denied'));
  });
});

describe('a shared list', () => {
  const config = 'security: {website_blocklist: {shared_files: [lists/sites.txt]}}\n';

  function withList(text: string): { readonly made: GuardHome; readonly file: string } {
    const made = written(config);
    mkdirSync(join(made.home, 'lists'));
    const file = join(made.home, 'lists', 'sites.txt');
    writeFileSync(file, text);
    return { made, file };
  }

  const inside = (command: string) => call(command, { reach: 'container' });

  it('has one host a line, and comments', async () => {
    const { made, file } = withList('# ours\n\nadmin.example.com  # the old one\r\n*.internal.company.com\n');
    const guard = await guardOn(made);
    expect(guard.notices).toEqual([]);
    expect(await refusalOf(guard, inside('curl example.com'))).toBeNull();
    await expect(guard.gate.admit(inside('curl a.admin.example.com'), {})).rejects.toThrow(`${file}:3`);
  });

  it('is read again when it changes, and holds when it goes', async () => {
    const { made, file } = withList('one.example.com\n');
    const guard = await guardOn(made);
    expect(await refusalOf(guard, inside('curl two.example.com'))).toBeNull();
    writeFileSync(file, 'two.example.com\nthree.example.com\n');
    expect(await refusalOf(guard, inside('curl two.example.com'))).toBe('policy_denied');
    expect(await refusalOf(guard, inside('curl one.example.com'))).toBeNull();
    rmSync(file);
    expect(await refusalOf(guard, inside('curl two.example.com'))).toBe('policy_denied');
  });

  it('that comes later counts from then on', async () => {
    const made = written(config);
    const guard = await guardOn(made);
    expect(await refusalOf(guard, inside('curl one.example.com'))).toBeNull();
    mkdirSync(join(made.home, 'lists'));
    writeFileSync(join(made.home, 'lists', 'sites.txt'), 'one.example.com\n');
    expect(await refusalOf(guard, inside('curl one.example.com'))).toBe('policy_denied');
  });

  it('refuses every command while a line of it cannot be understood, and names the line', async () => {
    const { made, file } = withList('one.example.com\n0.0.0.0 two.example.com\n');
    const guard = await guardOn(made);
    await expect(guard.gate.admit(inside('ls'), {})).rejects.toThrow(`${file}:2`);
    writeFileSync(file, 'two.example.com\n');
    expect(await refusalOf(guard, inside('ls'))).toBeNull();
  });

  it('refuses every command while others may write it', async () => {
    const { made, file } = withList('one.example.com\n');
    chmodSync(file, 0o666);
    const guard = await guardOn(made);
    const refusal: unknown = await guard.gate.admit(inside('ls'), {}).catch((error: unknown) => error);
    expect(isCode(refusal, 'failed_precondition')).toBe(true);
    chmodSync(file, 0o644);
    expect(await refusalOf(guard, inside('ls'))).toBeNull();
  });
});

it('says which entry is no host', async () => {
  const made = written('security:\n  website_blocklist:\n    domains: [a.example.com, "*"]\n');
  await expect(guardOn(made)).rejects.toThrow(/security\.website_blocklist\.domains\[1\]: it names no host/);
});

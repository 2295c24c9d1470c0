import { expect, it } from 'vitest';
import type { FileSubject } from '../../src/guard/call.ts';
import { decideFile } from '../../src/guard/file-rules.ts';
import { settingsOf } from '../../src/policy/settings.ts';
import type { RuleTexts } from '../../src/policy/types.ts';

function removal(below: readonly string[], whole = true): FileSubject {
  return {
    kind: 'file',
    tool: 'write_file',
    also: ['remove_file'],
    paths: ['/w/dir'],
    digest: () => null,
    touched: () => Promise.resolve({ paths: ['/w/dir', ...below], whole, project: '/w' }),
  };
}

const verdictOf = async (subject: FileSubject, rules: RuleTexts): Promise<string> =>
  (await decideFile(subject, settingsOf({ rules }))).verdict;

it('the strictest over all that goes with a directory counts, and names the file', async () => {
  const rules = { deny: ['write_file(.env*)'], ask: ['write_file(**/*.key)'], allow: ['write_file'] };
  expect(await verdictOf(removal(['/w/dir/a']), rules)).toBe('allow');
  expect(await verdictOf(removal(['/w/dir/a', '/w/dir/b.key']), rules)).toBe('ask');
  const { verdict, findings } = await decideFile(removal(['/w/dir/b.key', '/w/dir/.env\n']), settingsOf({ rules }));
  expect([verdict, findings[0]?.description]).toEqual(['deny', 'denied by a rule: /w/dir/.env\n']);
});

it('a rule may mean one kind of writing alone', async () => {
  expect(await verdictOf(removal([]), { deny: ['remove_file'] })).toBe('deny');
  expect(await verdictOf(removal([]), { deny: ['move_file', 'patch'] })).toBe('allow');
});

it('what is too much to be looked at is refused where something is forbidden, else asked about, also where questions are skipped', async () => {
  expect(await verdictOf(removal([], false), { deny: ['write_file(.env)'] })).toBe('deny');
  const asked = await decideFile(removal([], false), settingsOf({ rules: { ask: ['write_file(.env)'] } }));
  expect(asked).toMatchObject({ verdict: 'ask', tier: 'rule', findings: [{ rule: 'files' }] });
  expect(await decideFile(removal([], false), settingsOf({ profile: 'strict' }))).toMatchObject({ verdict: 'deny' });
});

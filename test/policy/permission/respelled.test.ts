/** Rules that forbid or ask see a git command by its other spellings. */
import { describe, expect, it } from 'vitest';
import { decide, policyWith } from '../opened.ts';

const forbidden = policyWith({ rules: { deny: ['terminal(git push:*)'] } });
const asked = policyWith({ rules: { ask: ['terminal(git push --force:*)'] } });
const verdict = (command: string, policy = forbidden): string =>
  decide(command, { policy, reach: 'container' }).verdict;

describe('terminal(git push:*) forbids', () => {
  it.each([
    'git push',
    'git-push',
    'git-push origin main',
    '/usr/lib/git-core/git-push origin',
    'git -c alias.p=push p',
    'git -c alias.p=push p origin main',
    'git -c ALIAS.p=push p',
    'git -c alias.P=push p',
    'git -c alias.p=status -c alias.p=push p',
    "git -c alias.p='push --force' p",
    'git -c \'alias.p="push" origin\' p',
    "git -c alias.p='\\push' p",
    'git -c alias.p=q -c alias.q=push p',
    'git --no-pager -c alias.p=push p',
    'git -C a -c alias.p=push p',
    'git -c alias.p="$X" p',
    'git -c "$X" p',
    'git -c include.path=x p',
    'git -c includeIf.onbranch:a.path=x p',
    'git --config-env=alias.p=X p',
    'git --config-env alias.p=X p',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p',
    'GIT_CONFIG_GLOBAL=x git p',
    'env GIT_CONFIG_GLOBAL=x git p',
    'git -c alias.p=p p',
    'git -c alias.a=b -c alias.b=a a',
    "git -c alias.p='!git push' p",
  ])('%s', (command) => expect(verdict(command)).toBe('deny'));

  it('with its options where a rule names one', () => {
    expect(verdict("git -c alias.p='push --force' p", asked)).toBe('ask');
    expect(verdict('git -c alias.p=push p -f', asked)).toBe('ask');
    expect(verdict('git -c alias.p="$X" p', asked)).toBe('ask');
    expect(verdict('git-push --force', asked)).toBe('ask');
    expect(verdict('git-push', asked)).toBe('allow');
  });

  it.each([
    'git -c alias.p=status p',
    'git -c alias.push=status log',
    'git -c user.name=push log',
    'git -c core.editor=true commit -m push',
    'git -c alias.status=push status',
    'GIT_CONFIG_GLOBAL=/dev/null git x',
    'GIT_CONFIG_GLOBAL=x git status',
    'git -c include.path=x log',
    'git-status',
    'git log push',
  ])('not %s', (command) => expect(verdict(command)).toBe('allow'));
});

it('a rule for git forbids its programs', () => {
  const all = policyWith({ rules: { deny: ['terminal(git:*)'] } });
  expect(verdict('git-receive-pack x', all)).toBe('deny');
  expect(verdict('git-lfs', all)).toBe('deny');
});

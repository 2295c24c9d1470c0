/** Variables of a request, judged as if they stood in front of the command (SEC-F2). */
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/policy/types.ts';
import { policyWith } from './opened.ts';

const supervised = policyWith({ mode: 'supervised', rules: { allow: ['terminal(git:*)', 'terminal(make:*)'] } });

function decideWith(
  environment: Readonly<Record<string, string>>,
  command = 'git status',
  policy = policyWith(),
): Decision {
  const set = Object.entries(environment).map(([name, value]) => ({ name, value }));
  return policy.decide({ command, cwd: '/srv/project', reach: 'host', environment: set });
}

const takingOver = [
  ['PATH', '/tmp/evil:/usr/bin'],
  ['HOME', '/tmp/evil'],
  ['XDG_CONFIG_HOME', '/tmp/evil'],
  ['XDG_DATA_HOME', '/tmp/evil'],
  ['GIT_TRACE', '/root/.bashrc'],
  ['GIT_TRACE2_EVENT', '/root/.bashrc'],
  ['GIT_DIR', '/tmp/evil'],
  ['GIT_WORK_TREE', '/'],
  ['GIT_ALLOW_PROTOCOL', 'ext'],
  ['GIT_COMMON_DIR', '/tmp/evil'],
  ['LD_DEBUG_OUTPUT', '/tmp/x'],
  ['PSQL_PAGER', './x'],
  ['SYSTEMD_PAGER', './x'],
  ['GH_PAGER', './x'],
  ['AWS_PAGER', './x'],
  ['KUBE_EDITOR', './x'],
  ['MAKEFLAGS', '--eval=$(shell ./x)'],
  ['MAKEFILES', '/tmp/x.mk'],
  ['CC', './x'],
  ['HOST_CC', 'sh -c x'],
  ['RUSTC', './x'],
  ['RUSTC_WRAPPER', './x'],
  ['GOFLAGS', '-toolexec=./x'],
  ['PYTHONUSERBASE', '/tmp/evil'],
  ['RSYNC_CONNECT_PROG', './x'],
  ['PSQLRC', '/tmp/x'],
  ['INPUTRC', '/tmp/x'],
  ['WGETRC', '/tmp/x'],
  ['PHPRC', '/tmp/x'],
  ['CURL_HOME', '/tmp/x'],
  ['ANSIBLE_CONFIG', '/tmp/x'],
  ['LUA_CPATH', '/tmp/?.so'],
  ['AWKLIBPATH', '/tmp'],
  ['GCC_EXEC_PREFIX', '/tmp/'],
  ['MAVEN_OPTS', '-javaagent:x.jar'],
  ['BUNDLE_GEMFILE', '/tmp/x'],
  ['SHELL', '/tmp/x'],
] as const;

const plain = [
  ['NODE_ENV', 'test'],
  ['CI', 'true'],
  ['LC_ALL', 'C.UTF-8'],
  ['CC', 'clang-18'],
  ['CXX', 'x86_64-linux-gnu-g++'],
  ['MAKEFLAGS', '-j4'],
  ['GIT_PAGER', 'cat'],
  ['GIT_AUTHOR_NAME', 'Ada'],
  ['GIT_TERMINAL_PROMPT', '0'],
  ['SHELL', '/bin/bash'],
  ['EDITOR', 'vim'],
  ['API_SRC', 'src'],
] as const;

describe('a variable that a request sets', () => {
  it.each(takingOver)('%s=%s is asked about', (name, value) => {
    const { verdict, findings } = decideWith({ [name]: value });
    expect([verdict, findings.map(({ rule }) => rule)]).toEqual(['ask', expect.arrayContaining(['D27'])]);
  });

  it.each(plain)('%s=%s is not', (name, value) => {
    expect(decideWith({ [name]: value }).verdict).toBe('allow');
  });

  it('keeps an allow rule from holding, whatever its name', () => {
    expect(decideWith({}, 'git status', supervised).verdict).toBe('allow');
    expect(decideWith({ FOO: '1' }, 'git status', supervised).verdict).toBe('ask');
  });

  it('is part of what a decision is remembered by', () => {
    const policy = policyWith();
    expect(decideWith({ HOME: '/tmp/evil' }, 'git status', policy).verdict).toBe('ask');
    expect(decideWith({}, 'git status', policy).verdict).toBe('allow');
  });

  it('does not show its value in a finding', () => {
    const { findings } = decideWith({ HOME: '/tmp/value-of-it' });
    expect(JSON.stringify(findings)).not.toContain('value-of-it');
  });
});

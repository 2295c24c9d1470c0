/** Every snippet of configuration about commands that the documents print, as it is printed, and what it does. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { known } from '../config/known.ts';
import type { Guard } from '../../src/guard/open.ts';
import type { GuardInput } from '../../src/guard/types.ts';
import { openPolicy } from '../../src/policy/policy.ts';
import { decideTool } from '../../src/policy/tool.ts';
import type { Verdict } from '../../src/policy/types.ts';
import { call, directories, guardOn, type GuardHome, refusalOf } from './world.ts';

function written(text: string): GuardHome {
  const made = directories();
  mkdirSync(made.home, { mode: 0o700 });
  writeFileSync(join(made.home, 'config.yaml'), text, { mode: 0o600 });
  return made;
}

async function guardWith(text: string, input: GuardInput = {}): Promise<Guard> {
  return await guardOn(written(text), input);
}

const asked: string[] = [];
const yes: GuardInput = {
  approver: async ({ display }) => {
    asked.push(display);
    return await Promise.resolve('once');
  },
};

describe('the modes of approvals', () => {
  it.each([
    'approvals:\n  mode: manual # manual | smart | off\n  timeout: 60 # seconds to wait for user response (default: 60)\n',
    'approvals:\n  mode: manual    # manual | smart | off\n',
  ])('manual asks: %j', async (snippet) => {
    expect(await refusalOf(await guardWith(snippet), call('rm -rf ./x'))).toBe('approval_required');
    asked.length = 0;
    expect(await refusalOf(await guardWith(snippet, yes), call('rm -rf ./x'))).toBeNull();
    expect(asked).toEqual(['rm -rf ./x']);
  });

  it.each(['off', 'false', '"off"'])('%s does not ask', async (mode) => {
    const guard = await guardWith(`approvals:\n  mode: ${mode}\n`);
    expect(await refusalOf(guard, call('rm -rf ./x'))).toBeNull();
    expect(await refusalOf(guard, call('mkfs.ext4 /dev/sda1'))).toBe('policy_denied');
  });

  it('smart without a model asks a human', async () => {
    asked.length = 0;
    expect(await refusalOf(await guardWith('approvals:\n  mode: smart\n', yes), call('rm -rf ./x'))).toBeNull();
    expect(asked).toHaveLength(1);
  });

  it('another word is an error that names the place', async () => {
    const made = written('approvals:\n  mode: sometimes\n');
    await expect(loadConfig({ backends: known, ...made, env: {}, cwd: made.project })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/config\.yaml:2:3.*manual, smart or off/s),
    });
  });

  it('the timeout is that of the file', async () => {
    const made = written('approvals:\n  timeout: 60 # seconds (default: 60)\n');
    const { config, origins } = await loadConfig({ backends: known, ...made, env: {}, cwd: made.project });
    expect(config.approvals.timeout).toBe(60);
    expect(origins['approvals.timeout']).toContain('config.yaml:2');
  });
});

describe('command_allowlist', () => {
  it('takes program names', async () => {
    const guard = await guardWith(
      '# Permanently allowed dangerous command patterns\ncommand_allowlist:\n  - rm\n  - systemctl\n',
    );
    expect(await refusalOf(guard, call('rm -rf ./x'))).toBeNull();
    expect(await refusalOf(guard, call('systemctl stop nginx'))).toBeNull();
    expect(await refusalOf(guard, call('chmod 777 x'))).toBe('approval_required');
    expect(await refusalOf(guard, call('rm -rf /'))).toBe('policy_denied');
  });

  it('takes descriptions', async () => {
    const guard = await guardWith('command_allowlist:\n  - "recursive delete"\n  - "shell command via -c/-lc flag"\n');
    expect(await refusalOf(guard, call('rm -rf ./x'))).toBeNull();
    expect(await refusalOf(guard, call("bash -lc 'ls'"))).toBeNull();
    expect(await refusalOf(guard, call("python3 -c '1'"))).toBe('approval_required');
  });

  it('allows a command whose text equals an entry, and no longer one', async () => {
    const guard = await guardWith('command_allowlist:\n  - git clean -fd\n');
    expect(await refusalOf(guard, call('git clean -fd'))).toBeNull();
    expect(await refusalOf(guard, call('git clean -fdx'))).toBe('approval_required');
  });
});

/** Section in the form that the proposal prints. */
const gating = `approvals:
  # Mode fallback (governs tools with no explicit rules)
  tool_mode: autonomous    # autonomous | cautious | supervised | plan
  
  # Per-tool rules (override mode, some are bypass-immune)
  rules:
    allow:
      - "terminal(git:*)"          # prefix match
      - "terminal(npm test)"       # exact match
      - "write_file(src/**)"       # path glob
      - "read_file"                # entire tool
    deny:
      - "terminal(rm -rf:*)"       # always blocked, even in autonomous
      - "send_message"             # never auto-send
    ask:
      - "terminal(npm publish:*)"  # always prompt, even with --yolo
      - "write_file(.env*)"        # sensitive file patterns
      - "cronjob"                  # always confirm scheduling
  
  # Existing keys (unchanged)
  mode: smart              # dangerous shell command handling
  cron_mode: deny          # cron dangerous commands
  timeout: 60              # gateway approval timeout
`;

describe('rules and modes for tools', () => {
  it.each([
    ['git status', 'container', null],
    ['git push --force', 'host', 'approval_required'],
    ['npm test', 'host', null],
    ['rm -rf build', 'container', 'policy_denied'],
    ['rm -fr build', 'host', 'policy_denied'],
    ['npm publish --tag next', 'container', 'approval_required'],
    ['make', 'host', null],
  ] as const)('%s in a %s', async (command, reach, expected) => {
    const guard = await guardWith(gating, { yolo: command.startsWith('npm publish') });
    expect(await refusalOf(guard, call(command, { reach }))).toBe(expected);
  });

  it.each<[string, string | undefined, Verdict]>([
    ['write_file', '/srv/project/src/a/b.ts', 'allow'],
    ['write_file', '/srv/project/.env.local', 'ask'],
    ['read_file', '/etc/passwd', 'allow'],
    ['send_message', undefined, 'deny'],
    ['cronjob', undefined, 'ask'],
  ])('of %s on %s', async (tool, path, verdict) => {
    const book = await (await guardWith(gating)).rulebook.of('build');
    const { settings } = await openPolicy(book.input);
    expect(
      decideTool({ tool, project: '/srv/project', ...(path === undefined ? {} : { path }) }, settings),
    ).toMatchObject({
      verdict,
    });
  });

  it.each([
    ['autonomous', 'make', null],
    ['cautious', 'ls', null],
    ['cautious', 'make', 'approval_required'],
    ['supervised', 'ls', 'approval_required'],
    ['supervised', 'git status', null],
    ['plan', 'ls', null],
    ['plan', 'make', 'policy_denied'],
  ])('%s as fallback: %s', async (mode, command, expected) => {
    const guard = await guardWith(gating.replace('tool_mode: autonomous', `tool_mode: ${mode}`));
    expect(await refusalOf(guard, call(command, { reach: 'container' }))).toBe(expected);
  });

  it('of cron are decided at once', async () => {
    const guard = await guardOn(written(gating), { ...yes, env: { HERMES_CRON_SESSION: '1' } });
    expect(await refusalOf(guard, call('chmod 777 x'))).toBe('approval_required');
  });

  it('may be given for a task alone', async () => {
    const guard = await guardWith('tasks:\n  ci-*: {rules: {deny: ["terminal(curl:*)"]}, tool_mode: cautious}\n');
    const inside = { reach: 'container', taskId: 'ci-1' } as const;
    expect(await refusalOf(guard, call('curl x', inside))).toBe('policy_denied');
    expect(await refusalOf(guard, call('make', inside))).toBe('approval_required');
    expect(await refusalOf(guard, call('curl x', { reach: 'container' }))).toBeNull();
  });
});

describe('the profile strict', () => {
  it.each([
    ['git status', null],
    ['git push', 'policy_denied'],
    ['git status && ls', 'approval_required'],
    ['make', 'approval_required'],
    ['printenv', 'policy_denied'],
    ['sudo ls', 'policy_denied'],
    ['cat .env', 'policy_denied'],
    ['node --version', null],
  ])('decides %s, and YOLO does not change it', async (command, expected) => {
    const guard = await guardWith('policy: {profile: strict}\n', { yolo: true });
    expect(await refusalOf(guard, call(command, { reach: 'container' }))).toBe(expected);
  });

  it('refuses what its list for Python names, and asks for every other program', async () => {
    const guard = await guardWith('policy: {profile: strict}\n');
    const python = (text: string) =>
      call('', { reach: 'container', subject: { kind: 'code', language: 'python', text, bytes: text } });
    expect(await refusalOf(guard, python('import os\nos.system("id")'))).toBe('policy_denied');
    expect(await refusalOf(guard, python('print(1)'))).toBe('approval_required');
  });
});

/** Snippets about decisions, secrets and people, as documents print them, to their effect. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Question } from '../../src/index.ts';
import { documented, printed, refusal, snippet } from './documented.ts';

const remove = 'rm -r ./caisson-not-there';

/** An approver that gives one answer, and what it was asked. */
function approver(answer: string) {
  const asked: Question[] = [];
  const approver = async (question: Question): Promise<string> => {
    asked.push(question);
    return await Promise.resolve(answer);
  };
  return { asked, approver };
}

describe('the snippets about approvals', () => {
  it('mode manual asks about what could touch the host, and not in a container', async () => {
    await using home = await documented('approvals.yaml');
    expect(await refusal(await home.service(), remove, 'local')).toBe('approval_required');
    expect(await refusal(await home.service(), remove, 'docker')).toBeNull();
    const { asked, approver: once } = approver('once');
    expect(await refusal(await home.service({ approver: once }), remove, 'local')).toBeNull();
    expect(asked).toMatchObject([
      { display: expect.stringContaining(remove), choices: ['once', 'session', 'always', 'deny'] },
    ]);
  });

  it('timeout is how long an answer is waited for', async () => {
    await using home = await documented('approvals.yaml');
    const { asked, approver: deny } = approver('deny');
    const before = Date.now();
    expect(await refusal(await home.service({ approver: deny }), remove, 'local')).toBe('policy_denied');
    expect((asked[0]?.expiresAt ?? 0) - before).toBeGreaterThan(55_000);
    expect((asked[0]?.expiresAt ?? 0) - Date.now()).toBeLessThanOrEqual(60_000);
    const quick = await documented('approvals.yaml', (text) => text.replace('timeout: 60', 'timeout: 1'));
    const silent = await quick.service({ approver: async () => await new Promise<string>(() => {}) });
    expect(await refusal(silent, remove, 'local')).toBe('approval_required');
    await quick[Symbol.asyncDispose]();
  });

  it('"session" holds for the task, in later processes too', async () => {
    await using home = await documented('approvals.yaml');
    const { asked, approver: session } = approver('session');
    expect(await refusal(await home.service({ approver: session }), remove, 'local')).toBeNull();
    expect(await refusal(await home.service(), remove, 'local')).toBeNull();
    expect(asked).toHaveLength(1);
  });

  it('"always" is saved in command_allowlist, whose comments stay', async () => {
    await using home = await documented('allowed-descriptions.yaml', (text) => `# Ours\n${text}`);
    const { approver: always } = approver('always');
    expect(await refusal(await home.service({ approver: always }), 'chmod 777 caisson-not-there', 'local')).toBeNull();
    const saved = await readFile(join(home.path, 'config.yaml'), 'utf8');
    expect(saved).toMatch(/^# Ours\n[^]*shell command via[^]*terminal\(chmod 777 caisson-not-there\)/);
    expect(await refusal(await home.service(), 'chmod 777 caisson-not-there', 'local')).toBeNull();
  });

  it.each([
    ['allowed-programs.yaml', remove, null],
    ['allowed-programs.yaml', 'systemctl stop caisson-not-there', null],
    ['allowed-programs.yaml', 'chmod 777 caisson-not-there', 'approval_required'],
    ['allowed-descriptions.yaml', remove, null],
    ['allowed-descriptions.yaml', "bash -lc 'true'", null],
    ['allowed-descriptions.yaml', "python3 -c '1'", 'approval_required'],
    ['allowed-descriptions.yaml', 'rm -rf /', 'policy_denied'],
  ])('command_allowlist of %s: %s', async (name, command, expected) => {
    await using home = await documented(name);
    expect(await refusal(await home.service(), command, 'local')).toBe(expected);
  });

  it('YOLO by its variable skips questions, and no refusal that always holds', async () => {
    await using home = await documented('approvals.yaml');
    const caisson = await home.service({ env: { HERMES_YOLO_MODE: '1' } });
    expect(await refusal(caisson, remove, 'local')).toBeNull();
    expect(await refusal(caisson, 'rm -rf /', 'local')).toBe('policy_denied');
  });

  it('mode smart without a model says so, and asks a person', async () => {
    await using home = await documented('smart.yaml');
    const check = await home.cli(['config', 'check']);
    expect(check).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/smart.*base_url and approvals\.smart\.model/s),
    });
    const { asked, approver: once } = approver('once');
    expect(await refusal(await home.service({ approver: once }), remove, 'local')).toBeNull();
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['deny', 'approval_required'],
    ['approve', null],
  ])('cron_mode: %s answers in scheduled runs at once', async (mode, expected) => {
    await using home = await documented('smart.yaml', (text) => text.replace('cron_mode: deny', `cron_mode: ${mode}`));
    const { asked, approver: once } = approver('once');
    const caisson = await home.service({ approver: once, env: { HERMES_CRON_SESSION: '1' } });
    expect(await refusal(caisson, remove, 'local')).toBe(expected);
    expect(asked).toEqual([]);
  });
});

describe('the snippet about rules of tools', () => {
  it.each([
    ['git --version', 'local', null],
    ['rm -rf build', 'docker', 'policy_denied'],
    ['rm -fr build', 'local', 'policy_denied'],
    ['npm publish --tag next', 'docker', 'approval_required'],
    ['true', 'local', null],
  ])('%s on %s', async (command, backend, expected) => {
    await using home = await documented('rules.yaml');
    expect(await refusal(await home.service({ yolo: true }), command, backend)).toBe(expected);
  });

  it('holds for file tools, and says which rules are for tools of another program', async () => {
    await using home = await documented('rules.yaml');
    const caisson = await home.service();
    await caisson.sandboxes.create({ taskId: 'demo', backend: 'docker' });
    const write = async (path: string) => await caisson.files.write({ task: 'demo', path, bytes: 'x' });
    await write('/workspace/src/a/b.ts');
    await expect(write('/workspace/.env.local')).rejects.toMatchObject({ code: 'approval_required' });
    const { stderr } = await home.cli(['config', 'check']);
    expect(stderr).toMatch(/send_message/);
    expect(stderr).toMatch(/cronjob/);
  });
});

describe('the snippet about hooks', () => {
  it('runs the scripts in front of a command, once they are accepted, and one may block', async () => {
    await using home = await documented('hooks.yaml');
    const scripts = join(home.path, 'scripts');
    await mkdir(scripts);
    const says = '{"action": "block", "message": "kubectl delete is not allowed in this project"}';
    const check = `#!/bin/sh\ngrep -q 'kubectl delete' && echo '${says}'\ntrue\n`;
    await writeFile(join(scripts, 'security-check.py'), check, { mode: 0o755 });
    await writeFile(join(scripts, 'audit-logger.sh'), `#!/bin/sh\ncat >> ${home.path}/seen\n`, { mode: 0o755 });
    expect(await refusal(await home.service(), 'true', 'docker')).toBe('policy_denied');
    expect(await home.cli(['hooks', 'accept'])).toMatchObject({ code: 0 });
    expect(await refusal(await home.service(), 'echo hi', 'docker')).toBeNull();
    expect(JSON.parse(await readFile(join(home.path, 'seen'), 'utf8'))).toMatchObject({
      hook_event_name: 'pre_tool_call',
      tool_name: 'terminal',
      tool_input: { command: 'echo hi' },
    });
    const blocked = printed(await home.service(), 'kubectl delete pod my-pod', { backend: 'docker' });
    await expect(blocked).rejects.toMatchObject({
      code: 'policy_denied',
      message: expect.stringContaining('kubectl delete is not allowed in this project'),
    });
  });
});

describe('the snippets about websites and scanners', () => {
  it.each(['docker', 'local'])('blocked websites are named by no command on %s', async (backend) => {
    await using home = await documented('websites.yaml');
    const caisson = await home.service({ yolo: true });
    for (const command of ['curl https://wiki.internal.company.com/', 'wget admin.example.com'])
      expect(await refusal(caisson, command, backend)).toBe('policy_denied');
    expect(await refusal(caisson, 'echo https://example.com/', backend)).toBeNull();
    expect(caisson.config.notices.join()).toContain('/etc/hermes/blocked-sites.txt');
  });

  it.each([
    ['true', null],
    ['false', 'policy_denied'],
  ])('tirith_fail_open: %s, where tirith is not installed', async (open, expected) => {
    await using home = await documented('tirith.yaml', (text) => text.replace('fail_open: true', `fail_open: ${open}`));
    expect(await refusal(await home.service(), 'echo hi', 'local')).toBe(expected);
  });

  it('tirith is asked, and its warning becomes a question', async () => {
    await using home = await documented('tirith.yaml');
    const warns = `echo '{"findings": [{"rule_id": "x", "severity": "HIGH", "title": "Homograph URL"}]}'; exit 2`;
    await writeFile(join(home.path, 'tirith'), `#!/bin/sh\n${warns}\n`, { mode: 0o755 });
    const { asked, approver: deny } = approver('deny');
    const env = { PATH: `${home.path}:${home.env['PATH'] ?? ''}` };
    expect(await refusal(await home.service({ approver: deny, env }), 'echo hi', 'local')).toBe('policy_denied');
    expect(asked[0]?.findings.map(({ description }) => description)).toEqual(['tirith warns: Homograph URL']);
  });
});

describe('the snippets about secrets', () => {
  const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

  it.each([
    ['true', /^\[REDACTED:[a-z-]+\]\n$/],
    ['false', new RegExp(`^${token}\\n$`)],
  ])('redact_secrets: %s', async (on, expected) => {
    await using home = await documented('redaction.yaml', (text) => text.replace('true ', `${on} `));
    expect(await printed(await home.service(), `echo ${token}`, { backend: 'docker' })).toMatch(expected);
  });

  it('a server of MCP gets its own variables and safe ones, and a placeholder is named once', async () => {
    await using home = await documented('servers.yaml');
    const caisson = await home.service({ env: { OPENAI_API_KEY: 'hidden-1', LANG: 'C', XDG_CACHE_HOME: '/c' } });
    const child = await caisson.mcpServers.child('github');
    expect(child).toMatchObject({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-github'] });
    expect(child.env).toEqual({
      PATH: home.env['PATH'],
      HOME: home.path,
      LANG: 'C',
      XDG_CACHE_HOME: '/c',
      GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_...',
    });
    const notice = 'caisson: GITHUB_PERSONAL_ACCESS_TOKEN holds a placeholder, ghp_..., instead of a value\n';
    expect(await home.cli(['ls'])).toMatchObject({ code: 0, stderr: notice });
    // A placeholder is public, since a document prints it: output with it stays as it is.
    expect(await printed(caisson, 'echo ghp_...', { backend: 'docker' })).toBe('ghp_...\n');
  });
});

describe('the snippets about people', () => {
  const from = (platform: string, id: string, channel: string | null = null) => ({
    platform,
    from: { ids: [id] as const },
    channel: channel === null ? null : { id: channel },
    addressed: null,
  });

  it('lists of users in .env decide who is heard', async () => {
    await using home = await documented('strangers.yaml');
    await writeFile(join(home.path, '.env'), await snippet('users.env'), { mode: 0o600 });
    const { access } = await home.service();
    const rule = async (platform: string, id: string) => await access.message(from(platform, id));
    expect(await rule('telegram', '987654321')).toMatchObject({ what: 'heard', rule: 'platform-allowlist' });
    expect(await rule('slack', '123456789')).toMatchObject({ what: 'heard', rule: 'global-allowlist' });
    expect(await rule('discord', '5')).toMatchObject({ what: 'heard', rule: 'platform-allow-all' });
    expect(await rule('whatsapp', '5')).toMatchObject({ what: 'ignored' });
  });

  it('strangers are paired by a code, and not on WhatsApp', async () => {
    await using home = await documented('strangers.yaml');
    const { access } = await home.service();
    expect(await access.message(from('whatsapp', '5'))).toMatchObject({ what: 'ignored' });
    const answer = await access.message(from('telegram', '5'));
    const code = answer.what === 'pair' ? answer.code : '';
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    expect(await home.cli(['pairing', 'approve', 'telegram', code])).toMatchObject({ code: 0 });
    expect(await access.message(from('telegram', '5'))).toMatchObject({ what: 'heard', rule: 'paired' });
    expect(await home.cli(['pairing', 'revoke', 'telegram', '5'])).toMatchObject({ code: 0 });
    expect(await access.message(from('telegram', '5'))).toMatchObject({ what: 'ignored', why: 'asked-lately' });
  });

  it('channels of Discord need a mention, which is answered in a thread, with a task for each person', async () => {
    await using home = await documented('discord.yaml');
    const { access } = await home.service({ env: { DISCORD_ALLOWED_USERS: '42,43' } });
    const message = from('discord', '42', '100');
    expect(await access.message(message)).toEqual({ what: 'ignored', why: 'not-addressed' });
    expect(await access.message({ ...message, addressed: 'mention' })).toMatchObject({
      what: 'heard',
      answer: 'thread',
    });
    expect(access.conversation(message)).not.toBe(access.conversation(from('discord', '43', '100')));
  });
});

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Guarantees } from '../../src/backend.ts';
import { callOf, codeSubject, readable, type CallInput } from '../../src/guard/call.ts';
import { call, directories, guardOn, refusalOf } from './world.ts';

function withFile(text: string): ReturnType<typeof directories> {
  const made = directories();
  mkdirSync(made.home, { mode: 0o700 });
  writeFileSync(join(made.home, 'config.yaml'), text, { mode: 0o600 });
  return made;
}

describe('the gate', () => {
  it.each([
    ['ls -la', null],
    ['for f in *.md; do wc -l "$f"; done', null],
    ['git status', null],
    ['rm -rf /', 'policy_denied'],
    ['rm -rf ./build', 'approval_required'],
    ['$(cat name) --now', 'approval_required'],
  ])('on a host judges %s', async (command, expected) => {
    expect(await refusalOf(await guardOn(directories()), call(command))).toBe(expected);
  });

  it('lets everything pass in a container, where no rule says otherwise', async () => {
    const guard = await guardOn(directories());
    expect(await refusalOf(guard, call('rm -rf /', { reach: 'container' }))).toBeNull();
  });

  it('reads the rules of a project again after they could not be read', async () => {
    const made = directories();
    const guard = await guardOn(made);
    const there = join(made.project, '.caisson');
    writeFileSync(there, 'a file where a directory belongs');
    expect(await refusalOf(guard, call('ls'))).toBe('failed_precondition');
    rmSync(there);
    expect(await refusalOf(guard, call('ls'))).toBeNull();
  });

  it('judges a container with host paths as a host', async () => {
    const guard = await guardOn(directories());
    const reach = 'container-with-host-paths';
    expect(await refusalOf(guard, call('rm -rf /', { reach }))).toBe('policy_denied');
    expect(await refusalOf(guard, call('rm -rf build', { reach }))).toBe('approval_required');
  });

  it('keeps the hardline list in containers when it is asked to', async () => {
    const guard = await guardOn(withFile('policy: {container_hardline: true}'));
    expect(await refusalOf(guard, call('rm -rf /', { reach: 'container' }))).toBe('policy_denied');
    expect(await refusalOf(guard, call('rm -rf build', { reach: 'container' }))).toBeNull();
  });

  it('holds rules in containers too', async () => {
    const guard = await guardOn(withFile('approvals: {rules: {deny: ["terminal(curl:*)"]}}'));
    expect(await refusalOf(guard, call('ls; curl x', { reach: 'container' }))).toBe('policy_denied');
    expect(await refusalOf(guard, call('ls', { reach: 'container' }))).toBeNull();
  });

  it.each([
    ['no YAML', 'approvals: {mode: manual'],
    ['a key that is not known', 'approvals: {modes: manual}'],
    ['a rule that does not parse', 'approvals: {rules: {deny: ["terminal("]}}'],
    ['a mode that is not known', 'approvals: {tool_mode: bold}'],
  ])('is not there under a configuration with %s (CP-21)', async (_what, text) => {
    await expect(guardOn(withFile(text))).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it.each(['deny: ["terminal("]', 'denied: []', 'deny: {', 'mode: bold'])(
    'lets nothing pass where the project says %j (CP-21)',
    async (text) => {
      const made = directories();
      mkdirSync(join(made.project, '.caisson'));
      writeFileSync(join(made.project, '.caisson', 'permissions.yaml'), text);
      const guard = await guardOn(made);
      for (const reach of ['host', 'container'] as const)
        expect(await refusalOf(guard, call('ls', { reach }))).toBe('invalid_argument');
    },
  );

  it('tells what was found, where, and what to do', async () => {
    const { gate } = await guardOn(directories());
    await expect(gate.admit(call('ls; rm -rf /'), {})).rejects.toMatchObject({
      code: 'policy_denied',
      message: expect.stringContaining('recursive delete of root filesystem'),
      remedy: expect.stringContaining('outside Caisson'),
      details: {
        verdict: 'deny',
        tier: 'hardline',
        taskId: 'build',
        findings: expect.arrayContaining([
          expect.objectContaining({ rule: 'H1', description: expect.any(String), start: 4, end: 12 }),
        ]),
      },
    });
  });

  it('takes sh -c TEXT for the text, and another shell for what it is', () => {
    expect(readable({ kind: 'argv', argv: ['sh', '-c', 'ls'] })).toBe('ls');
    expect(readable({ kind: 'argv', argv: ['/bin/bash', '-c', 'ls'] })).toBe('ls');
    expect(readable({ kind: 'argv', argv: ['zsh', '-c', 'ls'] })).toEqual(['zsh', '-c', 'ls']);
    expect(readable({ kind: 'argv', argv: ['./sh', '-c', 'ls'] })).toEqual(['./sh', '-c', 'ls']);
    expect(readable({ kind: 'argv', argv: ['sh', '-c', '"$1"', 'x', 'rm'] })).toHaveLength(5);
  });

  it.each([
    [['sh'], 'approval_required'],
    [['python3'], 'approval_required'],
    [['sh', '-c', 'cat | bash'], 'approval_required'],
    [['sort'], null],
    [['python3', 'script.py'], null],
  ] as const)('asks when %j would run input that was not judged', async (argv, expected) => {
    expect(await refusalOf(await guardOn(directories()), call([...argv], { stdin: true }))).toBe(expected);
  });

  it.each([
    ['bash', 'ls', null],
    ['bash', 'rm -rf /', 'policy_denied'],
    ['python', 'print(1)', 'approval_required'],
    ['node', '1', 'approval_required'],
  ] as const)('judges a %s program on a host: %s', async (language, text, expected) => {
    const subject = codeSubject({ language, text });
    expect(await refusalOf(await guardOn(directories()), call('', { subject }))).toBe(expected);
  });

  it('asks for a program whose bytes are no text, and keeps a copy of them', async () => {
    const bytes = Buffer.from([0x6c, 0x73, 0xff]);
    const subject = codeSubject({ language: 'bash', text: bytes });
    bytes.fill(0);
    expect(subject.bytes).toEqual(Buffer.from([0x6c, 0x73, 0xff]));
    expect(await refusalOf(await guardOn(directories()), call('', { subject }))).toBe('approval_required');
  });

  it('knows the reach by what the place promises and what is bound in', () => {
    const plan = (isolation: Guarantees['isolation'], mounts: readonly unknown[]): CallInput => ({
      plan: { taskId: 't', spec: { backend: 'b', mounts }, guarantees: { isolation } },
      request: { execId: 'exec_1', cwd: '/', env: { B: '1', A: 'secret' }, stdin: true },
      subject: { kind: 'text', text: 'ls' },
    });
    expect(callOf(plan('none', [])).reach).toBe('host');
    expect(callOf(plan('remote-host', [])).reach).toBe('remote-host');
    expect(callOf(plan('container', [])).reach).toBe('container');
    expect(callOf(plan('vm', [])).reach).toBe('container');
    expect(callOf(plan('container', [{}])).reach).toBe('container-with-host-paths');
    expect(callOf(plan('none', [])).envNames).toEqual(['A', 'B']);
    expect(JSON.stringify(callOf(plan('none', [])))).not.toContain('secret');
  });
});

describe('sources of rules', () => {
  it('compose: operator, task, project, command line', async () => {
    const made = withFile(
      'approvals: {rules: {deny: ["terminal(a:*)"]}}\ntasks: {build: {rules: {deny: ["terminal(b:*)"]}}}',
    );
    mkdirSync(join(made.project, '.caisson'));
    writeFileSync(join(made.project, '.caisson', 'permissions.yaml'), 'deny: ["terminal(c:*)"]');
    const guard = await guardOn(made, { rules: { deny: ['terminal(d:*)'] } });
    for (const program of ['a', 'b', 'c', 'd'])
      expect(await refusalOf(guard, call(`${program} x`, { reach: 'container' }))).toBe('policy_denied');
    expect(await refusalOf(guard, call('b x', { reach: 'container', taskId: 'other' }))).toBeNull();
    expect(await refusalOf(guard, call('e x', { reach: 'container' }))).toBeNull();
  });

  it('of a project may only tighten', async () => {
    const made = withFile('approvals: {tool_mode: supervised}');
    mkdirSync(join(made.project, '.caisson'));
    const file = join(made.project, '.caisson', 'permissions.yaml');
    writeFileSync(file, 'allow: [terminal]\ntool_mode: autonomous');
    expect(await refusalOf(await guardOn(made), call('ls'))).toBe('approval_required');
    writeFileSync(file, 'tool_mode: plan');
    expect(await refusalOf(await guardOn(made), call('make'))).toBe('policy_denied');
  });

  it('of the command line may only tighten inside a command that Caisson runs', async () => {
    const rules = { allow: ['terminal(rm -rf ./x)'], deny: ['terminal(ls:*)'] };
    const outside = await guardOn(withFile('approvals: {tool_mode: supervised}'), { rules, mode: 'autonomous' });
    expect(await refusalOf(outside, call('rm -rf ./x'))).toBeNull();
    expect(await refusalOf(outside, call('make'))).toBeNull();
    expect(await refusalOf(outside, call('ls'))).toBe('policy_denied');
    const env = { CAISSON_EXEC: 'exec_1' };
    const inside = await guardOn(withFile('approvals: {tool_mode: supervised}'), { rules, mode: 'autonomous', env });
    expect(await refusalOf(inside, call('rm -rf ./x'))).toBe('approval_required');
    expect(await refusalOf(inside, call('make'))).toBe('approval_required');
    expect(await refusalOf(inside, call('ls'))).toBe('policy_denied');
  });

  it('of a project that cannot be read stop the command', async () => {
    const made = directories();
    mkdirSync(join(made.project, '.caisson'));
    writeFileSync(join(made.project, '.caisson', 'permissions.yaml'), 'denny: [terminal]');
    await expect((await guardOn(made)).gate.admit(call('ls', { reach: 'container' }), {})).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/permissions\.yaml:1:1: denny: there is no such key, did you mean deny\?$/),
    });
  });

  it.each([
    ['deny: terminal', /permissions\.yaml:1:1: deny: expected lists of rules/],
    ['deny: [terminal, "(x)"]', /permissions\.yaml:1:\d+: deny\.?\[1\]: expected tool or tool\(pattern\)/],
    ['tool_mode: off', /permissions\.yaml:1:1: tool_mode: expected autonomous, cautious, supervised or plan/],
    [
      'ask: [terminal]\ndeny: [terminal, "terminal(ls; id)"]',
      /permissions\.yaml: deny\[1\]: the permission rule "terminal\(ls; id\)" is more/,
    ],
  ])('of a project are reported by the keys of its own file when they are wrong: %j', async (text, message) => {
    const made = directories();
    mkdirSync(join(made.project, '.caisson'));
    writeFileSync(join(made.project, '.caisson', 'permissions.yaml'), text);
    const error: unknown = await (await guardOn(made)).gate.admit(call('ls'), {}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringMatching(message) });
    expect(error).toMatchObject({ message: expect.not.stringContaining('approvals') });
  });

  it('of a project that would allow something are known to have no effect', async () => {
    const made = directories();
    mkdirSync(join(made.project, '.caisson'));
    const file = join(made.project, '.caisson', 'permissions.yaml');
    writeFileSync(file, 'allow: [terminal, "terminal(id)"]');
    expect(await (await guardOn(made)).rulebook.ignored()).toEqual([
      { source: `${file}: allow[0]`, rule: 'terminal' },
      { source: `${file}: allow[1]`, rule: 'terminal(id)' },
    ]);
  });

  it('refuse a rule that does not parse, whatever the command', async () => {
    const guard = await guardOn(withFile('approvals: {rules: {deny: ["terminal(a; b)"]}}'));
    expect(await refusalOf(guard, call('ls', { reach: 'container' }))).toBe('invalid_argument');
  });

  it.each([
    [
      'approvals: {rules: {ask: [terminal], deny: [terminal, "terminal(a; b)"]}}',
      /config\.yaml:1: approvals\.rules\.deny\[1\]: /,
    ],
    ['tasks: {build: {rules: {ask: ["terminal(a; b)"]}}}', /config\.yaml:1: tasks\.build\.rules\.ask\[0\]: /],
    ['command_allowlist: [ls, "terminal(a; b)"]\napprovals: {rules: {deny: [terminal]}}', /command_allowlist\[1\]: /],
  ])('tell where one stands that does not parse: %j', async (text, message) => {
    await expect((await guardOn(withFile(text))).gate.admit(call('ls'), {})).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(message),
    });
  });
});

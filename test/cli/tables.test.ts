import { describe, expect, it } from 'vitest';
import type { SandboxView } from '../../src/service/api.ts';
import { CaissonError } from '../../src/errors.ts';
import { table } from '../../src/cli/table.ts';
import { plain } from '../../src/cli/paint.ts';
import { cli } from './cli.ts';
import { spec } from './double-data.ts';

const two: readonly Partial<SandboxView>[] = [
  { taskId: 'build', createdAt: '2026-01-02T11:57:00Z', usedAt: '2026-01-02T11:59:18Z' },
  {
    taskId: 'local',
    backend: 'local',
    state: 'stopped',
    createdAt: '2026-01-01T09:30:00Z',
    usedAt: '2026-01-02T12:00:00Z',
    spec: { ...spec, image: null, limits: { cpuCores: null, memoryBytes: 2 ** 30, diskBytes: null, pids: null } },
    degraded: [{ control: 'memoryBytes', wanted: 2 ** 30, reason: 'the host has no limits', asked: false }],
  },
];

describe('tables', () => {
  it('ls shows a line a sandbox', async () => {
    expect((await cli(['ls'], { sandboxes: two })).stdout).toMatchInlineSnapshot(`
      "TASK   BACKEND  STATE    IMAGE      CPU  MEMORY  AGE  IDLE
      build  docker   ready    debian:12  1    512 MB  3m   42s
      local  local    stopped  -          -    -       1d   0s
      "
    `);
    expect((await cli(['ls', '-q'], { sandboxes: two })).stdout).toBe('build\nlocal\n');
    expect(JSON.parse((await cli(['ls', '-o', 'json'], { sandboxes: two })).stdout)).toMatchObject([
      { taskId: 'build' },
      { taskId: 'local' },
    ]);
    expect((await cli(['ls', '--json'])).stdout).toBe('[]\n');
  });

  it('inspect shows what was wanted beside what holds', async () => {
    const effective = {
      noNewPrivileges: true,
      capabilities: { bounding: '000000000000000b' },
      limits: { memoryBytes: 536_870_912, cpuCores: null, pids: 256 },
      mounts: [{ target: '/tmp\u001b[2J' }],
    };
    const sandboxes = [
      { ...two[0], effective, place: { host: 'engine\u202e', resource: 'c1', imageDigest: 'sha256:00' } },
    ];
    expect((await cli(['inspect', 'build'], { sandboxes })).stdout).toMatchInlineSnapshot(`
      "task          build
      sandbox       sbx_build00000000000
      backend       docker
      state         ready
      host          engine\\u{202e}
      resource      c1
      image digest  sha256:00
      directory     -
      kept          yes
      made          3 min ago (2026-01-02T11:57:00Z), generation 1
      idle          42 s
      labels        -
      ends          not by itself

      CONTROL                 WANTED      EFFECTIVE
      backend                 docker      -
      image                   debian:12   -
      network                 open        -
      persistent              true        -
      cwd                     /workspace  -
      mounts                  none        -
      limits.cpuCores         1           -
      limits.memoryBytes      512 MB      512 MB
      limits.diskBytes        -           -
      limits.pids             256         256
      hardening.readOnlyRoot  false       -
      hardening.seccomp       builtin     -
      hardening.runtime       -           -
      hardening.shmBytes      -           -
      hardening.user          root        -
      noNewPrivileges         -           true
      capabilities.bounding   -           000000000000000b
      mounts.1                -           target=/tmp\\x1b[2J

      Missing here:
        a disk limit of 1 KB (terminal.container_disk: null asks for none): overlay2 on ext4 has no quota
        pids (wanted 64): the kernel counts no processes
      "
    `);
    expect(JSON.parse((await cli(['inspect', 'build', '--json'], { sandboxes })).stdout)).toMatchObject({
      effective,
      resource: 'running',
    });
  });

  it('stats shows who can tell, and says who cannot', async () => {
    const { exitCode, stdout, stderr } = await cli(['stats', 'build', 'local'], { sandboxes: two });
    expect(stdout).toMatchInlineSnapshot(`
      "TASK   CPU TIME    MEMORY  LIMIT   PROCESSES  RECEIVED  SENT
      build  1 min 23 s  96 MB   512 MB  7 of 256   2 KB      -
      "
    `);
    expect([exitCode, stderr]).toEqual([1, 'caisson: local: local tells no usage figures (not_supported)\n']);
    expect((await cli(['stats'], { sandboxes: two })).exitCode).toBe(0);
  });

  it('doctor tells what is there, what is missing and how to get it', async () => {
    const { exitCode, stdout } = await cli(['doctor']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "docker: ready. Docker 20.10.24 answers
        version 20.10.24, cgroup v1
        not enforced: a disk limit of 1 KB (terminal.container_disk: null asks for none): overlay2 on ext4 has no quota\\x1b
        warning CVE-2024-21626: runc 1.1.5 lets a process leave its container
          try: install runc 1.1.12 or newer

      policy rules: ready. 2 rules, 7 examples hold

      limits: ready. callers reach limits of the service
        warning questions: 3 requests were refused, the last one of mallory 1 min 30 s ago
          try: look at what that owner does (caisson ps, caisson audit tail), or raise server.limits.questions
        warning questions: 240 of 256 are in use, most of it by mallory (64)
          try: look at what that owner does (caisson ps, caisson audit tail), or raise server.limits.questions

      pool: ready. 2 of 4 sandboxes stand ready, 1 being made
        warning web: 0 of 2 stand ready, and the last one could not be made: the engine is down
          try: correct pool.entries.web, or what it needs

      not in use (caisson doctor NAME tells how to get one)
        singularity: missing. apptainer is not on the PATH\\x1b[31m
      "
    `);
    expect((await cli(['doctor', 'singularity'])).exitCode).toBe(1);
    expect((await cli(['doctor', 'docker', '-q'])).stdout).toBe('');
    expect(JSON.parse((await cli(['doctor', '--json'])).stdout)).toMatchObject([
      { backend: 'docker', status: 'ready' },
      { status: 'missing' },
      { part: 'policy rules', status: 'ready' },
      { part: 'limits', status: 'ready' },
      { part: 'pool', status: 'ready' },
    ]);
    expect((await cli(['doctor', 'dokcer'])).exitCode).toBe(125);
  });

  const item = { since: '2026-01-02T11:57:00Z', cpuCores: 2, memoryBytes: 2 ** 30 } as const;
  const accounts = [
    {
      backend: 'docker',
      error: null,
      items: [
        { ...item, name: 'sb-1', state: 'running', owner: 'this', taskId: 'build' },
        { ...item, name: 'sb-2\u001b[2J', state: 'running', owner: 'other', taskId: 'theirs' },
        { ...item, name: 'mine', state: 'stopped', owner: 'none', taskId: null, since: null, cpuCores: null },
      ],
    },
  ] as const;

  it('ls --account shows what runs in the account, of all programs', async () => {
    expect((await cli(['ls', '--account'], { accounts })).stdout).toMatchInlineSnapshot(`
      "BACKEND  NAME         STATE    CREATED    CPU  MEMORY  OWNER         TASK
      docker   sb-1         running  3 min ago  2    1 GB    this home     build
      docker   sb-2\\x1b[2J  running  3 min ago  2    1 GB    another home  theirs
      docker   mine         stopped  -          -    1 GB    not Caisson   -
      "
    `);
    expect((await cli(['ls', '--account', '-q'], { accounts })).stdout).toBe('sb-1\nsb-2\\x1b[2J\nmine\n');
    expect(JSON.parse((await cli(['ls', '--account', '--json'], { accounts })).stdout)).toEqual(accounts);
    expect((await cli(['ls', '--account', '--filter', 'backend=other'], { accounts })).stdout).not.toContain('sb-1');
    expect((await cli(['ls', '--account', '--filter', 'state=ready'], { accounts })).exitCode).toBe(2);
  });

  it('ls --account fails when a service does not answer, and doctor says so', async () => {
    const silent = [{ backend: 'docker', items: [], error: 'the service is away' }];
    const { exitCode, stderr } = await cli(['ls', '--account'], { accounts: silent });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('docker did not answer: the service is away')]);
    expect((await cli(['doctor', 'docker'], { accounts: silent })).stdout).toContain('the account does not answer');
  });

  it('doctor tells how many sandboxes run in an account, and whose they are', async () => {
    expect((await cli(['doctor', 'docker'], { accounts })).stdout).toContain(
      "2 sandboxes run in the account: 1 of this home, 1 of another home, 0 not Caisson's; 1 more are kept",
    );
    const [first] = JSON.parse((await cli(['doctor', 'docker', '--json'], { accounts })).stdout);
    expect(first).toMatchObject({ backend: 'docker', account: accounts[0] });
  });

  it('doctor names the rules that do not find what their examples say', async () => {
    const rules = [
      { rule: 'D1', examples: 7, problems: ['does not find: rm -r x', 'finds: ls'] },
      { rule: 'H1', examples: 2, problems: [] },
    ];
    const { exitCode, stdout } = await cli(['doctor'], { rules });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('policy rules: unhealthy. 1 of 2 rules, 9 examples do not hold');
    expect(stdout).toContain('error D1: does not find: rm -r x');
    expect((await cli(['doctor', 'docker'], { rules })).exitCode).toBe(0);
  });

  it('doctor tells which rules have no effect', async () => {
    const ignored = (): Promise<{ source: string; rule: string }[]> =>
      Promise.resolve([{ source: '/p/.caisson/permissions.yaml: allow[0]', rule: 'terminal(id)' }]);
    const { exitCode, stdout } = await cli(['doctor'], { ignored });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('warning ignored: /p/.caisson/permissions.yaml: allow[0]: terminal(id) has no effect');
  });

  it('doctor tells which rules cannot be read', async () => {
    const error = new CaissonError('invalid_argument', 'x: deny[0]: the permission rule is wrong', { remedy: 'z' });
    const { exitCode, stdout } = await cli(['doctor'], { ignored: () => Promise.reject(error) });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('error rules: x: deny[0]: the permission rule is wrong');
  });

  it('backends, images and the configuration have theirs', async () => {
    expect((await cli(['backends'])).stdout).toMatchInlineSnapshot(`
      "BACKEND      STATE    WHAT
      docker       ready    Docker 20.10.24 answers
      singularity  missing  apptainer is not on the PATH\\x1b[31m
      "
    `);
    expect((await cli(['image', 'ls'])).stdout).toMatchInlineSnapshot(`
      "IMAGE       BACKEND  ID                   SIZE      CREATED
      deb:latest  docker   sha256:0123456789ab  117.7 MB  36 h ago

      RECIPE   MAKES              ABOUT
      sandbox  caisson/sandbox:1  Debian with tools
      "
    `);
    expect((await cli(['config', 'show', '--origin'])).stdout).toMatchInlineSnapshot(`
      "KEY               VALUE   ORIGIN
      terminal.backend  docker  file
      terminal.timeout  180     default
      pool.size         null    default
      "
    `);
    expect((await cli(['config', 'show', 'terminal', '--json'])).stdout).toBe(
      '[{"key":"terminal.backend","value":"docker"},{"key":"terminal.timeout","value":180}]\n',
    );
  });

  it.each([
    ['timeout', 'did you mean terminal.timeout?'],
    ['termnal', 'did you mean terminal?'],
    ['terminal.bakend', 'did you mean terminal.backend?'],
    ['nothing.like.it', '`caisson config show` lists all of them'],
  ])('config show knows no key %s', async (key, remedy) => {
    const { exitCode, stdout, stderr } = await cli(['config', 'show', key]);
    expect([exitCode, stdout]).toEqual([125, '']);
    expect(stderr).toContain(`there is no key "${key}" in the configuration (invalid_argument)\n  try: ${remedy}\n`);
  });

  it('backup prints the directory that it made, below the one that it was called in', async () => {
    const { exitCode, stdout, stderr } = await cli(['backup', 'monday']);
    expect([exitCode, stdout.endsWith('/monday\n'), stderr.includes('3 files')]).toEqual([0, true, true]);
    expect((await cli(['backup'])).exitCode).toBe(2);
  });

  it('gc tells what would go and why, and fails when a part failed', async () => {
    const garbage = [
      { kind: 'resource', backend: 'docker', name: 'sbx_1', taskId: 'old\u001b[1A', why: 'no record of it exists' },
      { kind: 'journal', backend: null, name: 'exec_1', taskId: null, why: 'older than 7 days', error: 'EACCES' },
    ] as const;
    const { exitCode, stdout, stderr, double } = await cli(['gc', '--dry-run'], { garbage });
    expect(double.calls).toContain('gc dry');
    expect(stdout).toMatchInlineSnapshot(`
      "KIND      NAME    TASK        BACKEND  WHY
      resource  sbx_1   old\\x1b[1A  docker   no record of it exists
      journal   exec_1  -           -        older than 7 days; FAILED: EACCES
      "
    `);
    expect([exitCode, stderr]).toEqual([1, 'caisson: 1 thing would go, 1 failed\n']);
    expect((await cli(['gc'])).double.calls).toContain('gc for real');
  });

  it('escape their cells, cut long ones and align what remains', () => {
    expect(
      table(
        ['A', 'B'],
        [
          ['x\u001b[2J\n', '1'],
          ['y'.repeat(200), 'z'.repeat(1000)],
        ],
        { paint: plain, width: null },
      ),
    ).toBe(`A${' '.repeat(73)}B\nx\\x1b[2J\\n${' '.repeat(64)}1\n${'y'.repeat(71)}…  ${'z'.repeat(399)}…\n`);
  });

  it('have colours on a terminal only, unless set otherwise', async () => {
    const bold = '\u001b[1m';
    const shown = async (env: Record<string, string>, terminal: boolean, ...argv: string[]) =>
      (await cli(['ls', ...argv], { env, terminal, sandboxes: two })).stdout.includes(bold);
    expect(await shown({}, true)).toBe(true);
    expect(await shown({}, false)).toBe(false);
    expect(await shown({ NO_COLOR: '1', FORCE_COLOR: '1' }, true)).toBe(false);
    expect(await shown({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(await shown({ FORCE_COLOR: '0' }, true)).toBe(false);
    expect(await shown({ TERM: 'dumb' }, true)).toBe(false);
    expect(await shown({}, true, '--no-color')).toBe(false);
  });
});

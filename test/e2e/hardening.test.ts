import { describe, expect, it } from 'vitest';
import { makeHome } from './home.ts';

describe('the main job: commands in a hardened sandbox', () => {
  it('shows the promised controls from inside (CH-01, CH-02, CH-03, CH-06)', async () => {
    await using home = await makeHome();
    const script = 'grep -E "Cap(Bnd|Eff)|NoNewPrivs|Seccomp:" /proc/self/status; mount';
    const { code, stdout } = await home.cli(['run', '--backend', 'docker', '--task', 'demo', '--', 'sh', '-c', script]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^CapBnd:\t000000000000000b$/m);
    expect(stdout).toMatch(/^CapEff:\t000000000000000b$/m);
    expect(stdout).toMatch(/^NoNewPrivs:\t1$/m);
    expect(stdout).toMatch(/^Seccomp:\t2$/m);
    const mounts = new Map(
      stdout
        .split('\n')
        .flatMap((line) =>
          [...line.matchAll(/^tmpfs on (\S+) type tmpfs \((.*)\)$/g)].map(
            (match) => [match[1], match[2]?.split(',') ?? []] as const,
          ),
        ),
    );
    expect(mounts.get('/tmp')).toEqual(expect.arrayContaining(['rw', 'nosuid', 'size=524288k']));
    expect(mounts.get('/tmp')).not.toContain('noexec');
    expect(mounts.get('/var/tmp')).toEqual(expect.arrayContaining(['rw', 'nosuid', 'noexec', 'size=262144k']));
    expect(mounts.get('/run')).toEqual(expect.arrayContaining(['rw', 'nosuid', 'noexec', 'size=65536k']));
  });

  it('shows wanted beside effective in inspect', async () => {
    await using home = await makeHome();
    await home.cli(['create', '--task', 'demo', '--memory', '96m', '--cpu', '0.5']);
    const { stdout } = await home.cli(['inspect', 'demo', '-o', 'json']);
    const view = JSON.parse(stdout);
    expect(view.spec.limits).toMatchObject({ memoryBytes: 96 * 2 ** 20, cpuCores: 0.5, pids: 256 });
    expect(view.effective).toMatchObject({
      capabilities: { bounding: '000000000000000b' },
      noNewPrivileges: true,
      seccomp: 'filter',
      limits: { memoryBytes: 96 * 2 ** 20, swapBytes: 0, cpuCores: 0.5, pids: 256 },
      coreBytes: '0:0',
    });
    expect(view.degraded).toEqual([expect.objectContaining({ control: 'diskBytes', asked: false })]);
  });

  it('refuses a disk limit that somebody set and the engine cannot hold, unless set otherwise (CH-20)', async () => {
    await using home = await makeHome();
    const refused = await home.cli(['create', '--task', 'demo', '--disk', '100m']);
    expect(refused.code).toBe(125);
    expect(refused.stderr).toContain('not_supported');
    expect(await home.containers()).toEqual([]);
    const degraded = await home.cli(['create', '--task', 'demo', '--disk', '100m', '--allow-degraded', '-o', 'json']);
    expect(JSON.parse(degraded.stdout).sandbox.degraded).toEqual([
      expect.objectContaining({ control: 'diskBytes', wanted: 100 * 2 ** 20, asked: true }),
    ]);
  });
});

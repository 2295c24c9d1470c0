/** What an engine answers, shortened to what is read of it. */
export function infoOf(): Record<string, unknown> {
  return {
    ID: 'AAAA:BBBB',
    ServerVersion: '29.5.1',
    OperatingSystem: 'Debian GNU/Linux 13',
    KernelVersion: '6.12',
    Architecture: 'x86_64',
    Driver: 'overlay2',
    DriverStatus: [
      ['Backing Filesystem', 'extfs'],
      ['Supports d_type', 'true'],
    ],
    CgroupVersion: '1',
    Runtimes: { runc: { path: 'runc' }, crun: { path: 'crun' } },
    DefaultRuntime: 'runc',
    Plugins: { Log: ['json-file', 'local'] },
    NCPU: 4,
    MemTotal: 16 * 1024 ** 3,
    CpuCfsQuota: true,
    CpuCfsPeriod: true,
    MemoryLimit: true,
    SwapLimit: true,
    PidsLimit: true,
    SecurityOptions: ['name=apparmor', 'name=seccomp,profile=builtin', 'name=cgroupns'],
  };
}

export function versionOf(): Record<string, unknown> {
  return {
    Platform: { Name: 'Docker Engine - Community' },
    Version: '29.5.1',
    ApiVersion: '1.52',
    Components: [
      { Name: 'Engine', Version: '29.5.1' },
      { Name: 'runc', Version: '1.3.4' },
      { Name: 'docker-init', Version: '0.19.0' },
    ],
  };
}

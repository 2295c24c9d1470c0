/** Versions below which a container is known to be escapable. Pure: versions in, findings out. */
import type { Finding } from '../../../src/backend.ts';

export interface Versions {
  readonly engine: string | null;
  readonly runc: string | null;
  readonly desktop: string | null;
}

interface Floor {
  readonly component: keyof Versions;
  readonly name: string;
  /** First safe version of each maintained line, oldest first. */
  readonly safe: readonly string[];
  readonly ids: readonly string[];
  readonly why: string;
}

const floors: readonly Floor[] = [
  {
    component: 'runc',
    name: 'runc',
    safe: ['1.1.12'],
    ids: ['CVE-2024-21626'],
    why: 'a working directory can reach the host through a leaked descriptor',
  },
  {
    component: 'runc',
    name: 'runc',
    safe: ['1.2.8', '1.3.3', '1.4.0-rc.3'],
    ids: ['CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881'],
    why: 'masked paths and the console can be redirected to files of the host',
  },
  {
    component: 'engine',
    name: 'the engine',
    safe: ['29.5.1'],
    ids: ['CVE-2026-41567', 'CVE-2026-41568', 'CVE-2026-42306'],
    why: 'copies of archives into and out of containers can run code, and create or redirect files, on the host (Caisson does not use these calls)',
  },
  {
    component: 'desktop',
    name: 'Docker Desktop',
    safe: ['4.44.3'],
    ids: ['CVE-2025-9074'],
    why: 'containers can reach the engine itself',
  },
];

export function versionFindings(versions: Versions): readonly Finding[] {
  return floors.flatMap((floor) => findingsOf(floor, versions[floor.component]));
}

function findingsOf(floor: Floor, version: string | null): readonly Finding[] {
  if (version === null) return [];
  const parsed = parseVersion(version);
  if (!parsed) return [unknownVersion(floor, version)];
  if (isSafe(parsed, floor.safe)) return [];
  return floor.ids.map((id) => ({
    severity: 'warning',
    id,
    message: `${floor.name} ${version} is older than ${floor.safe.join(', ')}: ${floor.why}${parsed.patched ? '; this build of a distribution may have the fix already' : ''}`,
    remedy: `update ${floor.name} to ${floor.safe.at(-1) ?? 'a fixed version'} or newer${parsed.patched ? `, or look up ${id} in the distribution's security tracker` : ''}`,
  }));
}

function unknownVersion(floor: Floor, version: string): Finding {
  return {
    severity: 'warning',
    id: 'unknown-version',
    message: `${floor.name} tells a version that cannot be read (${version.slice(0, 60)}), so it is not known whether it is safe from ${floor.ids.join(', ')}`,
    remedy: `make sure that it is ${floor.safe.join(', ')} or newer`,
  };
}

interface Version {
  readonly parts: readonly [number, number, number];
  /** Number of a release candidate or beta; a release has none and comes after them. */
  readonly candidate: number | null;
  /** Carries a distribution's suffix, and so perhaps its patches. */
  readonly patched: boolean;
}

/** Reads `v1.1.5+ds1`, `1.4.0-rc.3`, `1.3.0~rc1`, `20.10.24+dfsg1`, `29.0.0-beta.1`. `null` for anything else. */
export function parseVersion(version: string): Version | null {
  const match = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?:[-~.]?(rc|beta|alpha)[.-]?(\d{0,6}))?(.{0,80})$/.exec(
    version.trim(),
  );
  if (!match || !/^(?:[+~-].*)?$/.test(match[6] ?? '')) return null;
  const parts = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)] as const;
  return { parts, candidate: parseCandidate(match[4], match[5]), patched: /^[+~-]/.test(match[6] ?? '') };
}

const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1_000_000, rc: 2_000_000 };

function parseCandidate(stage: string | undefined, index: string | undefined): number | null {
  return stage === undefined ? null : (stages[stage] ?? 0) + Number(index || 0);
}

/** Safe from the fix of its own line on, and in every line after the last one that was fixed. */
function isSafe(version: Version, safe: readonly string[]): boolean {
  return safe.map(parseVersion).some((floor, index) => {
    if (!floor || compare(version, floor) < 0) return false;
    const isLast = index === safe.length - 1;
    return isLast || (version.parts[0] === floor.parts[0] && version.parts[1] === floor.parts[1]);
  });
}

function compare(a: Version, b: Version): number {
  for (const [index, part] of a.parts.entries()) {
    const difference = part - (b.parts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return (a.candidate ?? Infinity) === (b.candidate ?? Infinity)
    ? 0
    : (a.candidate ?? Infinity) - (b.candidate ?? Infinity);
}

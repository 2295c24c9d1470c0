/** Versions that are too old to work here, and versions with known holes. Pure: a version in, findings out. */
import type { Finding } from '../../src/backend.ts';

export type Flavor = 'apptainer' | 'singularity';

export interface Version {
  readonly flavor: Flavor;
  readonly text: string;
  readonly parts: readonly [number, number, number];
}

type VersionNumbers = Version['parts'];

/** Older ones have no unprivileged overlays, or no network without privileges. */
const floors: Readonly<Record<Flavor, VersionNumbers>> = { apptainer: [1, 2, 0], singularity: [4, 0, 0] };

interface Hole {
  readonly flavor: Flavor;
  readonly fixed: VersionNumbers;
  readonly id: string;
  readonly why: string;
}

const holes: readonly Hole[] = [
  {
    flavor: 'apptainer',
    fixed: [1, 3, 2],
    id: 'CVE-2024-3727',
    why: 'a crafted image digest can make it ask registries with the credentials of its account',
  },
  {
    flavor: 'apptainer',
    fixed: [1, 4, 5],
    id: 'CVE-2025-65105',
    why: 'an AppArmor profile may not be applied (Caisson asks for none)',
  },
];

/** `apptainer version 1.4.5-2`, `singularity-ce version 4.1.0-jammy`. `null` for anything else. */
export function parseVersion(text: string): Version | null {
  const match = /^(apptainer|singularity)(?:-ce|-pro)? version (\d{1,4})\.(\d{1,4})\.(\d{1,4})/.exec(text.trim());
  if (match === null) return null;
  const flavor = match[1] === 'apptainer' ? 'apptainer' : 'singularity';
  return { flavor, text: text.trim().slice(0, 80), parts: [Number(match[2]), Number(match[3]), Number(match[4])] };
}

/** The version that is needed, when this one is older. */
export function tooOld({ flavor, parts }: Version): string | null {
  return isOlder(parts, floors[flavor]) ? floors[flavor].join('.') : null;
}

export function versionFindings({ flavor, parts, text }: Version): readonly Finding[] {
  return holes
    .filter((hole) => hole.flavor === flavor && isOlder(parts, hole.fixed))
    .map(({ id, fixed, why }) => ({
      severity: 'warning',
      id,
      message: `${text} is older than ${fixed.join('.')}: ${why}`,
      remedy: `Update ${flavor} to ${fixed.join('.')} or newer.`,
    }));
}

function isOlder(a: VersionNumbers, b: VersionNumbers): boolean {
  for (const [index, part] of a.entries()) {
    const difference = part - (b[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

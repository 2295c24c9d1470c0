/** How Apptainer is on this host, for `doctor`. */
import type { Check, Finding } from '../../src/backend.ts';
import { isCode, toCaissonError } from '../../src/errors.ts';
import type { Facts } from './facts.ts';
import { versionFindings } from './floors.ts';

/** `others`: see `onOthers`. */
export function checkFromFacts(facts: Facts, others: readonly string[]): Check {
  const { version, host, hierarchy, missing, userNamespaces, scratch, cache, kernel, hostName } = facts;
  const ill = problemOf(facts);
  const limits = typeof hierarchy === 'string' ? 'without limits' : `with limits by cgroup v${hierarchy.version}`;
  return {
    status: ill === null ? 'ready' : 'unhealthy',
    summary: ill?.summary ?? `containers run on ${hostName} as ${host.account.name}, by ${version.text}, ${limits}`,
    remedy: ill?.remedy ?? null,
    facts: {
      program: host.program,
      version: version.text,
      account: host.account.name,
      host: hostName,
      kernel,
      scratch,
      cache,
      cgroups: typeof hierarchy === 'string' ? null : hierarchy.version,
      userNamespaces,
      missing: missing.join(' ') || 'nothing',
    },
    findings: [...versionFindings(version), ...postureFindings(facts), ...accountFindings(others)],
  };
}

/** No program is `missing`; one that will not do is `unhealthy`. */
export function toFailedCheck(error: unknown): Check {
  const { message, remedy } = toCaissonError(error);
  return {
    status: isCode(error, 'unavailable') ? 'missing' : 'unhealthy',
    summary: message,
    remedy: remedy ?? 'see whether `apptainer version` works',
    facts: {},
    findings: [],
  };
}

export function problemOf({
  missing,
  userNamespaces,
}: Pick<Facts, 'missing' | 'userNamespaces'>): { readonly summary: string; readonly remedy: string } | null {
  if (missing.length > 0)
    return {
      summary: `this host lacks ${missing.join(', ')}`,
      remedy: 'install squashfs-tools, util-linux and e2fsprogs',
    };
  if (userNamespaces === 0)
    return {
      summary: 'this host lets no account without rights make namespaces',
      remedy: 'sysctl user.max_user_namespaces=15000, and see kernel.apparmor_restrict_unprivileged_userns on Ubuntu',
    };
  return null;
}

function postureFindings(facts: Facts): readonly Finding[] {
  return [...limitFindings(facts), ...networkFindings(facts)];
}

/** Programs of this host that have the same account read and write what is in a sandbox (proc_pid_root(5)). */
export function accountFindings(others: readonly string[]): readonly Finding[] {
  if (others.length === 0) return [];
  return [
    {
      severity: 'warning',
      id: 'other-account',
      message: `sandboxes run as the account that they were made for, which other programs of this host may have: ${others.join(', ')}`,
      remedy:
        'remove them by `caisson rm` when their work is done: kept files are handed over to the account of the next one',
    },
  ];
}

function networkFindings({ hasNsenter }: Pick<Facts, 'hasNsenter'>): readonly Finding[] {
  if (hasNsenter) return [];
  return [
    {
      severity: 'warning',
      id: 'no-nsenter',
      message: 'sandboxes cannot have a filtered network: nsenter is not on the PATH',
      remedy: 'install util-linux',
    },
  ];
}

function limitFindings({ hierarchy }: Pick<Facts, 'hierarchy'>): readonly Finding[] {
  if (typeof hierarchy !== 'string') return [];
  return [
    {
      severity: 'warning',
      id: 'no-limits',
      message: `cores, memory and processes of sandboxes are not limited: ${hierarchy}`,
      remedy: 'run Caisson as root, or in a job of a scheduler that limits it',
    },
  ];
}

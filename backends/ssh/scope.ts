/**
 * Limits of a sandbox on a host that systemd runs: every command starts in a scope of its own (systemd-run(1)), and all
 * scopes of a sandbox are in one slice, which has the limits (systemd.resource-control(5)). They stand in a file of
 * systemd, so they hold again after a restart of the host.
 *
 * They bound what goes wrong, not who means harm: the account that runs the commands may lift its own limits.
 */
import { createHash } from 'node:crypto';
import type { LimitName } from '../../src/backend.ts';
import type { Carrier } from '../shared/preamble.ts';

/** Words of registrations and refs. `system`: root's own systemd; `user`: that of the account; `oom`: it has OOMPolicy. */
const scopes = ['system', 'system+oom', 'user', 'user+oom'] as const;
export type Scope = (typeof scopes)[number];

export interface Scoped {
  readonly scope: Scope;
  readonly slice: string;
}

/** What one scope was seen to hold, when it was tried. */
export interface Scopes {
  readonly scope: Scope;
  readonly holds: readonly LimitName[];
}

export function parseScope(text: unknown): Scope | null {
  return scopes.find((scope) => scope === text) ?? null;
}

/** A hyphen would make a slice inside a slice of what the id says. */
export function sliceOf(sandbox: string): string {
  return `caisson-${createHash('sha256').update(sandbox).digest('hex').slice(0, 24)}.slice`;
}

/** How a command comes into its scope. */
export function carrierInto({ scope, slice }: Scoped): Carrier {
  const [manager, oom] = scope.split('+');
  // Without it, a command that the kernel ends for memory takes its whole scope with it (systemd 253 on).
  const going = oom === undefined ? [] : ['-p', 'OOMPolicy=continue'];
  return {
    lines: [
      '_cz_s=$(command -v systemd-run) || { _cz_say scope -; exit 126; }',
      ...(manager === 'user' ? [runtimeDirectory] : []),
    ],
    words: ['"$_cz_s"', `--${manager}`, '--scope', '--quiet', '--collect', `--slice=${slice}`, ...going, '--'],
  };
}

/** Sets the directory in which `systemd-run --user` finds its systemd; a login without PAM leaves it unset. */
export const runtimeDirectory = ': "${XDG_RUNTIME_DIR:=/run/user/$(id -u)}"; export XDG_RUNTIME_DIR';

/** Tries it with all limits, and says which of them the kernel then has: `scope=SCOPE` and `holds=NAME...`. */
export const scopeProbe = `
own() { while IFS=: read -r x names path; do case ",$names," in *",$1,"*) echo "$path"; return;; esac; done </proc/self/cgroup; }
is() { [ -r "$1" ] && read -r x <"$1" && [ "$x" = "$2" ]; }
look() {
c=/sys/fs/cgroup u=$c$(own '')
if is $u/memory.max 67108864; then { [ ! -e $u/memory.swap.max ] || is $u/memory.swap.max 0; } && echo memoryBytes
elif is $c/memory$(own memory)/memory.limit_in_bytes 67108864; then [ "$(wc -l </proc/swaps)" -lt 2 ] && echo memoryBytes; fi
{ is $u/pids.max 60 || is $c/pids$(own pids)/pids.max 60; } && echo pids
{ is $u/cpu.max '50000 100000' || is $c/cpu$(own cpu)/cpu.cfs_quota_us 50000; } && echo cpuCores
:; }
if [ "$1" = look ]; then look; exit 0; fi
if [ -n "$(command -v systemd-run)" ] && [ -n "$(command -v systemctl)" ] && [ -n "$(command -v timeout)" ]; then
manager=system; [ "$(id -u)" = 0 ] || { manager=user; ${runtimeDirectory}; }
for more in +oom ''; do
case $more in '') set --;; *) set -- -p OOMPolicy=continue;; esac
held=$(timeout 5 systemd-run --$manager --scope --quiet --collect "$@" -p MemoryMax=64M -p MemorySwapMax=0 -p TasksMax=60 -p CPUQuota=50% \
sh -c "$probe" sh look 2>/dev/null </dev/null) || continue
[ -z "$held" ] || { say scope "$manager$more"; say holds "$(echo $held)"; }
break
done
fi`;

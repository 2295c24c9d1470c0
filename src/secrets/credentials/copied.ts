/** Credential files of a sandbox into which nothing can be bound: written and removed by commands in it. */
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { runScript } from '../../inside/run.ts';

export interface CopyPlace {
  readonly sandbox: Sandbox;
  /** The sandbox's part of a home that it shares (`keptKey`); empty where it has a file system of its own. */
  readonly key: string;
  /** Where files go in a sandbox with a file system of its own. */
  readonly directory: string;
  readonly signal?: AbortSignal | undefined;
}

const statuses = { inTheWay: 71, failed: 74 } as const;

const base = `
umask 077
if [ -n "$1" ]; then base=\${XDG_STATE_HOME:-\${HOME:-/root}/.local/state}/caisson/$1/credentials; else base=$2; fi
`;

/**
 * $3 path below the directory, $4 bytes on stdin. Links on the way are no way: an earlier command may have left them. The
 * file is old or new, and only the user of the sandbox may read it.
 */
const placeScript = `${base}
[ ! -L "$base" ] || exit ${statuses.inTheWay}
mkdir -p "$base" && chmod 700 "$base" || exit ${statuses.failed}
d=$base rest=$3
while :; do
  case $rest in */*) d=$d/\${rest%%/*} rest=\${rest#*/} ;; *) break ;; esac
  [ ! -L "$d" ] || exit ${statuses.inTheWay}
  [ -d "$d" ] || mkdir "$d" || exit ${statuses.inTheWay}
done
f=$d/$rest
[ ! -L "$f" ] || exit ${statuses.inTheWay}
[ -f "$f" ] || [ ! -e "$f" ] || exit ${statuses.inTheWay}
t=$d/.caisson-new
rm -f "$t"
if cat >"$t" && [ "$(wc -c <"$t")" -eq "$4" ] && chmod 400 "$t" && mv -f "$t" "$f"; then printf '%s' "$base"
else rm -f "$t"; exit ${statuses.failed}
fi
`;

/** $3... paths below the directory. All that is kept in a shared home for this sandbox goes when there are none. */
const removeScript = `${base}
if [ -n "$1" ] && [ $# -eq 2 ]; then rm -rf "$base"; exit; fi
shift 2
for path; do rm -f "$base/$path" || exit ${statuses.failed}; done
`;

/** The directory as the sandbox reports it: hostile, but only used to refuse, or sent back to the sandbox. */
export async function copyFile(place: CopyPlace, path: string, bytes: Uint8Array): Promise<string> {
  const { sandbox, key, directory, signal } = place;
  const args = [key, directory, path, String(bytes.length)];
  const ended = await runScript(sandbox, { name: 'credentials', script: placeScript, args, input: bytes, signal });
  if (ended.exitCode === 0) return ended.text.startsWith('/') && ended.text.length <= 4096 ? ended.text : directory;
  if (ended.exitCode === statuses.inTheWay)
    throw new CaissonError('conflict', `a link or a directory is in the way of the credential file ${path} inside`, {
      details: { path },
      remedy: 'remove it in the sandbox, or set another terminal.credential_directory',
    });
  throw new CaissonError('resource_exhausted', `the credential file ${path} could not be written in the sandbox`, {
    details: { path, exitCode: ended.exitCode },
    remedy: 'look whether its disk is full, and whether its user may write there',
  });
}

/** Without paths, everything that was placed in a shared home. */
export async function removeCopies(place: CopyPlace, paths: readonly string[]): Promise<void> {
  const { sandbox, key, directory, signal } = place;
  const args = [key, directory, ...paths];
  const ended = await runScript(sandbox, { name: 'credentials', script: removeScript, args, signal });
  if (ended.exitCode === 0) return;
  throw new CaissonError('unavailable', 'credential files could not be removed from the sandbox', {
    details: { exitCode: ended.exitCode },
    remedy: 'remove them there by hand, or try again',
  });
}

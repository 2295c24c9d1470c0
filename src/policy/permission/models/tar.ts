/**
 * tar, by tar(1) of GNU: listing, unpacking below the working directory, and archives that are written there. Absent: what runs
 * a program (`-I`, `--to-command`, `--checkpoint-action`, `-F`, `--rsh-command`), deletes (`--remove-files`), renames
 * (`--transform`), reads names or options from a file (`-T`), or leaves the directory (`-P`).
 */
import { kinds } from './kinds.ts';
import type { Model } from './model.ts';

export const tar: Model = {
  bundled: true,
  /** Stdin or stdout, or a file; a name with a colon is a file of another host. */
  kinds: { archive: (text, isPattern) => text === '-' || kinds['inside']?.(text, isPattern) === true },
  options:
    '-c -t -x -d -r -u -f:archive -C:inside -z -j -J -Z -a -v -p -k -o -m -h -w -O -S -l -b:number -X:any ' +
    '-V:word -H:word ' +
    '--create --list --get --extract --diff --compare --append --update --file:archive --directory:inside ' +
    '--gzip --gunzip --ungzip --bzip2 --xz --zstd --lzma --lzip --lz4 ' +
    '--auto-compress --no-auto-compress --verbose --preserve-permissions --same-permissions ' +
    '--no-same-permissions --same-owner --no-same-owner --keep-old-files --keep-newer-files ' +
    '--skip-old-files --touch --dereference --hard-dereference --interactive --to-stdout --sparse --check-links ' +
    '--exclude:text --exclude-from:any --exclude-vcs --exclude-vcs-ignores ' +
    '--exclude-caches --exclude-backups --strip-components:number --wildcards --no-wildcards ' +
    '--wildcards-match-slash --anchored --no-anchored --ignore-case --no-ignore-case ' +
    '--numeric-owner --owner:word --group:word --mode:word --mtime:text --sort:word --format:word --totals ' +
    '--one-file-system --no-recursion --recursion --delay-directory-restore ' +
    '--no-overwrite-dir --blocking-factor:number --full-time --utc --show-transformed-names --block-number ' +
    '--null --label:word --warning:word --ignore-failed-read --ignore-zeros --no-unquote --occurrence? ' +
    '--version --help',
};

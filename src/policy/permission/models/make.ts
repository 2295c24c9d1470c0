/**
 * make, by make(1) of GNU: targets of the makefile of the working directory, or of one below it. Absent: other makefiles (`-f`),
 * text that make runs (`--eval`), and variables, which may be the shell or the compiler.
 */
import type { Model } from './model.ts';

/** A target that no recipe can take for shell text, or a switch such as `V=1`. */
const target = /^[\w./%+@,:][\w./%+@,:-]*$/;
/** Names that are no program, path or file to any shell: `BASH_ENV=1` would be one. */
const plainSwitch =
  /^(?:V|Q|VERBOSE|QUIET|SILENT|DEBUG|RELEASE|DEV|CI|COLOR|NO_COLOR|COVERAGE|WERROR|STRICT|FORCE|JOBS|DRY_RUN|DRYRUN)=(?:\d*|yes|no|true|false|on|off)$/;

export const make: Model = {
  operands: 'goal*',
  kinds: { goal: (text, isPattern) => !isPattern && (target.test(text) || plainSwitch.test(text)) },
  options:
    '-j?number -l?measure -O?word -k -n -s -B -i -q -t -w -d -p -r -R -S -b -m -C:inside -o:inside -W:inside -v -h ' +
    '--jobs?number --load-average?measure --max-load?measure --output-sync?word --keep-going --just-print ' +
    '--dry-run --recon --silent --quiet --no-silent --always-make --ignore-errors ' +
    '--question --touch --print-directory --no-print-directory --debug?word --print-data-base ' +
    '--no-builtin-rules --no-builtin-variables --no-keep-going --stop ' +
    '--directory:inside --old-file:inside --assume-old:inside --what-if:inside --new-file:inside ' +
    '--assume-new:inside --warn-undefined-variables --trace --check-symlink-times --version --help',
};

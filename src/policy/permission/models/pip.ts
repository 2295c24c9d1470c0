/**
 * pip, by its documentation (pip 24): packages of the configured index by name, the project itself, and its lists of requirements. Absent: other
 * indexes, places to install to, files and addresses as packages, settings for builds.
 */
import type { Model } from './model.ts';

const requirement =
  /^[a-z\d](?:[\w.-]*[a-z\d])?(?:\[[\w.,-]*\])?(?:(?:===?|~=|!=|[<>]=?)[\w.*+!-]+(?:,(?:===?|~=|!=|[<>]=?)[\w.*+!-]+)*)?$/i;
const archive = /\.(?:whl|zip|tar|tgz|gz|bz2|tbz|xz|txz|lzma|tlz|lz)$/i;
const project = /^\.(?:\[[\w.,-]*\])?$/;

const kinds = {
  package: (text: string, isPattern: boolean): boolean =>
    (!isPattern || text.includes('[')) && (project.test(text) || (requirement.test(text) && !archive.test(text))),
  project: (text: string): boolean => project.test(text),
};

const shared =
  '-q -v -V -h --quiet --verbose --no-input --disable-pip-version-check --no-color --no-cache-dir ' +
  '--timeout:number --retries:number --version --help --require-virtualenv --isolated';

const model = (options: string, operands: string): Model => ({ options: `${shared} ${options}`, operands, kinds });

export const pip: Model = {
  options: shared,
  commands: {
    install: model(
      '-U -r:inside -c:inside -e:project -I --upgrade --requirement:inside --constraint:inside ' +
        '--editable:project --user --no-deps --pre --force-reinstall --ignore-installed --break-system-packages ' +
        '--dry-run ' +
        '--upgrade-strategy:word --no-warn-script-location --no-warn-conflicts --require-hashes ' +
        '--only-binary:word --no-binary:word --prefer-binary --progress-bar:word --no-build-isolation ' +
        '--no-compile --compile --root-user-action:word --ignore-requires-python',
      'package*',
    ),
    uninstall: model('-y -r:inside --yes --requirement:inside --break-system-packages', 'package*'),
    list: model(
      '-o -u -e -l --outdated --uptodate --editable --local --user --pre --format:word --not-required ' +
        '--exclude:word --include-editable --exclude-editable',
      '',
    ),
    show: model('-f --files', 'package*'),
    freeze: model('-l --local --user --all --exclude:word --exclude-editable', ''),
    check: model('', ''),
    inspect: model('--local --user', ''),
    debug: model('', ''),
  },
};

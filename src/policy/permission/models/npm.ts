/**
 * npm, by its documentation (npm 10): scripts that package.json names, and packages of the registry by name. npm reads
 * options anywhere, so that all subcommands share them. Absent: other registries, shells, places and configurations, packages that are
 * files, repositories or addresses, and options for what a script runs.
 */
import type { Model } from './model.ts';

const named = '(?:@[a-z\\d~-][\\w.~-]*\\/)?[a-z\\d~][\\w.~-]*';
/** `name`, `@scope/name`, each with a version, a range or a tag. */
const registered = new RegExp(`^${named}(?:@[\\w.^~<>=|* +-]+)?$`, 'i');
const archive = /\.(?:tgz|tar|tar\.gz)$/i;

const kinds = {
  package: (text: string, isPattern: boolean): boolean => !isPattern && registered.test(text) && !archive.test(text),
  script: (text: string): boolean => /^[\w.:@/-]+$/.test(text),
  own: (text: string): boolean => /^[\w.@/-]+$/.test(text) && !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(text),
};

const options =
  '-s -d -dd -q -f -l -p -D -S -E -O -P -B -y -a -w:own -ws -h -v --silent --quiet --verbose --loglevel:word ' +
  '--json --long --parseable --all --depth:word --force --yes --version --help ' +
  '--save --no-save --save-dev --save-exact --save-prod --save-optional --save-peer --save-bundle --omit:word ' +
  '--include:word --production --legacy-peer-deps --strict-peer-deps --ignore-scripts ' +
  '--no-audit --audit --no-fund --fund --prefer-offline --prefer-online --offline --no-progress --progress ' +
  '--no-package-lock --package-lock-only --dry-run --no-optional --only:word --audit-level:word ' +
  '--workspaces --workspace:own --include-workspace-root --no-workspaces --if-present --foreground-scripts ' +
  '--no-color --color? --no-update-notifier --no-bin-links --install-strategy:word';

const model = (operands: string): Model => ({ style: 'whole', options, operands, kinds });

const install = model('package*');
const run = model('script any*');
const test = model('any*');
const plain = model('package*');
const alone = model('');

export const npm: Model = {
  style: 'whole',
  options,
  kinds,
  commands: {
    install,
    i: install,
    add: install,
    ci: alone,
    'clean-install': alone,
    uninstall: plain,
    remove: plain,
    rm: plain,
    un: plain,
    update: plain,
    up: plain,
    upgrade: plain,
    run,
    'run-script': run,
    test,
    t: test,
    start: test,
    stop: test,
    restart: test,
    ls: plain,
    list: plain,
    ll: plain,
    la: plain,
    outdated: plain,
    why: plain,
    explain: plain,
    fund: plain,
    view: model('package any*'),
    info: model('package any*'),
    show: model('package any*'),
    search: test,
    audit: alone,
    prune: alone,
    dedupe: alone,
    ddp: alone,
    ping: alone,
    root: alone,
    prefix: alone,
    whoami: alone,
    rebuild: plain,
    rb: plain,
    version: alone,
    pack: alone,
  },
};

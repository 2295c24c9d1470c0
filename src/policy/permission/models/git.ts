/**
 * git, by its manuals (2.39): a subcommand of git's own, which no alias can replace, and of its options those that run no
 * program and write nothing outside of the repository. `-m` takes a message in some, and is a flag in others.
 */
import { diffOptions, fetchOptions, listOptions, mergeOptions, revisionOptions } from './git-options.ts';
import type { Model } from './model.ts';
import { given } from '../../../lib/given.ts';

const kinds = {
  strategy: (text: string): boolean => /^(?:ort|recursive|resolve|octopus|ours|theirs|subtree)$/.test(text),
  /** `ext::CMD` runs a command, `x::y` the program `git-remote-x`; ssh takes a host with a dash for an option. */
  remote: (text: string): boolean => !/^[\w+.-]+::|^(?:[\w+.-]+:\/\/)?(?:[^/@]*@)?-/.test(text),
  /** A ref that symbolic-ref may write: not a file beside it. */
  ref: (text: string): boolean => /^(?:HEAD|refs\/[\w./-]+)$/.test(text) && !text.includes('..'),
};

const model = (options: string, operands?: string): Model => ({
  options,
  kinds,
  ...given({ operands }),
});

const history = model(`${revisionOptions} ${diffOptions}`);
const message = '-m:text --message:text';

const commit = model(
  `${message} -a -p -q -v -s -n -z -u?word -C:word -F:any -S?word --all --patch --quiet --verbose --signoff ` +
    '--no-signoff --no-verify --verify ' +
    '--amend --no-edit --allow-empty --allow-empty-message --dry-run --short --branch --porcelain --long --null ' +
    '--author:text --date:text ' +
    '--reuse-message:word --fixup:text --squash:word --reset-author --file:any --include --only -i -o ' +
    '--untracked-files? --gpg-sign? --no-gpg-sign ' +
    '--status --no-status --no-post-rewrite --trailer:text --cleanup:word',
);

const stash: Model = {
  options: `${message} -p -k -S -u -a -q --patch --keep-index --no-keep-index --staged --include-untracked --all --quiet`,
  kinds,
  commands: {
    push: model(
      `${message} -p -k -S -u -a -q --patch --keep-index --no-keep-index --staged --include-untracked --all --quiet`,
    ),
    save: model('-p -k -S -u -a -q --patch --keep-index --no-keep-index --staged --include-untracked --all --quiet'),
    pop: model('-q --quiet --index'),
    apply: model('-q --quiet --index'),
    drop: model('-q --quiet'),
    branch: model(''),
    clear: model(''),
    list: history,
    show: model(`${revisionOptions} ${diffOptions} -u --include-untracked --only-untracked --no-include-untracked`),
  },
};

const remote: Model = {
  options: '-v --verbose',
  kinds,
  commands: {
    add: model('-f -t:word -m:word --tags --no-tags', 'word remote'),
    rename: model('--progress --no-progress'),
    remove: model(''),
    rm: model(''),
    'set-head': model('-a -d --auto --delete'),
    'set-branches': model('--add'),
    'get-url': model('--push --all'),
    'set-url': model('--push --add --delete', 'word remote*'),
    show: model('-n'),
    prune: model('-n --dry-run'),
    update: model('-p --prune'),
  },
};

const worktree: Model = {
  kinds,
  commands: {
    add: model(
      '-f -d -q -b:word -B:word --force --detach --checkout --no-checkout --lock --reason:text --quiet --track ' +
        '--no-track --guess-remote --no-guess-remote --orphan',
      'inside any',
    ),
    list: model('-v -z --porcelain --verbose --expire:text'),
    lock: model('--reason:text'),
    unlock: model(''),
    move: model('', 'any inside'),
    prune: model('-n -v --dry-run --verbose --expire:text'),
    remove: model(''),
  },
};

const reflog: Model = {
  options: `${revisionOptions} ${diffOptions}`,
  commands: {
    show: history,
    exists: model(''),
    expire: model(
      '-n -v --all --dry-run --verbose --rewrite --updateref --stale-fix --expire:text ' +
        '--expire-unreachable:text --single-worktree',
    ),
    delete: model('-n -v --dry-run --verbose --rewrite --updateref'),
  },
};

export const git: Model = {
  options: '--version --no-pager -P',
  commands: {
    add: model(
      '-n -v -f -p -u -A -N -i --dry-run --verbose --force --patch --update --all --no-all --intent-to-add ' +
        '--refresh --ignore-errors --ignore-missing --renormalize --sparse --chmod:word',
    ),
    am: model(
      '-s -k -3 -q -c -S?word --signoff --keep --3way --no-3way --quiet --continue --skip --abort --quit ' +
        '--resolved --show-current-patch? --scissors --no-scissors --ignore-whitespace --keep-cr --no-keep-cr ' +
        '--reject --no-verify',
    ),
    apply: model(
      '-3 -R -p:number -C:number -v -q -z --3way --reverse --check --stat --numstat --summary --index --cached ' +
        '--intent-to-add --apply --whitespace:word --ignore-whitespace --ignore-space-change --inaccurate-eof ' +
        '--recount --reject --unidiff-zero --verbose --quiet --exclude:text --include:text --allow-empty',
    ),
    blame: model(
      '-b -c -e -f -l -n -p -s -t -w -k -L:text -M?measure -C?measure --root --line-porcelain --porcelain ' +
        '--incremental --show-name --show-number --show-email --show-stats --date:text --since:text --reverse ' +
        '--first-parent --color-lines --color-by-age --ignore-rev:word --ignore-revs-file:any --abbrev?number ' +
        '--score-debug --progress --no-progress',
    ),
    branch: model(
      `${listOptions} -v -a -r --verbose --all --remotes -d -D -m -M -c -C -f -q -t -u:word --delete --move ` +
        '--copy --force --quiet --track? --no-track --set-upstream-to:word --unset-upstream --show-current ' +
        '--create-reflog',
    ),
    checkout: model(
      '-b:word -B:word -q -f -d -l -t -m -p -2 -3 --quiet --force --ours --theirs --track? --no-track --detach ' +
        '--orphan:word --merge --conflict:word --patch --progress --no-progress --guess --no-guess ' +
        '--overwrite-ignore --recurse-submodules --no-recurse-submodules --overlay --no-overlay ' +
        '--ignore-other-worktrees --ignore-skip-worktree-bits',
    ),
    'cherry-pick': model(
      '-x -n -s -r -m:number -S?word -X:word --mainline:number --no-commit --signoff --ff --allow-empty ' +
        '--allow-empty-message --keep-redundant-commits --strategy:strategy --strategy-option:word --continue ' +
        '--skip --abort --quit --gpg-sign? --no-gpg-sign --rerere-autoupdate --no-rerere-autoupdate',
    ),
    clean: model('-d -f -n -q -x -X -e:text --force --dry-run --quiet --exclude:text'),
    clone: model(
      '-v -q -n -l -s -b:word -o:word -j:number --verbose --quiet --progress --no-checkout --bare --mirror ' +
        '--local --no-local --no-hardlinks --shared --branch:word --origin:word --depth:number --single-branch ' +
        '--no-single-branch --no-tags --tags --shallow-since:text --shallow-exclude:word --shallow-submodules ' +
        '--no-shallow-submodules --recurse-submodules? --recursive --remote-submodules --jobs:number --sparse ' +
        '--filter:text --also-filter-submodules --reject-shallow --no-reject-shallow -4 -6 --ipv4 --ipv6',
      'remote inside',
    ),
    commit,
    describe: model(
      '--all --tags --contains --abbrev?number --candidates:number --exact-match --debug --long --match:text ' +
        '--exclude:text --always --first-parent --dirty? --broken?',
    ),
    diff: model(`${diffOptions} -q -0 -1 -2 -3 --no-index --base --ours --theirs`),
    fetch: model(fetchOptions, 'remote*'),
    'format-patch': model(
      `${diffOptions} -NUM -n -N -k -v:number -s --numbered --no-numbered --keep-subject --signoff --stdout ` +
        '--cover-letter --no-cover-letter --subject-prefix:text --rfc --reroll-count:number --start-number:number ' +
        '--thread? --no-thread --no-signature --base:word --root --zero-commit --no-encode-email-headers ' +
        '--full-index --ignore-if-in-upstream --progress --no-to --no-cc --no-attach',
    ),
    grep: model(
      '-a -i -w -v -h -H -E -G -P -F -n -l -L -z -o -c -p -W -q -r -I -e:text -f:any -A:number -B:number ' +
        '-C:number -m:number -NUM --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp ' +
        '--basic-regexp --perl-regexp --fixed-strings --line-number --column --name-only --files-with-matches ' +
        '--files-without-match --null --only-matching --count --color? --no-color --break --heading ' +
        '--show-function --context:number --after-context:number --before-context:number --function-context ' +
        '--max-count:number --max-depth:number --threads:number --and --or --not --all-match --quiet --cached ' +
        '--untracked --no-index --exclude-standard --no-exclude-standard --recurse-submodules --recursive ' +
        '--no-recursive --no-textconv',
    ),
    init: model('-q -b:word --quiet --bare --initial-branch:word --object-format:word', 'inside'),
    log: history,
    'ls-files': model(
      '-c -d -m -o -i -s -k -u -z -t -v -f -x:text -X:any --cached --deleted --modified --others --ignored ' +
        '--stage --killed --unmerged --exclude:text --exclude-from:any --exclude-standard ' +
        '--exclude-per-directory:word --error-unmatch --full-name --abbrev?number --directory ' +
        '--no-empty-directory --eol --recurse-submodules --resolve-undo --sparse --deduplicate --debug ' +
        '--format:text --with-tree:word',
    ),
    'ls-remote': model(
      '-h -t -q --heads --tags --branches --refs --quiet --exit-code --get-url --sort:text --symref',
      'remote any*',
    ),
    'ls-tree': model(
      '-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev?number ' +
        '--format:text',
    ),
    merge: model(`${message} -F:any --file:any ${mergeOptions}`),
    'merge-base': model('-a --all --octopus --independent --is-ancestor --fork-point'),
    mv: model('-f -k -n -v --force --dry-run --verbose --sparse'),
    pull: model(`${mergeOptions} -r -t --rebase? --no-rebase ${fetchOptions} -n`, 'remote*'),
    push: model(
      '-u -f -d -n -q -v -4 -6 --all --branches --mirror --delete --tags --follow-tags --no-follow-tags ' +
        '--atomic --no-atomic --dry-run --porcelain --force --force-with-lease? --no-force-with-lease ' +
        '--force-if-includes --set-upstream --thin --no-thin --quiet --verbose --progress --no-progress ' +
        '--no-verify --verify --prune --signed? --no-signed --recurse-submodules? --no-recurse-submodules --ipv4 ' +
        '--ipv6 --repo:remote',
      'remote*',
    ),
    rebase: model(
      '-q -v -n -f -m -r? -s:strategy -X:word -S?word -C:number -k --continue --skip --abort --quit --onto:word ' +
        '--keep-base --root --quiet --verbose --stat --no-stat --no-verify --verify --force-rebase --no-ff ' +
        '--fork-point --no-fork-point --merge --apply --strategy:strategy --strategy-option:word --rebase-merges? ' +
        '--no-rebase-merges --autosquash --no-autosquash --autostash --no-autostash --signoff ' +
        '--committer-date-is-author-date --reset-author-date --ignore-date --ignore-whitespace --whitespace:word ' +
        '--empty:word --keep-empty --no-keep-empty --allow-empty-message --reapply-cherry-picks ' +
        '--no-reapply-cherry-picks --update-refs --no-update-refs --reschedule-failed-exec ' +
        '--no-reschedule-failed-exec --show-current-patch --gpg-sign? --no-gpg-sign --rerere-autoupdate ' +
        '--no-rerere-autoupdate',
    ),
    reflog,
    remote,
    reset: model(
      '-q -p -N --quiet --no-quiet --patch --soft --mixed --hard --merge --keep --refresh --no-refresh ' +
        '--intent-to-add --recurse-submodules --no-recurse-submodules',
    ),
    restore: model(
      '-s:text -p -W -S -q -m -2 -3 --source:text --patch --worktree --staged --quiet --ours --theirs --merge ' +
        '--conflict:word --progress --no-progress --ignore-unmerged --overlay --no-overlay --recurse-submodules ' +
        '--no-recurse-submodules',
    ),
    'rev-list': model(
      `${revisionOptions} --count --objects --objects-edge --disk-usage? --header --use-bitmap-index ` +
        '--filter:text --quiet --no-commit-header --missing:word',
    ),
    'rev-parse': model(
      '-q --verify --quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? ' +
        '--remotes? --glob:text --show-toplevel --show-cdup --show-prefix --show-superproject-working-tree ' +
        '--is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --git-dir ' +
        '--absolute-git-dir --git-common-dir --git-path:word --show-object-format? --since:text --until:text ' +
        '--default:word --revs-only --no-revs --flags --no-flags --not --sq --path-format:word --local-env-vars',
    ),
    revert: model(
      '-n -s -m:number -S?word -X:word --no-edit --mainline:number --no-commit --signoff --strategy:strategy ' +
        '--strategy-option:word --continue --skip --abort --quit --reference --gpg-sign? --no-gpg-sign ' +
        '--rerere-autoupdate --no-rerere-autoupdate',
    ),
    rm: model('-f -n -r -q --force --dry-run --cached --ignore-unmatch --quiet --sparse'),
    shortlog: model(`${revisionOptions} -n -s -e -c -w? --numbered --summary --email --committer --group:text`),
    show: history,
    'show-ref': model(
      '-q -d -s? -h --head --heads --branches --tags --dereference --hash? --verify --quiet --abbrev?number',
    ),
    stash,
    status: model(
      '-s -b -v -z -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? ' +
        '--ignore-submodules? --ignored? --null --column? --no-column --ahead-behind --no-ahead-behind --renames ' +
        '--no-renames --find-renames?measure',
    ),
    switch: model(
      '-c:word -C:word -d -f -m -q -t --create:word --force-create:word --detach --guess --no-guess --force ' +
        '--discard-changes --merge --conflict:word --quiet --progress --no-progress --track? --no-track ' +
        '--orphan:word --ignore-other-worktrees --recurse-submodules --no-recurse-submodules',
    ),
    'symbolic-ref': model('-q -d -m:text --quiet --delete --short --recurse --no-recurse', 'ref ref'),
    tag: model(
      `${listOptions} ${message} -a -s -d -f -F:any --annotate --sign --no-sign --delete --force --file:any ` +
        '--cleanup:word --create-reflog',
    ),
    version: model('--build-options'),
    worktree,
  },
};

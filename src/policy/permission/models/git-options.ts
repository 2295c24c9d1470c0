/**
 * Options that several git commands share, from git-log(1), git-diff(1) and git-rev-list(1). Absent: those that write a
 * file (`--output`), run a program (`--ext-diff`, `--textconv`) or read options from elsewhere (`--stdin`, `-O`).
 */

export const diffOptions =
  '-p -u -s -z -a -b -w -R -r -t -c -m -W -D -U?number -M?measure -C?measure -B?word -X?word -S:text -G:text ' +
  '-I:text -l:number ' +
  '--patch --no-patch --unified:number --raw --patch-with-raw --patch-with-stat --minimal --patience ' +
  '--histogram --diff-algorithm:word ' +
  '--stat? --stat-width:number --stat-count:number --compact-summary --numstat --shortstat --dirstat? --summary ' +
  '--cumulative ' +
  '--name-only --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --color-moved-ws:word ' +
  '--word-diff? --word-diff-regex:text --color-words? --no-renames --rename-empty --no-rename-empty --check ' +
  '--ws-error-highlight:word ' +
  '--full-index --binary --abbrev?number --no-abbrev --find-renames?measure --find-copies?measure ' +
  '--find-copies-harder --break-rewrites?word ' +
  '--diff-filter:word --pickaxe-all --pickaxe-regex --relative? --no-relative --text --ignore-cr-at-eol ' +
  '--ignore-space-at-eol ' +
  '--ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines:text ' +
  '--inter-hunk-context:number ' +
  '--function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix:word ' +
  '--dst-prefix:word ' +
  '--no-prefix --default-prefix --line-prefix:text --ita-invisible-in-index --cc --irreversible-delete ' +
  '--no-indent-heuristic --indent-heuristic --merge-base --staged --cached';

export const revisionOptions =
  '-n:number -NUM -i -E -F -P -g -q -L:text --max-count:number --skip:number --since:text --after:text ' +
  '--until:text --before:text ' +
  '--author:text --committer:text --grep:text --grep-reflog:text --all-match --invert-grep --regexp-ignore-case ' +
  '--basic-regexp ' +
  '--extended-regexp --fixed-strings --perl-regexp --remove-empty --merges --no-merges --min-parents:number ' +
  '--max-parents:number ' +
  '--no-min-parents --no-max-parents --first-parent --not --all --branches? --tags? --remotes? --glob:text ' +
  '--exclude:text --reflog --walk-reflogs ' +
  '--cherry-mark --cherry-pick --left-only --right-only --cherry --boundary --simplify-by-decoration ' +
  '--show-pulls --full-history ' +
  '--dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse ' +
  '--no-walk? --do-walk ' +
  '--pretty? --format:text --abbrev-commit --no-abbrev-commit --oneline --encoding:word --expand-tabs? ' +
  '--no-expand-tabs --notes? --no-notes ' +
  '--relative-date --date:text --parents --children --left-right --graph --no-graph --show-linear-break? ' +
  '--follow --decorate? --no-decorate ' +
  '--decorate-refs:text --decorate-refs-exclude:text --source --log-size --full-diff --mailmap --no-mailmap ' +
  '--use-mailmap --count --timestamp';

export const listOptions =
  '-l -i -n?number --list --contains:word --no-contains:word --merged? --no-merged? ' +
  '--points-at:word --sort:text --format:text --column? --no-column --color? --no-color --abbrev?number ' +
  '--no-abbrev --ignore-case';

/** Strategies that come with git: another name is a program `git-merge-NAME`. */
export const mergeOptions =
  '-q -v -n -s:strategy -X:word -S?word --quiet --verbose --stat --no-stat --strategy:strategy ' +
  '--strategy-option:word --no-edit --log?number --no-log ' +
  '--signoff --no-signoff --autostash --no-autostash --ff --no-ff --ff-only --squash --no-squash --commit ' +
  '--no-commit ' +
  '--gpg-sign? --no-gpg-sign --allow-unrelated-histories --rerere-autoupdate --no-rerere-autoupdate --progress ' +
  '--no-progress --abort --continue --quit --no-verify --verify';

export const fetchOptions =
  '-a -f -k -p -P -n -t -q -v -4 -6 -j:number --all --append --atomic --depth:number --deepen:number ' +
  '--shallow-since:text --shallow-exclude:word ' +
  '--unshallow --update-shallow --dry-run --force --keep --multiple --no-auto-gc --no-auto-maintenance --prune ' +
  '--no-prune --prune-tags ' +
  '--no-tags --tags --recurse-submodules? --no-recurse-submodules --jobs:number --set-upstream --quiet ' +
  '--verbose --progress --no-progress ' +
  '--filter:text --refetch --ipv4 --ipv6 --show-forced-updates --no-show-forced-updates';

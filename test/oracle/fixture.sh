#!/bin/bash
# Makes in $1 what commands find in their directory: `plain` for most groups, `git` for the group of that name.
set -eu
umask 022
mkdir -p "$1/plain/tree/deep/er" "$1/plain/tree/bin" "$1/git/dir"

cd "$1/plain"
printf '%s\n' pear apple fig banana apple plum cherry fig lemon grape apple pear kiwi date fig >words
printf '%s\n' 7 12 1 20 3 15 9 2 18 11 5 14 8 19 4 17 10 6 16 13 >numbers
{
  echo 'id,name,city,amount'
  printf '%s\n' '1,Ada,London,12.50' '2,Grace,New York,7.25' '3,Alan,Manchester,30' '4,Edsger,Rotterdam,4.75'
  printf '%s\n' '5,Barbara,Los Angeles,18' '6,Donald,Milwaukee,99.99' '7,Ken,New Orleans,2.5' '8,Dennis,Bronxville,41'
} >table.csv
for i in 1 2 3 4 5 6 7 8 9; do echo "10.0.0.$i - [0$i/Mar/2024:10:0$i:00] \"GET /page/$i\" 200 $((i * 137))"; done >log
printf 'It was a bright cold day,\tand the clocks\nwere striking thirteen.  \n\n\nA second\tparagraph follows here,\nwith trailing spaces   \n' >text
printf '{"name": "oracle", "tags": ["a", "b", "c"], "nested": {"deep": [1, 2.5, null, true]}, "size": 42}\n' >data.json
for i in 0 1 2 3; do for j in 0 1 2 3 4 5 6 7; do for k in 0 1 2 3 4 5 6 7; do printf '%b' "\\0$i$j$k"; done; done; done >blob
echo 'one line' >tree/one
printf 'first\nsecond\n' >tree/two
echo three >tree/deep/er/three
printf '#!/bin/sh\necho "runs: $#"\nexit 3\n' >tree/bin/run
chmod 755 tree/bin/run
: >tree/empty
echo hidden >tree/.hidden
ln -s one tree/link
ln -s nowhere tree/broken

command -v git >/dev/null || exit 0
cd "$1/git"
commit() {
  export GIT_AUTHOR_DATE="2001-01-0$1T00:00:00Z" GIT_COMMITTER_DATE="2001-01-0$1T00:00:00Z"
  git add -A
  git commit -q -m "$2"
}
git -c init.defaultBranch=main init -q .
git config user.name 'Ada L'
git config user.email ada@example.org
git config core.pager cat
git config advice.detachedHead false
git config gc.auto 0
printf 'one\n' >a.txt
echo '*.log' >.gitignore
commit 1 'first commit'
printf 'one\ntwo\n' >a.txt
echo b >b.txt
commit 2 'second commit'
echo c >dir/c.txt
commit 3 'third commit'
git tag -a -m 'version one' v1
git checkout -q -b topic
echo topic >t.txt
commit 4 'on the topic'
echo more >>t.txt
commit 5 'more of the topic'
git checkout -q main
echo three >>a.txt
commit 4 'fourth commit'
git tag light
echo bb >b.txt
commit 5 'fifth commit'

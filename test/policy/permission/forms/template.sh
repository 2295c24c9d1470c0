#!/bin/sh
# Makes what the forms run in, below $1: `t` (a repository with a makefile and archives), `up.git`, and around them what they reach for.
set -e
cd "$1"
root=$(pwd)
mkdir -p t/sub home bin tpl/hooks inc evil/sub
printf '#!/bin/sh\ntouch %s/ran\n' "$root" >run
chmod +x run
for name in git-z git-remote-z git-merge-z; do ln -s ../run "bin/$name"; done
cp run tpl/hooks/post-checkout
cp run tpl/hooks/pre-commit
printf '[user]\n\tname = a\n\temail = a@example.com\n[init]\n\tdefaultBranch = main\n' >home/.gitconfig
# shellcheck disable=SC2016 # make reads this.
printf 'CC = true\nV = 0\nX =\nall: ; @$(CC) $(X)\nsay-%%: ; @echo $*\n-include more.mk\n' >t/Makefile
printf 'SECRET x\n' >t/f
printf '%s/run\n' "$root" >t/c
cp t/f t/out1
(cd t && tar -cf a.tar f && tar -cf up.tar out1 && tar -cPf abs.tar --transform "s,^out1,$root/out," out1)
cd t
git init -q
git add f Makefile
git commit -qm one
echo y >>f
git commit -qam two
git branch other HEAD~1
git checkout -q -b side HEAD~1
echo z >z
git add z
git commit -qm three
git checkout -q main
git clone -q --bare . ../up.git
git remote add origin ../up.git
git fetch -q
git branch -q -u origin/main
cd ..
printf '[alias]\n\tz = !%s/run\n' "$root" >evil.cfg
git init -q evil
git -C evil config core.fsmonitor "$root/run"
# shellcheck disable=SC2016 # make reads this.
printf 'Y := $(shell %s/run)\nall: ;\n' "$root" | tee evil/Makefile evil.mk >inc/more.mk
printf 'w %s/out\n' "$root" >w.sed
printf 'BEGIN { system("%s/run") }\n' "$root" >p.awk
printf 'output = "%s/out"\n' "$root" >curlrc
printf 'SECRET: y\n' >headers

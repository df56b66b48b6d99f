#!/bin/sh
# bisect_git.sh: the commit of a user's repository at which a bench broke: behind a merge, with commits that do not build and one that fails otherwise between them.
# test: name=bisect_git seconds=120 cost=3
name=bisect_git
. "$(dirname "$0")/lib.sh"
need_tools git make
export GIT_CEILING_DIRECTORIES="$E2E_WORK"
mkdir repository && cd repository
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_GLOBAL=/dev/null
git init -q -b main .
commit() { git add -A && git commit -q -m "$1"; }
mkdir hw
printf 'matrix: {seed: [1, 2]}\nsteps: [{run: "./bench {seed}", inputs: [value]}]\n' >hw/suite.yaml
printf '#!/bin/sh\n[ -e ../built ] || exit 9\n[ "$(cat value)" != broken ] || { [ "$1" = 1 ] || { echo "cycle $1: mismatch"; exit 3; }; }\n' >hw/bench
printf 'all:\n\ttouch built\n' >Makefile
chmod +x hw/bench && echo one >hw/value && echo built >.gitignore
commit "first"
for i in 1 2 3 4; do echo $i >hw/value && commit "good $i"; done
git tag good
git checkout -q -b side good
echo 5 >hw/value && commit "side"
git checkout -q main && echo 6 >hw/value && commit "main" && git merge -q -X ours -m "merge" side
printf 'all:\n\tfalse\n' >Makefile
for i in 1 2 3 4 5 6; do echo $i >other && commit "does not build $i"; done
printf 'all:\n\ttouch built\n' >Makefile && commit "builds"
echo broken >hw/value && commit "the culprit"
culprit=$(git rev-parse HEAD)
mv hw/bench hw/saved && commit "no bench"
mv hw/saved hw/bench && commit "a bench again"
for i in 1 2 3; do echo $i >other && commit "later $i"; done
echo changed >hw/value # the user's own tree is not looked at
before=$(git status --porcelain && git rev-parse HEAD && git branch -a)
expect 3 "^$culprit is the first bad commit" weir bisect hw/suite.yaml --git good.. --build make
grep -q "^skipped: " output || fail "no commit is skipped"
[ "$(rm -f output && git status --porcelain && git rev-parse HEAD && git branch -a)" = "$before" ] || fail "the repository is changed"
[ ! -d .git/worktrees ] || fail "a worktree is left"
expect 3 "^$culprit is the first bad commit" weir bisect hw/suite.yaml --git good..main --build make --only seed=2
expect 1 "is right: expected a commit at which a point is not right" weir bisect hw/suite.yaml --git good..main~1 --build make --only seed=1
expect 1 "is not right: expected a commit before the point broke" weir bisect hw/suite.yaml --git main~2..main --build make
expect 1 "'none' names no commit" weir bisect hw/suite.yaml --git none..main
expect 2 "cannot be combined with -p" weir bisect hw/suite.yaml --git good.. -p compile
expect 2 "need --git" weir bisect hw/suite.yaml -p compile --only seed=1
cd .. && printf 'matrix: {x: 1}\nsteps: [{run: "{x}"}]\n' >lonely.yaml
expect 1 "is not in a git repository" weir bisect lonely.yaml --git a..b
cd repository && expect 3 "first bad commit" weir bisect hw/suite.yaml --git good.. --build make
cd "$work" && finish

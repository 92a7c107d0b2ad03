#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-static.sh TOOL: what can be told without running a test. Silent about what is in order;
# TOOL is asked for its options, which the manual must name.
set -u
shopt -s nullglob
cd "$(dirname "$0")/.." || exit 2
tool=${1:?usage: check-static.sh TOOL}
sources=(src/*/*.[ch] src/main.c tests/unit/*.[ch] tests/testbed/*.[ch]
	tests/testbed/preload/*.c tests/bench/*.[ch])
rc=0

# check NAME CMD...
check() {
	local name=$1

	shift
	"$@" && return
	echo "check-static: $name failed" >&2
	rc=1
}

# Shell scripts, by suffix or first line.
shell_files() {
	local file

	printf '%s\n' tests/lib/*.bash tests/cli/*.bats tests/vm/*.bats tests/vm/guest/*
	for file in scripts/* .ci/run; do
		case $file in
		*.bash) echo "$file" ;;
		*) ! head -n 1 "$file" | grep -qE '^#!.*\b(ba)?sh\b' || echo "$file" ;;
		esac
	done
}

shell_is_clean() {
	local -a files

	mapfile -t files < <(shell_files)
	# SC2154: bats sets variables such as stderr.
	shellcheck -x -S warning -e SC2154 "${files[@]}"
}

format_is_settled() {
	clang-format --dry-run -Werror "${sources[@]}"
}

# Functions without bounds, error reports, or thread safety; each has a better one in src/base or libc.
no_banned_functions() {
	local banned='strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|atof|gets|gettimeofday'

	banned+='|localtime|gmtime|ctime|asctime|rand|srand|random|tmpnam|mktemp|alloca'
	! grep -nE "\\b($banned)\(" src/*/*.[ch] src/main.c tests/testbed/*.[ch] tests/testbed/preload/*.c tests/bench/*.[ch]
}

# A path of the machine that something was written on means nothing on another one. The brackets
# keep these lines from matching themselves.
no_foreign_paths() {
	! git grep -nIE '(^|[^A-Za-z0-9_.])/(home[/]|work[/]|Users[/]|tmp/w[t]/)|\.\./s[h]ared' -- .
}

check layers sh scripts/check-layers.sh
check shellcheck shell_is_clean
check format format_is_settled
check 'banned functions' no_banned_functions
! git rev-parse --git-dir >/dev/null 2>&1 || check 'foreign paths' no_foreign_paths
if [ -e src/lunsweep.1 ]; then
	check manual mandoc -T lint -W warning src/lunsweep.1
	check 'manual against --help' scripts/check-docs.sh "$tool"
fi
exit $rc

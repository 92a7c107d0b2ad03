# SPDX-License-Identifier: MIT
# What every bats file of this project needs. Load it, and the other files here as needed:
#   load ../lib/common
#   load ../lib/loop
# Whatever a test sets up it announces with `defer`; teardown undoes it in reverse order, also
# after a failure. What a killed test file leaves is undone by scripts/run-bats.sh, which finds
# the same journals.
# shellcheck shell=bash

PROJECT_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${TOOL:=$PROJECT_ROOT/build/release/lunsweep}"
: "${TESTBED:=$PROJECT_ROOT/build/release/testbed}"
: "${LUNSWEEP_SCRATCH:=$PROJECT_ROOT/build/scratch}"
: "${LUNSWEEP_JOURNALS:=$LUNSWEEP_SCRATCH/journals}"
# shellcheck source=scripts/ledger.bash
. "$PROJECT_ROOT/scripts/ledger.bash"
export PROJECT_ROOT TOOL TESTBED LUNSWEEP_SCRATCH LUNSWEEP_JOURNALS

bats_require_minimum_version 1.5.0

# ---- undoing ----

# Each process that bats starts (a test, or the file with its setup_file) has a journal of its own.
journal_path() {
	printf '%s/%s\n' "$LUNSWEEP_JOURNALS" "$$"
}

# defer CMD ARG...: run this at teardown; what was deferred last runs first.
defer() {
	mkdir -p "$LUNSWEEP_JOURNALS"
	printf '%q ' "$@" >>"$(journal_path)"
	printf '\n' >>"$(journal_path)"
}

# Undo what this process deferred. Each step is tried; a failed one is told and makes the test fail.
undo_all() {
	undo_journal "$(journal_path)"
}

# A step leaves the journal when it was tried, so that whoever is killed in between can be followed
# up; each step does no harm when it is tried twice. The lock is for a test that is still at it
# when scripts/run-bats.sh comes.
undo_journal() {
	local journal=$1 step lock rc=0

	[ -e "$journal" ] || return 0
	exec {lock}<"$journal"
	flock -w 60 "$lock"
	while [ -s "$journal" ]; do
		step=$(tail -n 1 "$journal")
		eval "$step" || {
			echo "could not undo: $step" >&2
			rc=1
		}
		# In place, since the lock is on this very file.
		truncate -s $(($(stat -c %s "$journal") - $(tail -n 1 "$journal" | wc -c))) "$journal"
	done
	rm -f "$journal"
	exec {lock}<&-
	return $rc
}

# A file that has its own setup or teardown calls scratch_up and undo_all there.
setup() {
	scratch_up
}

teardown() {
	undo_all
}

teardown_file() {
	undo_all
}

# ---- scratch space ----

# Set SCRATCH to an empty directory on a real disk: tmpfs takes O_DIRECT but measures memory.
scratch_up() {
	local type

	mkdir -p "$LUNSWEEP_SCRATCH"
	type=$(stat -f -c %T "$LUNSWEEP_SCRATCH")
	case $type in
	tmpfs | ramfs)
		echo "$LUNSWEEP_SCRATCH is in memory ($type); set LUNSWEEP_SCRATCH to a folder on a disk" >&2
		return 1
		;;
	esac
	SCRATCH=$(mktemp -d "$LUNSWEEP_SCRATCH/t.XXXXXX")
	export SCRATCH
	defer rm -rf "$SCRATCH"
}

# ---- conditions ----

# need CMD...: skip the test unless all of them are installed.
need() {
	local cmd

	for cmd in "$@"; do
		command -v "$cmd" >/dev/null || skip "$cmd is not installed"
	done
}

# A limit of memory says nothing about a program whose sanitizer takes many times its own.
need_plain_memory() {
	! grep -q __asan_init "$TOOL" || skip "the sanitizer takes memory of its own"
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# ---- waiting and comparing ----

# wait_until SECONDS CMD...: until CMD succeeds; fails after that time.
wait_until() {
	local tries=$(($1 * 20))

	shift
	while ! "$@"; do
		[ $((tries--)) -gt 0 ] || return 1
		sleep 0.05
	done
}

# Whether the process has ended; one that nobody has waited for yet counts as ended.
is_gone() {
	! grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status" 2>/dev/null
}

# stop_pid PID: end a process that this test started; SIGKILL if it takes more than 5 s.
stop_pid() {
	is_gone "$1" && return 0
	kill "$1" 2>/dev/null
	wait_until 5 is_gone "$1" || kill -KILL "$1" 2>/dev/null
	return 0
}

# near VALUE EXPECTED PERCENT: whether they agree; says so if not.
near() {
	awk -v v="$1" -v x="$2" -v p="$3" 'BEGIN {
		off = x != 0 ? 100 * (v / x - 1) : 1e9
		if (v == "" || off > p || off < -p) {
			printf "%s is %+.2f %% from %s, allowed are %s %%\n", v, off, x, p > "/dev/stderr"
			exit 1
		}
	}'
}

# punctual CMD...: run it ahead of ordinary programs, so that a busy machine does not make it late;
# for loads that sleep most of the time only. Runs it as it is where that is not allowed.
punctual() {
	if chrt -f 5 true 2>/dev/null; then
		chrt -f 5 "$@"
	else
		"$@"
	fi
}

# tell LINE: a figure for whoever reads the log, also of a test that passes.
tell() {
	printf '# | %s\n' "$*" >&3
}

# twice CMD...: for figures that a busy machine can spoil: once more before it counts as a failure.
twice() {
	"$@" || {
		echo "# once more: $*" >&2
		"$@"
	}
}

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run-bats.sh [--fast] TOOL [FILE...]: run command-line tests (all of tests/cli if none is named)
# against the program TOOL, and count into $TALLY. --fast: only tests tagged fast. Files
# tagged fast as a whole, which assert no timing, and those with the line "# side by side", which
# wait more than they compute and mind no neighbour, run first, BATS_JOBS at a time; the others one
# at a time, and with one retry where a file holds the line "# measures". A file that
# takes more than BATS_TIMEOUT seconds is ended, its unfinished tests count as failed, and what it
# set up is undone.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=scripts/tally.bash
. "$root/scripts/tally.bash"

filter=()
fast=()
if [ "${1:-}" = --fast ]; then
	filter=(--filter-tags fast)
	fast=(--fast)
	shift
fi
TOOL=${1:?usage: run-bats.sh [--fast] TOOL [FILE...]}
shift
[ $# -gt 0 ] || set -- "$root"/tests/cli/*.bats
export TOOL TESTBED=${TESTBED:-$root/build/release/testbed}
export LUNSWEEP_SCRATCH=${LUNSWEEP_SCRATCH:-$root/build/scratch}
mkdir -p "$LUNSWEEP_SCRATCH"
LUNSWEEP_JOURNALS=$(mktemp -d "$LUNSWEEP_SCRATCH/journals.XXXXXX")
export LUNSWEEP_JOURNALS
out=$(mktemp)
child=
jobs=${BATS_JOBS:-$(nproc)}
declare -A reports=() # of files that run side by side, by process

# What tests that were killed have left, by their journals (tests/lib/common.bash).
undo_left() {
	local journal lib

	for journal in "$LUNSWEEP_JOURNALS"/*; do
		[ -e "$journal" ] || continue
		(
			bats_require_minimum_version() { :; }
			skip() { exit 0; }
			for lib in "$root"/tests/lib/*.bash; do
				# shellcheck source=/dev/null
				. "$lib"
			done
			undo_journal "$journal"
		)
	done
}

finish() {
	undo_left
	rm -rf "$LUNSWEEP_JOURNALS" "$out" "${reports[@]}"
}

interrupted() {
	[ -z "$child" ] || kill "$child" 2>/dev/null
	[ ${#reports[@]} -eq 0 ] || {
		kill "${!reports[@]}" 2>/dev/null
		wait
	}
	exit $((128 + $1))
}
trap finish EXIT
trap 'interrupted 1' HUP
trap 'interrupted 2' INT
trap 'interrupted 15' TERM

# Count TAP lines; the tests announced but never reported did not pass.
tally_tap() {
	local name=$1 status=$2 line planned=0 seen=0

	while IFS= read -r line; do
		case $line in
		1..*) planned=${line#1..} ;;
		"ok "*"# skip"*)
			seen=$((seen + 1))
			tally_add skip "$name: $(sed -E 's/^ok [0-9]+ (.*) # skip *(.*)$/\1: \2/' <<<"$line")"
			;;
		"ok "*) seen=$((seen + 1)) && tally_add pass "$name: ${line#ok * }" ;;
		"not ok "*) seen=$((seen + 1)) && tally_add fail "$name: ${line#not ok * }" ;;
		esac
	done <"$out"
	for ((; seen < planned; seen++)); do
		tally_add fail "$name: a test did not end (status $status)"
	done
	[ "$planned" -gt 0 ] || [ "$status" -eq 0 ] || tally_add fail "$name: ended with status $status"
}

run_file() {
	timeout -k 30 "${BATS_TIMEOUT:-900}" bats --tap "${filter[@]}" "$1" >"$out" 2>&1 &
	child=$!
	wait "$child"
	status=$?
	child=
	undo_left
}

# show_failures WORD: began is when the file of that name did.
show_failures() {
	printf '%-7s %s (status %s, %s s)\n' "$1" "$name" $status $((SECONDS - began))
	sed -n '/^ok /!s/^/        /p' "$out"
}

# One file, told and counted.
run_one() {
	local file=$1 began=$SECONDS

	name=${file##*/}
	run_file "$file"
	# Figures on targets of known truth have one retry (D39), since the machine may be shared; the
	# first failure is shown all the same. Nothing else has: a guard that fails once is broken.
	if [ $status -ne 0 ] && grep -qx '# measures' "$file"; then
		show_failures again
		run_file "$file"
	fi
	tally_tap "$name" $status
	if [ $status -ne 0 ]; then
		show_failures FAILED
		return 1
	fi
	printf 'ok      %s (%s tests, %s skipped, %s s)\n' "$name" "$(grep -c '^ok ' "$out")" \
		"$(grep -c '^ok .*# skip' "$out")" $((SECONDS - began))
	# What tests told (tests/lib/common.bash).
	sed -n 's/^# | /        /p' "$out"
}

# The next of the files that run side by side to end.
reap() {
	local pid

	wait -n -p pid "${!reports[@]}" || rc=1
	cat "${reports[$pid]}"
	rm -f "${reports[$pid]}"
	unset "reports[$pid]"
}

# Each in a run-bats.sh of its own, with its own journals.
run_side_by_side() {
	local file report

	for file in "$@"; do
		[ ${#reports[@]} -lt "$jobs" ] || reap
		report=$(mktemp)
		"$0" "${fast[@]}" "$TOOL" "$file" >"$report" 2>&1 &
		reports[$!]=$report
	done
	while [ ${#reports[@]} -gt 0 ]; do
		reap
	done
}

rc=0
together=() alone=()
for file in "$@"; do
	if [ $# -gt 1 ] && grep -qxE '# (bats file_tags=fast|side by side)' "$file"; then
		together+=("$file")
	else
		alone+=("$file")
	fi
done
run_side_by_side "${together[@]}"
for file in "${alone[@]}"; do
	run_one "$file" || rc=1
done
exit $rc

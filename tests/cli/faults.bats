#!/usr/bin/env bats
# side by side
#
# Every call that can fail fails once: tests/lib/faults.py says what must hold then. What is left out where there are
# too many calls is tried by FAULTS_FIRST=all tests/lib/faults.py.

load ../lib/common

setup() {
	need python3 addr2line
	need_plain_memory
	scratch_up
}

# faults CASE...: what was tried goes to the ledger, also when something was wrong.
faults() {
	local status=0 key nr

	python3 "$PROJECT_ROOT/tests/lib/faults.py" "$@" >"$SCRATCH/told" 2>&1 || status=$?
	while read -r key nr; do
		ledger "$key" "$nr"
	done < <(sed -n 's/^ledger //p' "$SCRATCH/told")
	if [ "$status" -ne 0 ]; then
		cat "$SCRATCH/told"
		return 1
	fi
	while read -r line; do
		tell "$line"
	done < <(grep -v '^ledger ' "$SCRATCH/told")
}

@test "each call that fails ends a report, a list or an export with a sentence, and output is whole or absent" {
	faults report show export
}

@test "each call that fails leaves the files of report -o whole, and no process and no temporary file" {
	FAULTS_FIRST=4 FAULTS_SAMPLE=4 faults report-o
}

@test "each call that fails leaves an import stored as a whole, or not at all" {
	FAULTS_FIRST=4 FAULTS_SAMPLE=6 faults import
}

@test "each call that fails leaves a plan and what prepare writes as they must be" {
	FAULTS_FIRST=3 FAULTS_SAMPLE=5 faults plan prepare prepare-make
}

@test "each call that fails in a run costs one point at most, and nothing that is stored is wrong" {
	FAULTS_FIRST=3 FAULTS_SAMPLE=5 faults run
}

@test "each call that fails in a search costs one point at most, and nothing that is stored is wrong" {
	FAULTS_FIRST=2 FAULTS_SAMPLE=4 faults find
}

@test "a program that hides a failure is found out" {
	cat >"$SCRATCH/hides" <<-END
		#!/bin/sh
		[ -z "\$FAULT_STATE" ] || export LD_PRELOAD=$TESTBED/faults.so
		$TOOL "\$@"
		exit 0
	END
	chmod +x "$SCRATCH/hides"
	run -1 env TOOL="$SCRATCH/hides" FAULTS_CALLS=rename python3 "$PROJECT_ROOT/tests/lib/faults.py" export
	[[ $output == *"WRONG export: rename 1 ENOSPC: files are missing"* ]]
}

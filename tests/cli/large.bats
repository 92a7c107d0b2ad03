#!/usr/bin/env bats
# measures
#
# Large databases: ten times the points cost about ten times the CPU, not a hundred times. What they
# cost on a machine is printed by `SECTION=report make bench`.

load ../lib/common

setup() {
	scratch_up
	cd "$SCRATCH" || return 1
}

# cpu COMMAND...: milliseconds, the less of two runs.
cpu() {
	local least=

	for _ in 1 2; do
		"$TESTBED/spent" spent "$TOOL" "$@" >out
		spent=$(awk '{ printf "%d", $1 / 1e6 + 1 }' spent)
		[ -n "$least" ] && [ "$least" -le "$spent" ] || least=$spent
	done
	echo "$least"
}

@test "ten times the points of a run cost less than 15 times the CPU" {
	"$TESTBED/points" small.db 1 600
	"$TESTBED/points" large.db 1 6000
	for command in "report 1" "report 1 --format json" "show 1" "export 1"; do
		read -ra words <<<"$command"
		small=$(cpu "${words[@]}" --db small.db)
		large=$(cpu "${words[@]}" --db large.db)
		tell "$command: $small ms of CPU for 600 points, $large ms for 6,000"
		[ "$large" -lt $((15 * small)) ]
	done
}

@test "a run of a large database costs what a run of a small one does" {
	"$TESTBED/points" many.db 30 100
	"$TESTBED/points" few.db 1 100
	for command in "report 1" "show 1" "export 1"; do
		read -ra words <<<"$command"
		small=$(cpu "${words[@]}" --db few.db)
		large=$(cpu "${words[@]}" --db many.db)
		tell "$command: $small ms of CPU where it is the only run, $large ms where it is one of 30"
		[ "$large" -lt $((5 * small)) ]
	done
}

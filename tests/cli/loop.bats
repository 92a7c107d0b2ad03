#!/usr/bin/env bats
# What the load loop can be told: to poll. (What it costs is in instructions.bats, what counts in
# window.bats.)

load ../lib/common
load ../lib/loop
load ../lib/run

bats_require_minimum_version 1.5.0

setup() {
	need sqlite3
	scratch_up
	db_up
	loop_up 64M
}

# A voluntary switch is a worker that slept: at depth 1 of a device, one for each I/O.
switches_per_io() {
	stored "SELECT sum(voluntary_switches) * 1.0 / sum(read_ios) FROM point_worker"
}

one_point() {
	run measure --target "$LOOP" --rw randread --iodepth 1 --runtime 1s "$@"
	# Other programs may disturb it, which is not what is asked here.
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

@test "a worker that polls does not sleep, and the run says that it polled" {
	one_point --spin
	per_io=$(switches_per_io)
	echo "polling: $per_io switches for an I/O"
	awk -v x="$per_io" 'BEGIN { exit !(x < 0.1) }'
	[ "$(stored "SELECT value FROM run_fact WHERE name = 'sweep.spin'")" = yes ]
	# Polling is busy all the time, which says nothing about the target.
	[[ " $(stored "SELECT flags FROM v_point WHERE dir = 'total'") " != *" cpu-bound "* ]]
	"$TOOL" show 1 | grep 'sweep.spin *yes$'
	"$TOOL" plan --spin --target-size 1G | grep 'polling for completions'
}

@test "a worker that does not poll sleeps for each I/O" {
	one_point
	per_io=$(switches_per_io)
	echo "sleeping: $per_io switches for an I/O"
	awk -v x="$per_io" 'BEGIN { exit !(x > 0.5) }'
	[ "$(stored "SELECT value FROM run_fact WHERE name = 'sweep.spin'")" = no ]
}

@test "a run that polls is another run than one that does not" {
	one_point
	one_point --spin
	[ "$(stored "SELECT count(DISTINCT key) FROM run")" -eq 2 ]
}

@test "io_uring holds the depth, obeys Little's law, and is named wherever a run is" {
	run measure --target "$LOOP" --rw randread --iodepth 1,16 --runtime 1s --engine io_uring
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	[[ $output != *"not permitted"* ]] || skip "io_uring is forbidden here"
	[ "$(statuses)" = "ok ok" ]
	[ "$(stored "SELECT count(*) FROM point WHERE depth_mean < 0.95 * iodepth
		OR abs(little_rel) > 1e-6")" -eq 0 ]
	"$TOOL" show 1 | grep 'engine io_uring'
	"$TOOL" plan --engine io_uring --target-size 1G | grep 'by io_uring'
}

@test "a host that forbids io_uring is told before anything is measured" {
	need strace
	run strace -f -qq -e trace=io_uring_setup -e inject=io_uring_setup:error=EPERM \
		-o "$SCRATCH/trace" "$TOOL" run --target "$LOOP" --engine io_uring --runtime 300ms
	[ "$status" -eq 1 ]
	[[ $output == *"cannot use io_uring on this host, so take --engine libaio"*"not permitted"* ]]
	[ ! -e "$LUNSWEEP_DB" ]
}

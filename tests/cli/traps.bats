#!/usr/bin/env bats
# Faults that kernels and limits hand to whoever measures for long, made without a virtual machine.
# Those of devices are in verdicts.bats and robust.bats, those of kernel modules in tests/vm.

load ../lib/common
load ../lib/loop
load ../lib/throttle
load ../lib/run

setup() {
	scratch_up
	db_up
}

# while_point_runs CMD...: in the background, half a second after a point began.
while_point_runs() {
	{
		wait_until 20 point_runs && sleep .5 && "$@"
	} 3>&- &
}

point_runs() {
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'running'" 2>/dev/null)" = 1 ]
}

@test "a limit on the size of files fails the writes behind it with EFBIG, and kills nothing" {
	random_file "$SCRATCH/file" 16M
	cp "$SCRATCH/file" "$SCRATCH/copy"
	limited() {
		(ulimit -f 8192 && measure --target "$SCRATCH/file" --rw randwrite --write-to "$SCRATCH/file" \
			--iodepth 1,4 --span 4m "$@")
	}
	run -3 limited --offset 8m
	[ "$(stored "SELECT group_concat(DISTINCT status || ' ' || error_errno) FROM point")" = "failed 27" ]
	[[ $(stored "SELECT reason FROM point LIMIT 1") == "File too large at offset "* ]]
	unchanged "$SCRATCH/file" "$SCRATCH/copy" 0 0
	# Below the limit the same is measured.
	limited --offset 0 --new
	ledger faults
}

@test "losetup -d of a device that is measured: the measurement goes on to its end" {
	loop_up 16M
	while_point_runs losetup -d "$LOOP"
	measure --target "$LOOP" --iodepth 4 --runtime 2s
	wait $!
	[ "$(statuses)" = ok ]
	wait_until 10 test ! -e "/sys/block/loop$LOOP_NR/loop/backing_file"
	ledger faults
}

@test "a kernel without AIO, ENOSYS, fails each point with that sentence, and the status is 3" {
	need strace
	random_file "$SCRATCH/file" 4M
	run -3 strace -f -qq -e trace=io_setup -e inject=io_setup:error=ENOSYS -o /dev/null \
		"$TOOL" run --target "$SCRATCH/file" --iodepth 1,4 --ramp-time 0 --runtime 200ms
	[ "$(stored "SELECT group_concat(DISTINCT status || ' ' || error_errno || ' ' || reason) FROM point")" \
		= "failed 38 Function not implemented" ]
	ledger faults
}

@test "a throttle that is changed in mid point is in the series, and fails nothing" {
	loop_up 64M
	throttle_up "$LOOP"
	throttle_set read_iops 2000
	while_point_runs slower
	in_throttle "$TOOL" run --target "$LOOP" --iodepth 8 --ramp-time 0 --runtime 4s --anchors never
	wait $!
	[ "$(statuses)" = ok ]
	# 2000 for a part of it and 500 for the rest.
	[ "$(stored "SELECT iops BETWEEN 600 AND 1900 FROM point_dir WHERE dir = 'total'")" = 1 ]
	ledger faults
}

slower() {
	sleep 1
	throttle_set read_iops 500
}

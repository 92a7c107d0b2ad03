#!/usr/bin/env bats
# measures
#
# The test targets themselves: their truths, seen by fio, and that nothing of them is left behind.

load ../lib/common
load ../lib/loop
load ../lib/throttle
load ../lib/array
load ../lib/fio

# Expected from 8 servers of 2 ms: R(N) = max(2, N x 2 / 8) ms, X = N / R.
array_truth() {
	local depth=$1 iops=$2 lat_ms=$3 percent=$4

	fio_point "$ARRAY" randread "$depth" 3 --size=10G || return 1
	near "$FIO_IOPS" "$iops" "$percent" && near "$FIO_LAT_MS" "$lat_ms" "$percent"
}

@test "the array serves 4000 IOPS with 8 servers of 2 ms, and not more" {
	need fio jq
	array_up model=queue servers=8 svc=2
	twice array_truth 32 4000 8 2
	array_ctl reset
	twice array_truth 64 4000 16 2
	[ "$(array_stats max_inflight)" -eq 64 ]
}

# The median: each time the machine is late adds to the mean, at depths where nothing else waits.
@test "the array answers in its service time while servers are free" {
	need fio jq
	array_up model=queue servers=8 svc=2
	service_time_at() {
		fio_point "$ARRAY" randread "$1" 3 --size=10G && near "$FIO_P50_MS" 2 5
	}
	own_mean_at() {
		array_ctl reset && fio_point "$ARRAY" randread "$1" 3 --size=10G &&
			near "$(array_stats read_mean_ms)" 2 0.1
	}
	twice service_time_at 1
	twice service_time_at 4
	twice own_mean_at 4
}

@test "writes to the array have the same truth" {
	need fio jq
	array_up model=queue servers=4 svc=2
	write_truth() {
		fio_point "$ARRAY" randwrite 16 3 --size=10G || return 1
		near "$FIO_IOPS" 2000 2 && near "$FIO_LAT_MS" 8 2
	}
	twice write_truth
}

@test "a loop device on the array keeps its truth" {
	need fio jq
	array_up model=queue servers=8 svc=2
	loop_attach "$ARRAY"
	loop_truth() {
		fio_point "$LOOP" randread 32 3 --size=10G || return 1
		near "$FIO_IOPS" 4000 2 && near "$FIO_LAT_MS" 8 2
	}
	twice loop_truth
}

@test "the array slows down while it runs when it is told to" {
	need fio jq
	array_up model=queue servers=8 svc=2
	array_ctl set svc=4
	twice array_truth 32 2000 16 2
}

@test "the array logs each request and knows the lowest and highest byte touched" {
	need dd
	array_up model=queue svc=0 early_us=0 log="$SCRATCH/log"
	dd if="$ARRAY" of=/dev/null bs=4k count=3 skip=10 iflag=direct status=none
	dd if=/dev/zero of="$ARRAY" bs=8k count=1 seek=100 oflag=direct conv=notrunc status=none
	[ "$(array_stats reads)" -eq 3 ]
	[ "$(array_stats writes)" -eq 1 ]
	[ "$(array_stats read_lowest_byte)" -eq 40960 ]
	[ "$(array_stats read_highest_byte)" -eq 53247 ]
	[ "$(array_stats write_lowest_byte)" -eq 819200 ]
	[ "$(array_stats write_highest_byte)" -eq 827391 ]
	[ "$(cat "$SCRATCH/log")" = "$(printf 'R %s 4096\n' 40960 45056 49152; echo W 819200 8192)" ]
	array_ctl reset
	[ "$(array_stats read_lowest_byte)" = none ]
	[ ! -s "$SCRATCH/log" ]
}

@test "each sector of the pattern begins with its offset" {
	need dd od
	array_up model=queue svc=0
	run -0 sh -c "dd if='$ARRAY' bs=4k count=1 skip=1000000 iflag=direct status=none |
		od -An -v -td8 -w512 | awk '{ print \$1 }' | sed -n '1p;8p'"
	[ "$output" = "$(printf '4096000000\n4096003584')" ]
}

@test "a data file keeps what is written to the array" {
	need dd cmp
	random_file "$SCRATCH/data" 64k
	array_up model=queue svc=0 size=1M data="$SCRATCH/data"
	cmp <(dd if="$ARRAY" bs=64k count=1 iflag=direct status=none) "$SCRATCH/data"
	random_file "$SCRATCH/new" 4k
	dd if="$SCRATCH/new" of="$ARRAY" bs=4k seek=5 oflag=direct conv=notrunc status=none
	cmp -n 4096 -i 20480:0 "$SCRATCH/data" "$SCRATCH/new"
}

@test "the array fails, shortens and spoils what it is told to" {
	need dd
	array_up model=queue svc=0
	read_block() {
		dd if="$ARRAY" of="$SCRATCH/block" bs=4k count=1 skip="$1" iflag=direct status=none
	}
	read_block 7
	cp "$SCRATCH/block" "$SCRATCH/good"
	array_ctl corrupt 1
	read_block 7
	[ "$(cmp -l "$SCRATCH/block" "$SCRATCH/good" | wc -l)" -eq 1 ]
	array_ctl corrupt 0
	array_ctl short 1
	read_block 7
	[ "$(stat -c %s "$SCRATCH/block")" -eq 2048 ]
	array_ctl short 0
	array_ctl eio_at 28672 4096
	read_block 6
	run -1 read_block 7
	[[ $output == *"Input/output error"* ]]
	array_ctl eio_at 0 0
	read_block 7
	array_ctl eio_read 1
	run -1 read_block 0
	array_ctl eio_read 0
	array_ctl eio_write 1
	run -1 dd if=/dev/zero of="$ARRAY" bs=4k count=1 oflag=direct conv=notrunc
	[[ $output == *"Input/output error"* ]]
}

@test "the array stalls and hangs, and goes on" {
	need dd
	array_up model=queue svc=0
	array_ctl stall 500
	start_ms=$(date +%s%3N)
	dd if="$ARRAY" of=/dev/null bs=4k count=1 iflag=direct status=none
	[ $(($(date +%s%3N) - start_ms)) -ge 450 ]
	array_ctl hang
	dd if="$ARRAY" of="$SCRATCH/block" bs=4k count=1 iflag=direct status=none 3>&- &
	reader=$!
	sleep 0.5
	kill -0 "$reader"
	[ ! -s "$SCRATCH/block" ]
	array_ctl unhang
	wait "$reader"
	[ "$(stat -c %s "$SCRATCH/block")" -eq 4096 ]
}

@test "the array refuses unknown commands and parameters" {
	array_up model=queue
	run -1 array_ctl frobnicate 1
	run -1 array_ctl eio_read 2
	run -1 array_ctl set servers=0
	run -1 array_ctl set model=array
	mkdir "$SCRATCH/empty"
	run -2 "$TESTBED/array" "$SCRATCH/empty" servers=many
	[ "$output" = "array: servers=many: not a number" ]
	run -2 "$TESTBED/array" "$SCRATCH/empty" size=10M depth=3
	[ "$output" = "array: there is no parameter 'depth'" ]
	run -2 "$TESTBED/array" "$SCRATCH/empty" size=12q
	[[ $output == "array: '12q' is not a size"* ]]
}

@test "a dead array is cleaned up like a living one" {
	array_up model=queue
	array_ctl die || true
	wait_until 5 is_gone "$ARRAY_PID"
	array_down
	run -1 grep -F "$ARRAY_DIR" /proc/self/mountinfo
}

@test "a throttled loop device does 500 IOPS at QD x 2 ms" {
	need fio jq
	loop_up 64M
	throttle_up "$LOOP"
	throttle_set read_iops 500
	throttled_point() {
		local json=$SCRATCH/throttled.json

		in_throttle fio --name=t --filename="$LOOP" --allow_file_create=0 --direct=1 \
			--ioengine=libaio --rw=randread --bs=4k --iodepth="$1" --time_based \
			--ramp_time=1 --runtime=5 --output-format=json --output="$json" || return 1
		near "$(jq '.jobs[0].read.iops' "$json")" 500 2.5 &&
			near "$(jq '.jobs[0].read.lat_ns.mean / 1e6' "$json")" $(($1 * 2)) 5
	}
	twice throttled_point 1
	twice throttled_point 8
	throttle_set read_iops 0
	fio_point "$LOOP" randread 8 1
	[ "${FIO_IOPS%.*}" -gt 1000 ]
}

@test "a loop device is direct, holds random data and has a queue of 128" {
	need losetup
	loop_up 8M
	[ "$(blockdev --getsize64 "$LOOP")" -eq 8388608 ]
	[ "$(losetup -nO DIO "$LOOP" | tr -d ' ')" -eq 1 ]
	[ "$(cat "/sys/block/${LOOP#/dev/}/queue/nr_requests")" -eq 128 ]
	[ "$(gzip -c "$LOOP_IMAGE" | wc -c)" -gt 8388608 ]
	first=$LOOP
	loop_up --sparse 8M -r
	[ "$LOOP" != "$first" ]
	[ "$(blockdev --getro "$LOOP")" -eq 1 ]
	[ "$(stat -c %b "$LOOP_IMAGE")" -eq 0 ]
}

@test "a failing test leaves no loop device, mount, cgroup, process or file behind" {
	need losetup mountpoint
	# bats would take the inner test for one of this file if it began with its own mark.
	sed 's/^TEST/@test/' >"$SCRATCH/failing.bats" <<-INNER
		load $PROJECT_ROOT/tests/lib/common
		load $PROJECT_ROOT/tests/lib/loop
		load $PROJECT_ROOT/tests/lib/throttle
		load $PROJECT_ROOT/tests/lib/array
		TEST "fails" {
			array_up model=queue
			loop_attach "\$ARRAY"
			throttle_up "\$LOOP"
			loop_up 4M
			array_ctl hang
			printf '%s\n' "\$LOOP" "\$ARRAY_DIR" "\$ARRAY_PID" "\$THROTTLE_GROUP" "\$SCRATCH" >"$SCRATCH/left"
			false
		}
	INNER
	run -1 bats "$SCRATCH/failing.bats"
	[[ $output != *"could not undo"* ]]
	mapfile -t left <"$SCRATCH/left"
	[ "${#left[@]}" -eq 5 ]
	[ ! -e "/sys/block/${left[0]#/dev/}/loop/backing_file" ]
	run -0 losetup -a
	[[ $output != *"$(basename "${left[4]}")"* ]]
	run -1 grep -F "${left[1]}" /proc/self/mountinfo
	is_gone "${left[2]}"
	[ ! -e "${left[3]}" ]
	[ ! -e "${left[4]}" ]
}

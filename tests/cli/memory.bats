#!/usr/bin/env bats
# How much memory a run takes: that of the I/Os in flight and little more, whatever the span.

load ../lib/common
load ../lib/loop
load ../lib/measure

setup() {
	need sqlite3
	scratch_up
	export DB=$SCRATCH/db
}

# Run it and set PEAK_KIB to the most that it had resident.
peak_of() {
	local pid status=0 kib

	"$@" >"$SCRATCH/out" 2>&1 3>&- &
	pid=$!
	PEAK_KIB=0
	while kib=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null); do
		[ -n "$kib" ] || break
		PEAK_KIB=$kib
		sleep 0.02
	done
	wait "$pid" || status=$?
	[ "$PEAK_KIB" -gt 0 ]
	echo "peak $PEAK_KIB KiB"
	[ $status -eq 0 ] || cat "$SCRATCH/out"
	return $status
}

run_point() {
	peak_of "$TOOL" run --db "$DB" --new --precision none --ramp-time 200ms --runtime 1s "$@"
}

@test "resident memory is depth x block size, rounded up to 2 MiB a worker, and at most 16 MiB" {
	loop_up 64M
	run_point --target "$LOOP" --bs 4k --iodepth 1
	[ "$PEAK_KIB" -le $(((2 + 16) * 1024)) ]
	run_point --target "$LOOP" --bs 1m --iodepth 64
	[ "$PEAK_KIB" -le $(((64 + 16) * 1024)) ]
	# It does hold that many blocks.
	[ "$PEAK_KIB" -ge $((64 * 1024)) ]
	run_point --target "$LOOP" --bs 64k --iodepth 40 --workers 4
	[ "$PEAK_KIB" -le $(((4 * 2 + 16) * 1024)) ]
	[ "$(db "SELECT group_concat(buffer_bytes) FROM point")" = 2097152,67108864,8388608 ]
}

# bound_kib WORKERS DEPTH BS_KIB: D13.
bound_kib() {
	local share=$((($2 + $1 - 1) / $1))

	echo $(($1 * ((share * $3 + 2047) / 2048) * 2048 + 16 * 1024))
}

# within WORKERS DEPTH BS_KIB: measure such a point, and hold its memory against the bound. The queue
# of a loop device may be shorter than the depth, which is status 3.
within() {
	run_point --target "$LOOP" --workers "$1" --iodepth "$2" --bs "${3}k" || [ $? -eq 3 ]
	[ "$(db "SELECT status FROM point ORDER BY id DESC LIMIT 1")" = ok ]
	echo "at most $(bound_kib "$@") KiB"
	[ "$PEAK_KIB" -le "$(bound_kib "$@")" ]
}

@test "the bound holds at depth 256 of 1 MiB, at depth 64 of 4 KiB, and with 64 workers" {
	loop_up 64M
	within 1 64 4
	within 1 256 1024
	# All of it was in use, so that the bound is not met by measuring too early.
	[ "$PEAK_KIB" -ge $((256 * 1024)) ]
	within 64 64 4
	# Each has whole huge pages of its own.
	[ "$PEAK_KIB" -ge $((64 * 2048)) ]
	# A share of 2.125 MiB takes a second huge page.
	within 3 100 64
}

@test "many points take no more memory than the largest of them" {
	loop_up 64M
	peak_of "$TOOL" run --target "$LOOP" --db "$DB" --precision none --ramp-time 0s \
		--runtime 100ms --bs 4k,64k,256k --iodepth 1..8*2 --workers 1
	[ "$PEAK_KIB" -le $(((2 + 16) * 1024)) ]
}

@test "O-17: a span of 12 TiB takes no more memory than a small one, and starts at once" {
	local image=/dev/shm/lunsweep-test-$$.img

	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "there is no tmpfs on /dev/shm"
	defer rm -f "$image"
	truncate -s 12T "$image"
	loop_attach "$image"
	began_ns=$(date +%s%N)
	# That memory is measured here may spoil the point, and so be status 3.
	run_point --target "$LOOP" --iodepth 32 --allow-ram --span 100% || [ $? -eq 3 ]
	[ "$PEAK_KIB" -le $((18 * 1024)) ]
	[ "$(db "SELECT status, span_bytes FROM point")" = "ok|13194139533312" ]
	start_ns=$(db "SELECT start_ns FROM point")
	[ $((start_ns - began_ns)) -lt 2000000000 ]
	[ "$(figure "iops > 100")" -eq 1 ]
}

#!/usr/bin/env bats
# measures
#
# fio as the other witness on the simulated array, in turn: same size, depth and time.

load ../lib/common
load ../lib/array
load ../lib/fio
load ../lib/measure

# agrees DEPTH RW
agrees() {
	fio_point "$ARRAY" "$2" "$1" 2 --size=10G || return 1
	measure "$ARRAY" 1s 2s --rw "$2" --iodepth "$1" --span 10G \
		--write-to "$(realpath "$ARRAY")" || return 1
	echo "depth $1: fio $FIO_IOPS $FIO_LAT_MS, lunsweep $(figure iops) $(figure lat_mean_ms)"
	near "$(figure iops)" "$FIO_IOPS" 5 && near "$(figure lat_mean_ms)" "$FIO_LAT_MS" 5
}

setup() {
	need fio jq sqlite3
	scratch_up
	export DB=$SCRATCH/db
	array_up model=queue servers=8 svc=2
	export PUNCTUAL=punctual
}

@test "fio and lunsweep agree within 5 % on reads of the array at depth 1" {
	twice agrees 1 randread
}

@test "fio and lunsweep agree within 5 % on reads of the array at depth 8" {
	twice agrees 8 randread
}

@test "fio and lunsweep agree within 5 % on reads of the array at depth 64" {
	twice agrees 64 randread
}

@test "fio and lunsweep agree within 5 % on writes to the array at depth 16" {
	twice agrees 16 randwrite
}

#!/usr/bin/env bats
# measures
#
# fio as the other witness on the simulated array, in turn: same size, depth and time, said to fio by
# the tests or by the job file that the run itself is exported to.

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

# exported_agrees OPTION...: what was measured with these options, and fio on what export makes of it.
exported_agrees() {
	local job=$SCRATCH/job.fio json=$SCRATCH/job.json iops lat

	measure "$ARRAY" 1s 2s --rw randread --span 10G "$@" || return 1
	"$TOOL" export "$(figure run)" --fio --db "$DB" -o "$job" || return 1
	punctual fio --readonly --output-format=json --output="$json" "$job" || return 1
	iops=$(jq '[.jobs[].read.iops] | add' "$json")
	lat=$(jq '.jobs[0].read.lat_ns.mean / 1e6' "$json")
	echo "fio $iops $lat, lunsweep $(figure iops) $(figure lat_mean_ms)"
	near "$(figure iops)" "$iops" 5 || return 1
	# With a rate the latencies begin at different instants.
	[[ " $* " == *" --rate "* ]] || near "$(figure lat_mean_ms)" "$lat" 5
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

@test "an exported point gives the same IOPS and latency under fio, with workers that share the depth" {
	twice exported_agrees --iodepth 16 --workers 3
}

@test "an exported point with a rate gives the same IOPS under fio" {
	twice exported_agrees --iodepth 32 --workers 2 --rate 1000 --arrivals constant
}

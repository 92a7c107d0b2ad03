#!/usr/bin/env bats
# side by side
#
# Where the I/O goes: exactly the blocks of the span, nothing beside it, for as long as was asked.

load ../lib/common
load ../lib/loop
load ../lib/run

setup() {
	scratch_up
	db_up
}

# Write to FILE with consent, traced; the trace is $SCRATCH/trace.
write_traced() {
	local file=$1

	shift
	traced "$SCRATCH/trace" "$TOOL" run --ramp-time 50ms --runtime 300ms --target "$file" \
		--write-to "$file" "$@"
}

# spread FILE: number of different offsets, lowest, highest.
spread() {
	issued "$1" | cut -d ' ' -f 3 | sort -nu |
		awk 'NR == 1 { low = $1 } { high = $1 } END { print NR, low, high }'
}

@test "O-05a: a span that is no multiple of the block is written in whole blocks, and nothing beside it" {
	loop_up 64M
	cp "$LOOP_IMAGE" "$SCRATCH/copy"
	id=$(identity "$LOOP")
	for mode in write randwrite; do
		traced "$SCRATCH/trace" "$TOOL" run --rw "$mode" --span 1052672 --offset 16m --bs 64k \
			--ramp-time 50ms --runtime 300ms --target "$LOOP" --write-to "$id" --yes
		all_inside "$SCRATCH/trace" 16777216 17825792
		[ "$(spread "$SCRATCH/trace")" = "16 16777216 17760256" ]
	done
	unchanged "$LOOP_IMAGE" "$SCRATCH/copy" 16777216 17825792
	[ "$(stored "SELECT DISTINCT span_bytes FROM point")" = 1048576 ]
}

@test "O-05b,c: a span or an end beyond the target is refused with the real size, before any I/O" {
	loop_up 64M
	id=$(identity "$LOOP")
	for mode in write randwrite; do
		for where in "--span 128m" "--offset 48m --span 32m"; do
			# shellcheck disable=SC2086 # several words on purpose
			run -2 --separate-stderr traced "$SCRATCH/trace" "$TOOL" run --rw "$mode" $where \
				--target "$LOOP" --write-to "$id" --yes
			[[ $stderr == *67108864* ]]
			[ -z "$(issued "$SCRATCH/trace")" ]
		done
	done
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "O-05d: of a device whose size is no multiple of the block, the whole blocks are used, round and round" {
	loop_up 10000384
	id=$(identity "$LOOP")
	while read -r bs runtime spread; do
		traced "$SCRATCH/trace" "$TOOL" run --rw write --bs "$bs" --iodepth 16 --ramp-time 50ms \
			--runtime "$runtime" --target "$LOOP" --write-to "$id" --yes --name "$bs"
		[ "$(spread "$SCRATCH/trace")" = "$spread" ]
		# It wraps: the first offset comes again, after the last one.
		[ "$(issued "$SCRATCH/trace" | grep -c ' 0$')" -ge 2 ]
	done <<-TABLE
		4k 2s 2441 0 9994240
		64k 1s 152 0 9895936
		1m 1s 9 0 8388608
	TABLE
	[ "$(stored "SELECT group_concat(span_bytes, ' ') FROM (SELECT span_bytes FROM point ORDER BY id)")" \
		= "9998336 9961472 9437184" ]
}

@test "O-05e: a span below one block is refused" {
	random_file "$SCRATCH/file" 4M
	run -2 --separate-stderr measure --target "$SCRATCH/file" --span 32k --bs 64k
	[[ $stderr == *"span 32k"*"less than one block"* ]]
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "sequential and random writes of several workers leave the canary on both sides untouched" {
	random_file "$SCRATCH/file" 8M
	cp "$SCRATCH/file" "$SCRATCH/copy"
	begin=$((3 << 20))
	end=$((begin + 333 * 4096))
	write_traced "$SCRATCH/file" --rw write,randwrite,rw,randrw --bs 4k,12k --iodepth 16 --workers 3,16 \
		--random-pct 60 --offset 3m --span $((333 * 4096))
	all_inside "$SCRATCH/trace" $begin $end
	unchanged "$SCRATCH/file" "$SCRATCH/copy" $begin $end
	# The span itself is another one now, to its first and last block.
	for block in $((begin / 4096)) $((end / 4096 - 1)); do
		run ! cmp -s -n 4096 -i $((block * 4096)) "$SCRATCH/file" "$SCRATCH/copy"
	done
	[[ $(stored "SELECT DISTINCT status FROM point") == ok ]]
}

@test "a span that is smaller than a block for each worker is shared by them, and not left" {
	random_file "$SCRATCH/file" 4M
	cp "$SCRATCH/file" "$SCRATCH/copy"
	write_traced "$SCRATCH/file" --rw write,randwrite --iodepth 8 --workers 8 --offset 1m --span 12k
	all_inside "$SCRATCH/trace" 1048576 1060864
	unchanged "$SCRATCH/file" "$SCRATCH/copy" 1048576 1060864
	[ "$(spread "$SCRATCH/trace")" = "3 1048576 1056768" ]
}

@test "O-06: what a 4k target cannot do is skipped with the reason, the rest is measured" {
	loop_up 32M -b 4096
	run -3 measure --target "$LOOP" --bs 512,1k,2k,4k,6k,8k --iodepth 4
	[[ $output != *"Invalid argument"* ]]
	[ "$(stored "SELECT bs_bytes, status, reason LIKE '%logical block%4096%' FROM point ORDER BY bs_bytes")" \
		= "$(printf '%s\n' '512|skipped|1' '1024|skipped|1' '2048|skipped|1' '4096|ok|' '6144|skipped|1' '8192|ok|')" ]
}

@test "O-07: blocks and offsets that are no multiple of 512 are refused when they are read" {
	loop_up 16M
	run -2 --separate-stderr measure --target "$LOOP" --bs 1000
	[[ $stderr == *1000*512* ]]
	run -2 --separate-stderr measure --target "$LOOP" --offset 32
	[[ $stderr == *32*512* ]]
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "O-07: odd sizes and starts that the device can do run, on multiples of the block from the start" {
	loop_up 64M
	while read -r bs offset; do
		rm -f "$LUNSWEEP_DB"
		traced "$SCRATCH/trace" "$TOOL" run --rw randread,read --bs "$bs" --offset "$offset" --iodepth 2 \
			--span 48m --ramp-time 50ms --runtime 200ms --target "$LOOP"
		[ "$(statuses)" = "ok ok" ]
		issued "$SCRATCH/trace" | awk -v start="$offset" '($3 - start) % $2 { bad = 1 } END { exit bad || !NR }'
	done <<-TABLE
		1024 0
		1536 0
		4096 512
		3145728 0
	TABLE
}

@test "O-08: spans in per cent are rounded down to whole blocks, and stored as used" {
	loop_up 10000384
	run -3 measure --runtime 200ms --rw write --span 1%,10%,33%,100% --bs 4k,128k --target "$LOOP" \
		--write-to "$(identity "$LOOP")" --yes
	[ "$(stored "SELECT span_e4 / 10000, bs_bytes, CASE status WHEN 'ok' THEN span_bytes ELSE status END
		FROM point ORDER BY bs_bytes, span_e4")" = "$(printf '%s\n' '1|4096|98304' '10|4096|999424' \
		'33|4096|3297280' '100|4096|9998336' '1|131072|skipped' '10|131072|917504' \
		'33|131072|3276800' '100|131072|9961472')" ]
	[[ $(stored "SELECT reason FROM point WHERE status = 'skipped'") == *"span"*"block"* ]]
	for span in 0% 101%; do
		run -2 measure --target "$LOOP" --span "$span"
	done
}

@test "O-21: every point takes the time that was asked, whatever its span" {
	loop_up 64M
	measure --rw read,randread --bs 64k --iodepth 16 --span 1m,16m,64m --runtime 1s --target "$LOOP"
	run -0 stored "SELECT p.window_ns, d.iops * p.window_ns / 1e9 / d.ios, d.mib_s * 16 / d.iops, p.ios * 65536 > 2 * p.span_bytes
		FROM point p JOIN point_dir d ON d.point_id = p.id AND d.dir = 'total'"
	[ "${#lines[@]}" -eq 6 ]
	for line in "${lines[@]}"; do
		IFS='|' read -r window_ns iops_ratio mib_ratio wraps <<<"$line"
		near "$window_ns" 1000000000 2
		near "$iops_ratio" 1 0.5
		near "$mib_ratio" 1 0.5
	done
	[ "$wraps" = 1 ]
}

# first_offsets N: of the trace.
first_offsets() {
	issued "$SCRATCH/trace" | head -n "$1" | cut -d ' ' -f 3
}

# offsets_of NAME OPTION...: trace a short run; its first 200 offsets into the file NAME.
offsets_of() {
	local name=$1

	shift
	traced "$SCRATCH/trace" "$TOOL" run --ramp-time 0 --runtime 1s --iodepth 1 --target "$LOOP" --new "$@"
	first_offsets 200 >"$SCRATCH/$name"
	[ "$(wc -l <"$SCRATCH/$name")" -eq 200 ]
}

# same_places A B: how many offsets are equal at the same place.
same_places() {
	paste "$SCRATCH/$1" "$SCRATCH/$2" | awk '$1 == $2 { n++ } END { print n + 0 }'
}

@test "O-25: offsets differ from run to run and from depth to depth, and are equal for an explicit seed" {
	loop_up 64M
	offsets_of a
	offsets_of b
	[ "$(same_places a b)" -lt 10 ]
	offsets_of seeded1 --seed 7
	offsets_of seeded2 --seed 7
	[ "$(same_places seeded1 seeded2)" -eq 200 ]
	[ "$(same_places a seeded1)" -lt 10 ]
	# At depth 2 the same seed gives the point of another depth other places.
	traced "$SCRATCH/trace" "$TOOL" run --ramp-time 0 --runtime 1s --iodepth 2 --seed 7 --target "$LOOP" --new
	first_offsets 200 >"$SCRATCH/deeper"
	[ "$(same_places seeded1 deeper)" -lt 10 ]
	[ "$(stored "SELECT count(DISTINCT seed) FROM run")" -eq 3 ]
	[ "$(stored "SELECT DISTINCT seed FROM run WHERE command LIKE '%--seed%'")" = 7 ]
}

@test "O-25: as many reads as there are blocks touch 63 % of them" {
	loop_up 64M
	traced "$SCRATCH/trace" "$TOOL" run --ramp-time 0 --runtime 5s --iodepth 32 --target "$LOOP"
	touched=$(first_offsets 16384 | sort -u | wc -l)
	[ "$(issued "$SCRATCH/trace" | wc -l)" -ge 16384 ]
	near $((100 * touched)) $((6321 * 16384 / 100)) 2.4
}

@test "O-30: nothing is written before the last point that only reads, and the order is stored" {
	head -c 8M /dev/urandom >"$SCRATCH/file"
	write_traced "$SCRATCH/file" --rw randrw --rwmixread 0,100 --bs 4k,64k --iodepth 1,8
	# The points that only read come first: how many I/Os they had is where the first write may be.
	first=$(issued "$SCRATCH/trace" | grep -n PWRITE | head -1 | cut -d: -f1)
	last=$(issued "$SCRATCH/trace" | grep -n PREAD | tail -1 | cut -d: -f1)
	echo "last read is I/O $last, first write I/O $first"
	[ "$first" -gt "$last" ]
	[ "$(stored "SELECT group_concat(rwmixread_pct) FROM
		(SELECT rwmixread_pct FROM point ORDER BY start_ns)")" = 100,100,100,100,0,0,0,0 ]
	[ "$(stored "SELECT group_concat(seq) FROM (SELECT seq FROM point ORDER BY start_ns)")" = 1,2,3,4,5,6,7,8 ]
	# A sweep that wants it otherwise gets it, so that the trace above proves something.
	write_traced "$SCRATCH/file" --rw randrw --rwmixread 0,100 --bs 4k --iodepth 1 \
		--order listed --mix-order as-listed
	first=$(issued "$SCRATCH/trace" | grep -n PWRITE | head -1 | cut -d: -f1)
	last=$(issued "$SCRATCH/trace" | grep -n PREAD | tail -1 | cut -d: -f1)
	[ "$first" -lt "$last" ]
}

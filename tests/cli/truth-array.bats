#!/usr/bin/env bats
# measures
#
# The simulated array with 8 servers of 2 ms: R(N) = max(2, N / 4) ms and X = N / R. And where
# its own log says that the I/Os went.

load ../lib/common
load ../lib/loop
load ../lib/array
load ../lib/measure

# queue_up [KEY=VALUE...]
queue_up() {
	need jq sqlite3
	array_up model=queue servers=8 svc=2 "$@"
	WRITE_TO=$(realpath "$ARRAY")
	export DB=$SCRATCH/db
	# Without a service time the load would take all of a processor.
	[[ " $* " == *" svc=0 "* ]] || export PUNCTUAL=punctual
}

# ---- writes, and through a loop device (truth-table.bats has reads) ----

# Each time the machine is late takes from the IOPS of depths at which nothing else waits, so that
# the ceiling is seen at the peak, and latency by the median.
truth_of_writes() {
	measure "$ARRAY" 500ms 2s --rw randwrite --iodepth 1,8,32,64 --write-to "$WRITE_TO" ||
		return 1
	near "$(db "SELECT max(iops) FROM point WHERE run_id = (SELECT max(id) FROM run)")" 4000 2 &&
		near "$(figure lat_p50_ms "iodepth = 1")" 2 5 &&
		near "$(figure lat_p50_ms "iodepth = 8")" 2 5 &&
		near "$(figure lat_p50_ms "iodepth = 32")" 8 2
}

@test "writes have the same truth as reads" {
	queue_up
	twice truth_of_writes
	# Only what the program reads before its first I/O, to learn the alignment.
	[ "$(array_stats reads)" -le 4 ]
}

# Deep enough for a loop device whose kernel threads wait for a processor.
truth_through_loop() {
	measure "$LOOP" 500ms 2s --iodepth 64,128 || return 1
	near "$(db "SELECT max(iops) FROM point WHERE run_id = (SELECT max(id) FROM run)")" 4000 2 &&
		near "$(figure lat_p50_ms "iodepth = 64")" 16 2
}

@test "a loop device on the array has its truth" {
	queue_up
	loop_attach "$ARRAY"
	twice truth_through_loop
}

# ---- depth and workers ----

@test "the depth is the total over all workers, and is what the target sees" {
	queue_up
	for workers in 1 3 4; do
		array_ctl reset
		measure "$ARRAY" 200ms 1s --iodepth 8 --workers "$workers"
		[ "$(array_stats max_inflight)" -eq 8 ]
		[ "$(figure depth_max "workers = $workers")" -eq 8 ]
		near "$(figure depth_mean "workers = $workers")" 8 .5
	done
	shares=$(db "SELECT workers, group_concat(w.iodepth) FROM point p JOIN point_worker w
		ON w.point_id = p.id GROUP BY p.id ORDER BY workers")
	[ "$shares" = "$(printf '1|8\n3|3,3,2\n4|2,2,2,2')" ]
	none "SELECT * FROM point_worker WHERE depth_max <> iodepth
		OR NOT depth_mean BETWEEN .98 * iodepth AND iodepth"
}

@test "a depth below the number of workers is skipped with the reason" {
	queue_up
	run -3 measure "$ARRAY" 0s 500ms --iodepth 2,4 --workers 4
	[ "$(db "SELECT status FROM point ORDER BY iodepth")" = "$(printf 'skipped\nok')" ]
	[[ $(db "SELECT reason FROM point WHERE iodepth = 2") == *worker* ]]
}

@test "what the workers did adds up, in both directions, and no latency is negative" {
	queue_up
	measure "$ARRAY" 200ms 2s --rw randrw --rwmixread 60 --iodepth 11 --workers 3 --bs 8k \
		--write-to "$WRITE_TO"
	for dir in read write; do
		[ "$(db "SELECT ios, bytes, lat_sum_ns, slat_sum_ns FROM point_dir
			WHERE dir = '$dir'")" = "$(db "SELECT sum(${dir}_ios), sum(${dir}_bytes),
			sum(${dir}_lat_sum_ns), sum(${dir}_slat_sum_ns) FROM point_worker")" ]
		[ "$(db "SELECT ios, lat_sum_ns FROM point_dir WHERE dir = '$dir'")" = \
			"$(db "SELECT sum(${dir}_ios), sum(${dir}_lat_sum_ns) FROM point_series")" ]
	done
	[ "$(db "SELECT ios FROM point")" -eq "$(db "SELECT sum(ios) FROM point_dir
		WHERE dir <> 'total'")" ]
	[ "$(db "SELECT count(*) FROM point_series")" -eq 20 ]
	none "SELECT point_id, dir FROM point_dir WHERE bytes <> ios * 8192"
	none "SELECT point_id, dir FROM point_dir WHERE NOT (lat_min_ns > 1.5e6 AND slat_mean_ns > 0
		AND clat_mean_ns > 0 AND abs(slat_mean_ns + clat_mean_ns - lat_mean_ns) < 1)"
	none "SELECT point_id, dir FROM point_dir WHERE NOT (lat_min_ns <= lat_p50_ns AND lat_p50_ns <= lat_p90_ns
		AND lat_p90_ns <= lat_p95_ns AND lat_p95_ns <= lat_p99_ns
		AND lat_p99_ns <= lat_p999_ns AND lat_p999_ns <= lat_max_ns
		AND lat_mean_ns BETWEEN lat_min_ns AND lat_max_ns)"
	none "SELECT * FROM point WHERE NOT abs(little_rel) < .005"
	none "SELECT * FROM point WHERE NOT abs(depth_mean - (SELECT sum(depth_mean)
		FROM point_worker)) < 1e-6"
}

@test "the CPU time stored is what the process took" {
	queue_up svc=0
	TIMEFORMAT='%U %S'
	read -r user sys < <({ time measure "$ARRAY" 0s 2s --iodepth 16 --workers 2 >&2; } 2>&1)
	process_ms=$(awk -v u="$user" -v s="$sys" 'BEGIN { print 1000 * (u + s) }')
	stored_ms=$(db "SELECT sum(cpu_user_ns + cpu_sys_ns) / 1e6 FROM point_worker")
	echo "process $process_ms ms, workers $stored_ms ms"
	awk -v p="$process_ms" -v w="$stored_ms" 'BEGIN { exit !(w > .6 * p && w <= 1.02 * p) }'
	near "$(figure cpu_pct)" "$(awk -v w="$stored_ms" 'BEGIN { print w / 20 }')" .1
	# On a CPU by schedstat and by rusage: the same within a tick a worker.
	none "SELECT * FROM point_worker WHERE abs(cpu_user_ns + cpu_sys_ns - cpu_run_ns) > 2e7"
	none "SELECT * FROM point_worker WHERE cpu_run_ns + cpu_wait_ns > 2.02e9"
}

# ---- offsets ----

# offsets_are READ-OR-WRITE BASE SPAN BS: every request of the log lies in the span and on a
# block of it, and the blocks are as often as chance has it: chi-square over at most 64 bins, with
# a limit that chance exceeds once in 10000 times.
offsets_are() {
	awk -v what="$1" -v base="$2" -v span="$3" -v bs="$4" '
		BEGIN { nb = int(span / bs); nbins = nb < 64 ? nb : 64 }
		# Before its first I/O the program reads a block to learn the alignment, and 4 KiB of
		# some blocks of the span, to see whether they are zeros.
		$0 == "R 512 512" { next }
		$1 == "R" && $3 == 4096 && bs > 4096 && $2 >= base && $2 + $3 <= base + span { next }
		$1 != what || $3 != bs || $2 < base || $2 + bs > base + span || ($2 - base) % bs {
			if (!bad++) print "outside: " $0
			next
		}
		{
			block = ($2 - base) / bs
			count[int(block * nbins / nb)]++
			if (!n++ || block < lowest) lowest = block
			if (block > highest) highest = block
		}
		END {
			for (i = 0; i < nbins; i++) {
				first = int((i * nb + nbins - 1) / nbins)
				behind = int(((i + 1) * nb + nbins - 1) / nbins)
				want = n * (behind - first) / nb
				chi2 += (count[i] - want) ^ 2 / want
			}
			# The quantile, by Wilson and Hilferty.
			df = nbins - 1
			limit = df * (1 - 2 / (9 * df) + 3.719 * sqrt(2 / (9 * df))) ^ 3
			printf "%d requests, %d bad, chi-square %.1f of at most %.1f\n", n, bad, chi2, limit
			# Of so few blocks each comes up, also the first and the last.
			if (nb <= 300 && (lowest != 0 || highest != nb - 1)) {
				printf "blocks %d to %d of %d\n", lowest, highest, nb
				bad++
			}
			exit !(n > 2000 && !bad && chi2 <= limit)
		}' "$SCRATCH/log"
}

# random_offsets RW BASE SPAN BS WORKERS
random_offsets() {
	local letter=R

	[ "$1" = randread ] || letter=W
	array_ctl reset
	measure "$ARRAY" 0s 500ms --rw "$1" --offset "$2" --span "$3" --bs "$4" --workers "$5" \
		--iodepth 16 --seed 3 --write-to "$WRITE_TO"
	array_stats >/dev/null
	offsets_are "$letter" "$2" "$3" "$4"
}

@test "random offsets are uniform over exactly the span, wherever it lies" {
	queue_up svc=0 log="$SCRATCH/log"
	random_offsets randread 0 4398046511104 4096 1
	random_offsets randread 67108864 1073741824 4096 3
	random_offsets randread 16777216 1052672 65536 1
	random_offsets randread 1536 100003840 512 4
	random_offsets randwrite 16777216 1052672 4096 4
	random_offsets randwrite 4294967296 100000768 3584 1
}

@test "sequential I/O goes round its span, each worker in its own part" {
	queue_up svc=0 log="$SCRATCH/log"
	array_ctl reset
	measure "$ARRAY" 0s 500ms --rw read --offset 16m --span 1052672 --bs 64k --iodepth 1
	array_stats >/dev/null
	# Blocks 0 to 15, and again, from any of them on, but for what the program looks at before: the alignment, and 4 KiB
	# of some blocks, whether they are zeros.
	awk '$0 == "R 512 512" || $3 == 4096 { next }
		!n { first = ($2 - 16777216) / 65536 }
		{ if ($1 != "R" || $2 != 16777216 + (first + n++) % 16 * 65536 || $3 != 65536) bad = 1 }
		END { exit bad || n < 100 }' "$SCRATCH/log"
	array_ctl reset
	measure "$ARRAY" 0s 500ms --rw write --offset 16m --span 1m --bs 4k --iodepth 8 \
		--workers 4 --write-to "$WRITE_TO"
	array_stats >/dev/null
	[ "$(awk '$1 == "W" { print $2 }' "$SCRATCH/log" | sort -u | wc -l)" -eq 256 ]
	[ "$(array_stats write_lowest_byte)" -eq 16777216 ]
	[ "$(array_stats write_highest_byte)" -eq 17825791 ]
	# In each quarter the blocks follow each other; two in flight may change places.
	awk '$1 == "W" {
			block = ($2 - 16777216) / 4096
			part = int(block / 64)
			if (part in last && block % 64 == (last[part] + 1) % 64) in_order++
			last[part] = block % 64
			n++
		}
		END { exit !(n > 1000 && length(last) == 4 && in_order > .9 * n) }' "$SCRATCH/log"
}

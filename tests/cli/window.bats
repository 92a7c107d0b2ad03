#!/usr/bin/env bats
# measures
#
# What counts and what does not: ramp, window and drain; nothing at all; reads and writes of a
# mix. On loop devices whose cgroup sets the speed; the trials go on side by side.

load ../lib/common
load ../lib/loop
load ../lib/throttle
load ../lib/array
load ../lib/measure

setup_file() {
	trials_up
	file_setup start_trials
}

start_trials() {
	need jq sqlite3
	throttled_loop
	throttle_set read_iops 20
	trial drain
	throttled_loop
	throttle_set read_bps 1
	trial nothing
	throttled_loop
	throttle_set write_iops 5000
	trial ramp
	throttled_loop
	throttle_set read_iops 1000
	throttle_set write_iops 100
	trial mix
}

throttled_loop() {
	loop_up 64M
	throttle_up "$LOOP"
}

# measure_writes TARGET RAMP WINDOW OPTION...
measure_writes() {
	measure "$@" --yes --write-to "$(identity_of "$1")"
}

do_drain() {
	measure "$LOOP" 0s 5s --iodepth 256
}

# Less than one block an hour; after the first point the limit goes away, so that its I/Os can
# come back.
do_nothing() {
	local status=0

	throttle_set read_bps 1
	(sleep 4 && throttle_set read_bps 0) &
	"$TOOL" run --target "$LOOP" --db "$DB" --precision none --ramp-time 0s --runtime 2s \
		--iodepth 2 --bs 4k,8k --cap mean:10ms >"$DB.out" 2>"$DB.err" || status=$?
	wait
	echo $status >"$TRIAL/run-status"
}

# The limit falls in the ramp, one second before the window.
do_ramp() {
	throttle_set write_iops 5000
	(sleep 3 && throttle_set write_iops 500) &
	measure_writes "$LOOP" 4s 6s --rw randwrite --iodepth 4 || return 1
	wait
}

# Independent draws (D8) over 10 s differ from 70 % by some 4 % by chance: the seed makes them
# the same ones each time.
do_mix() {
	measure_writes "$LOOP" 1s 10s --rw randrw --rwmixread 100,70,30,0 --iodepth 16 --seed 42
}

# ---- the drain ----

truth_of_drain() {
	result drain || return 1
	near "$(figure iops)" 20 5 && near "$(db "SELECT ios FROM point")" 100 5 &&
		near "$(figure lat_mean_ms)" 2500 6
}

@test "O-22: I/Os that come back behind the window are not counted: 20 IOPS, however deep the queue" {
	file_skip
	twice truth_of_drain
	[ "$(figure status)" = ok ]
	# All 256 are in flight when the window ends, and come back at 20 a second.
	near "$(db "SELECT drain_ns / 1e9 FROM point")" 12.8 5
	[ "$(db "SELECT window_ns FROM point")" -eq 5000000000 ]
	[ "$(figure "lat_max_ms <= 5000")" -eq 1 ]
	none "SELECT * FROM point WHERE abs(iops - ios / (window_ns / 1e9)) > 1e-6"
	near "$(figure depth_mean)" 256 .1
	# What the point took in all is the window and the drain.
	near "$(db "SELECT (end_ns - start_ns) / 1e9 FROM point")" 17.8 5
}

@test "a point with few I/Os for its depth says so" {
	file_skip
	result drain
	[[ " $(figure flags) " == *" few-samples "* ]]
}

# ---- nothing ----

@test "O-23: a point in which nothing completes is stored without figures, and the next is normal" {
	file_skip
	result nothing
	[ "$(cat "$TRIAL/run-status")" -eq 3 ]
	[ "$(db "SELECT status, ios, iops FROM point WHERE bs_bytes = 4096")" = "no-io|0|0.0" ]
	[ "$(db "SELECT reason FROM point WHERE bs_bytes = 4096")" = "no I/O completed in the window" ]
	[ "$(db "SELECT coalesce(lat_mean_ms, lat_p50_ms, lat_p95_ms, lat_p99_ms, lat_max_ms,
		iops_ci_pct, 'null') FROM v_point WHERE bs = 4096 AND dir = 'total'")" = null ]
	[ "$(figure status "bs = 8192")" = ok ]
	[ "$(figure "iops > 100" "bs = 8192")" -eq 1 ]
}

@test "O-23: what never completed answers no question and leaves no nan or inf in any output" {
	file_skip
	result nothing
	"$TOOL" report --db "$DB" --format json >"$SCRATCH/json"
	curve='.runs[0].curves[] | select(.bs_bytes == 4096)'
	[ "$(jq -r "$curve | .knee.class" "$SCRATCH/json")" = insufficient ]
	[ "$(jq -c "$curve | .caps[0] | [.status, .iops]" "$SCRATCH/json")" = '["no-data",null]' ]
	[ "$(jq -c "$curve | .points[0] | [.status, .total.lat_mean_ms, .total.lat_p99_ms]" \
		"$SCRATCH/json")" = '["no-io",null,null]' ]
	"$TOOL" report --db "$DB" --format csv >"$SCRATCH/csv"
	"$TOOL" report --db "$DB" --format text >"$SCRATCH/text"
	run -1 grep -iwE '[-+]?(nan|inf|infinity)' "$SCRATCH/json" "$SCRATCH/csv" "$SCRATCH/text" \
		"$DB.out" "$DB.err"
	grep -E '^ +2 +4k +(- +|0 +)?.*no-io' "$SCRATCH/text"
	grep -F 'no I/O completed' "$DB.err"
}

# ---- the ramp ----

truth_of_ramp() {
	result ramp || return 1
	near "$(figure iops)" 500 5 && near "$(figure lat_mean_ms)" 8 10
}

@test "O-29: I/Os of the ramp are not counted: 500 IOPS after 5000" {
	file_skip
	twice truth_of_ramp
	[ "$(db "SELECT ramp_ns, window_ns FROM point")" = "4000000000|6000000000" ]
	near "$(db "SELECT (end_ns - start_ns) / 1e9 FROM point")" 10 3
	# Neither in the sums nor in the series.
	near "$(db "SELECT ios FROM point_dir WHERE dir = 'write'")" 3000 5
	[ "$(db "SELECT sum(write_ios) FROM point_series")" -eq "$(db "SELECT ios FROM point")" ]
	# What is counted began within the window, or was in flight when it opened.
	[ "$(figure "lat_max_ms < 1000")" -eq 1 ]
}

@test "O-29: a ramp longer than the window is kept, and so is a ramp of 0" {
	file_skip
	loop_up 16M
	measure "$LOOP" 2s 1s
	[ "$(db "SELECT ramp_ns, window_ns FROM point")" = "2000000000|1000000000" ]
	near "$(db "SELECT (end_ns - start_ns) / 1e9 FROM point")" 3 5
	measure "$LOOP" 0s 1s
	[ "$(db "SELECT ramp_ns, window_ns FROM point WHERE run_id = 2")" = "0|1000000000" ]
	near "$(db "SELECT (end_ns - start_ns) / 1e9 FROM point WHERE run_id = 2")" 1 10
}

# ---- mixes ----

# mix_iops PERCENT-READS DIRECTION
mix_iops() {
	figure iops "rwmixread = $1 AND dir = '$2'"
}

truth_of_mix() {
	result mix || return 1
	near "$(mix_iops 100 read)" 1000 5 && near "$(mix_iops 0 write)" 100 5 &&
		near "$(mix_iops 70 write)" 100 5 && near "$(mix_iops 70 read)" 233.3 5 &&
		near "$(mix_iops 70 total)" 333.3 5 &&
		near "$(mix_iops 30 write)" 100 5 && near "$(mix_iops 30 read)" 42.9 5
}

@test "O-24: the slow direction of a mix holds the other back, and the ratio is kept" {
	file_skip
	twice truth_of_mix
	none "SELECT point_id, dir FROM point_dir WHERE dir = 'write' AND point_id IN
		(SELECT id FROM point WHERE rwmixread_pct = 100)"
	none "SELECT point_id, dir FROM point_dir WHERE dir = 'read' AND point_id IN
		(SELECT id FROM point WHERE rwmixread_pct = 0)"
}

@test "O-24: reads and writes of a mix have their own latencies" {
	file_skip
	result mix
	read_ms=$(figure lat_mean_ms "rwmixread = 70 AND dir = 'read'")
	write_ms=$(figure lat_mean_ms "rwmixread = 70 AND dir = 'write'")
	total_ms=$(figure lat_mean_ms "rwmixread = 70 AND dir = 'total'")
	echo "read $read_ms write $write_ms total $total_ms"
	# 16 in flight, of which all but a few wait for the 100 writes a second.
	near "$write_ms" 160 10
	awk -v r="$read_ms" 'BEGIN { exit !(r < 20) }'
	near "$total_ms" "$(db "SELECT sum(lat_sum_ns) / 1e6 / sum(d.ios) FROM point_dir d
		JOIN point ON id = point_id WHERE rwmixread_pct = 70 AND dir <> 'total'")" .01
	none "SELECT * FROM v_point t JOIN v_point r USING (point) JOIN v_point w USING (point)
		WHERE t.dir = 'total' AND r.dir = 'read' AND w.dir = 'write'
			AND abs(t.iops - r.iops - w.iops) > .001"
}

# What the target saw of a mix, and what was stored of it.
mix_seen() {
	local seen_r seen_w

	array_ctl reset
	measure "$ARRAY" 0s 2s --rw randrw --rwmixread "$1" --iodepth 16 --span 1G --yes \
		--write-to "$(realpath "$ARRAY")"
	# Before its first I/O the program reads a block or two to learn the alignment.
	seen_r=$(($(array_stats reads) - $(grep -c '^R 512 512$' "$SCRATCH/log")))
	seen_w=$(array_stats writes)
	[ $((seen_r + seen_w)) -ge 10000 ]
	[ "$(grep -c '^R .* 4096$' "$SCRATCH/log")" -eq "$seen_r" ]
	[ "$(grep -c '^W .* 4096$' "$SCRATCH/log")" -eq "$seen_w" ]
	SEEN_PCT=$(awk -v r="$seen_r" -v w="$seen_w" 'BEGIN { print 100 * r / (r + w) }')
	STORED_PCT=$(awk -v r="$(figure iops "dir = 'read'")" -v t="$(figure iops)" \
		'BEGIN { print 100 * r / t }')
}

@test "O-24: 70 % of reads are 70.0 +- 1.4 % of what the target sees, 100 % and 0 % are pure" {
	file_skip
	array_up model=queue svc=0 log="$SCRATCH/log"
	mix_seen 70
	awk -v a="$SEEN_PCT" -v b="$STORED_PCT" \
		'BEGIN { exit !(a > 68.6 && a < 71.4 && b > 68.6 && b < 71.4) }'
	mix_seen 100
	[ "$SEEN_PCT" -eq 100 ]
	mix_seen 0
	[ "$SEEN_PCT" -eq 0 ]
}

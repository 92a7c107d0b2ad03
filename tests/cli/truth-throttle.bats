#!/usr/bin/env bats
# measures
#
# A loop device whose cgroup lets 500 reads a second through (and others with a limit in bytes):
# IOPS, mean latency and every answer are known beforehand. The trials go on side by side; none
# of them needs more than a small part of the machine.

load ../lib/common
load ../lib/loop
load ../lib/throttle
load ../lib/fio
load ../lib/measure

setup_file() {
	trials_up
	file_setup start_trials
}

start_trials() {
	need fio jq sqlite3
	throttled_trial sweep read_iops 500
	throttled_trial fio read_iops 500
	throttled_trial bandwidth read_bps 8388608
}

# throttled_trial NAME LIMIT N
throttled_trial() {
	loop_up 64M
	throttle_up "$LOOP"
	throttle_set "$2" "$3"
	trial "$1"
}

# Windows of 10 s, because the kernel lets I/O through 10 times a second (1 % of 10 s).
do_sweep() {
	measure "$LOOP" 1s 10s --iodepth 1..32*2 --cap mean:10ms,mean:1ms
}

do_bandwidth() {
	measure "$LOOP" 1s 5s --iodepth 8 --bs 4k,64k,256k
}

# In turn on the same device: both see the same machine.
do_fio() {
	local depth

	for depth in 1 8 64; do
		fio_point "$LOOP" randread "$depth" 5 || return 1
		measure "$LOOP" 1s 5s --iodepth "$depth" || return 1
		echo "$depth $FIO_IOPS $FIO_LAT_MS $(figure iops) $(figure lat_mean_ms)" \
			>>"$TRIAL/figures"
	done
}

# ---- 500 IOPS ----

truth_of_sweep() {
	local depth

	result sweep || return 1
	for depth in 1 2 4 8 16 32; do
		near "$(figure iops "iodepth = $depth")" 500 1 &&
			near "$(figure lat_mean_ms "iodepth = $depth")" $((depth * 2)) 5 || return 1
	done
}

# On a busy machine the kernel comes late to let the next 50 I/Os through: then the device is
# slower than its limit. What was stored must be what the device itself counted, give or take one
# such turn at either end.
device_was_late() {
	none "SELECT p.iodepth, p.ios, a.read_ios - b.read_ios FROM point p
		JOIN point_counter b ON b.point_id = p.id AND b.moment = 'before' AND b.layer = 'target'
		JOIN point_counter a ON a.point_id = p.id AND a.moment = 'after' AND a.layer = 'target'
		WHERE abs(p.ios - a.read_ios + b.read_ios) > 60 OR p.iops < 475 OR p.iops > 505"
}

@test "O-31: 500 IOPS are 500 at every depth, and the mean latency is depth x 2 ms" {
	file_skip
	twice truth_of_sweep || {
		device_was_late
		skip "this machine is too busy for a device of exactly 500 IOPS"
	}
	[ "$(db "SELECT count(*) FROM point WHERE status = 'ok'")" -eq 6 ]
}

@test "O-31: IOPS x mean latency is the depth in every stored row" {
	file_skip
	result sweep
	none "SELECT * FROM v_point WHERE NOT iops * lat_mean_ms / 1e3 / iodepth BETWEEN .95 AND 1.05"
	none "SELECT * FROM point WHERE NOT abs(little_rel) < .005"
	none "SELECT * FROM point WHERE NOT (depth_mean BETWEEN .95 * iodepth AND iodepth
		AND depth_max = iodepth)"
}

@test "O-31: a flat curve is saturated from the start, at its smallest depth" {
	file_skip
	result sweep
	"$TOOL" report --db "$DB" --format json >"$SCRATCH/json"
	knee=$(jq -c '.runs[0].curves[0].knee' "$SCRATCH/json")
	[ "$(jq -r .class <<<"$knee")" = flat ]
	[ "$(jq -r .iodepth <<<"$knee")" -eq 1 ]
	[[ $(jq -r .sentence <<<"$knee") == "Saturated from the start: iodepth 1 already gives "* ]]
	grep -F "Saturated from the start" "$DB.out"
}

@test "O-31: the cap of 10 ms is answered with 500 IOPS at a depth up to 4, that of 1 ms is never met" {
	file_skip
	result sweep
	"$TOOL" report --db "$DB" --format json >"$SCRATCH/json"
	ten=$(jq -c '.runs[0].curves[0].caps[] | select(.limit_ms == 10)' "$SCRATCH/json")
	one=$(jq -c '.runs[0].curves[0].caps[] | select(.limit_ms == 1)' "$SCRATCH/json")
	[ "$(jq -r .status <<<"$ten")" = ok ]
	[ "$(jq -r .iodepth <<<"$ten")" -le 4 ]
	near "$(jq .iops <<<"$ten")" 500 1
	[ "$(jq -r .status <<<"$one")" = infeasible ]
	[ "$(jq -c '[.iodepth, .iops]' <<<"$one")" = "[null,null]" ]
	[[ $(jq -r .sentence <<<"$one") == "No iodepth meets mean "*"1 ms; the lowest is "* ]]
}

# The column of that name in the CSV for the point of that depth, direction total.
csv_field() {
	python3 - "$1" "$2" "$3" <<-'PYTHON'
		import csv, sys
		rows = csv.DictReader(open(sys.argv[1], newline=""), strict=True)
		print([r[sys.argv[3]] for r in rows if r["record"] == "point" and
		       r["dir"] == "total" and r["iodepth"] == sys.argv[2]][0])
	PYTHON
}

@test "O-11: the same figures with the same unit stand in database, CSV, JSON, text and chart data" {
	file_skip
	need python3
	result sweep
	"$TOOL" report --db "$DB" --format json >"$SCRATCH/json"
	"$TOOL" report --db "$DB" --format csv >"$SCRATCH/csv"
	"$TOOL" report --db "$DB" --format text >"$SCRATCH/text"
	grep -qE '^ +iodepth +bs +IOPS +mean ms +util % +p99 ms +MiB/s' "$SCRATCH/text"
	for depth in 1 4 16; do
		iops=$(figure iops "iodepth = $depth")
		lat_ms=$(figure lat_mean_ms "iodepth = $depth")
		near "$lat_ms" $((depth * 2)) 5
		near "$(csv_field "$SCRATCH/csv" $depth iops)" "$iops" .001
		near "$(csv_field "$SCRATCH/csv" $depth lat_mean_ms)" "$lat_ms" .001
		total=".runs[0].curves[0].points[] | select(.iodepth == $depth) | .total"
		near "$(jq "$total.iops" "$SCRATCH/json")" "$iops" .001
		near "$(jq "$total.lat_mean_ms" "$SCRATCH/json")" "$lat_ms" .001
		# The table has whole IOPS and three digits of a millisecond.
		read -r _ _ text_iops text_ms _ < <(grep -E "^ +$depth +4k " "$SCRATCH/text")
		near "$text_iops" "$iops" .2
		near "$text_ms" "$lat_ms" .1
	done
}

@test "O-11: the response time axis of the chart is in milliseconds, of the order of the figures" {
	file_skip
	need gnuplot
	result sweep
	"$TOOL" report --db "$DB" -o "$SCRATCH/report"
	gp=$SCRATCH/report/iops-depth-randread-4k.gp
	grep -E "label.*time \(ms" "$gp"
	# 64 ms at depth 32 is the largest figure of the lower panel.
	ms=$(awk '!/^#/ && $1 == 32' "${gp%.gp}.dat")
	echo "$ms"
	awk '{ for (i = 2; i <= NF; i++) if ($i > 60 && $i < 68) ok = 1 } END { exit !ok }' <<<"$ms"
}

@test "the books of every point balance: workers, series, counters, percentiles, CPU time" {
	file_skip
	result sweep
	# 50 at a time and 10 times a second: they must also balance where completions are lumped.
	none "SELECT d.point_id FROM point_dir d JOIN point_worker w USING (point_id)
		WHERE d.dir = 'read' GROUP BY d.point_id HAVING d.ios <> sum(w.read_ios)
			OR d.bytes <> sum(w.read_bytes) OR d.lat_sum_ns <> sum(w.read_lat_sum_ns)"
	none "SELECT d.point_id FROM point_dir d JOIN point_series s USING (point_id)
		WHERE d.dir = 'read' GROUP BY d.point_id HAVING d.ios <> sum(s.read_ios)
			OR d.lat_sum_ns <> sum(s.read_lat_sum_ns) OR count(*) <> 100"
	none "SELECT * FROM point p JOIN v_point v ON v.point = p.id AND v.dir = 'total'
		WHERE abs(v.iops - p.ios * 1e9 / p.window_ns) > 1e-6 * v.iops
			OR abs(v.mib_s - v.iops / 256) > 1e-6 * v.mib_s"
	none "SELECT point_id, dir FROM point_dir WHERE NOT (0 <= lat_min_ns AND lat_min_ns <= lat_p50_ns
		AND lat_p50_ns <= lat_p90_ns AND lat_p90_ns <= lat_p95_ns AND lat_p95_ns <= lat_p99_ns
		AND lat_p99_ns <= lat_p999_ns AND lat_p999_ns <= lat_max_ns
		AND lat_mean_ns BETWEEN lat_min_ns AND lat_max_ns)"
	none "SELECT point_id, dir FROM point_dir WHERE abs(slat_mean_ns + clat_mean_ns - lat_mean_ns) > 1"
	none "SELECT p.id FROM point p JOIN point_worker w ON w.point_id = p.id
		WHERE w.cpu_user_ns + w.cpu_sys_ns > .2 * p.window_ns OR w.cpu_run_ns = 0"
	# The counters of the file's disk stand for a loop device.
	none "SELECT b.point_id FROM point_counter b JOIN point_counter a USING (point_id, layer)
		WHERE b.moment = 'before' AND a.moment = 'after' AND a.read_ios < b.read_ios"
}

@test "the limit of the cgroup is stored with the run and noted at each point" {
	file_skip
	result sweep
	[[ $(db "SELECT value FROM run_fact WHERE name = 'cgroup.io_limit'") == *500* ]]
	none "SELECT * FROM v_point WHERE ' ' || flags || ' ' NOT LIKE '% throttled %'"
}

# ---- against fio ----

agreement_with_fio() {
	local depth fio_iops fio_ms iops ms nr=0

	result fio || return 1
	while read -r depth fio_iops fio_ms iops ms; do
		echo "depth $depth: fio $fio_iops $fio_ms, lunsweep $iops $ms"
		near "$iops" "$fio_iops" 5 && near "$ms" "$fio_ms" 5 || return 1
		nr=$((nr + 1))
	done < <(tail -n 3 "$TRIAL/figures")
	[ $nr -eq 3 ]
}

@test "fio and lunsweep agree within 5 % on the throttled device at depths 1, 8 and 64" {
	file_skip
	twice agreement_with_fio
}

# ---- 8 MiB/s ----

truth_of_bandwidth() {
	result bandwidth || return 1
	near "$(figure iops "bs = 4096")" 2048 5 && near "$(figure iops "bs = 65536")" 128 5 &&
		near "$(figure iops "bs = 262144")" 32 5 || return 1
	near "$(figure mib_s "bs = 4096")" 8 5 && near "$(figure mib_s "bs = 65536")" 8 5 &&
		near "$(figure mib_s "bs = 262144")" 8 5
}

@test "O-10: 8 MiB/s are 2048, 128 and 32 IOPS of 4k, 64k and 256k, and 8 MiB/s in each" {
	file_skip
	twice truth_of_bandwidth
	none "SELECT * FROM v_point WHERE abs(mib_s * 1048576 / bs - iops) > 1e-6 * iops"
}

@test "O-10: the unit of bandwidth stands with it, and the number is of that unit" {
	file_skip
	need python3
	result bandwidth
	"$TOOL" report --db "$DB" --format csv >"$SCRATCH/csv"
	"$TOOL" report --db "$DB" --format text >"$SCRATCH/text"
	near "$(csv_field "$SCRATCH/csv" 8 mib_s)" "$(figure mib_s "bs = 4096")" .001
	# MiB/s is the 7th column of the table.
	for bs in 4k 64k 256k; do
		read -r _ _ _ _ _ _ mib_s _ < <(grep -E "^ +8 +$bs " "$SCRATCH/text")
		near "$mib_s" 8 5
	done
}

#!/usr/bin/env bats
# Five published studies, taken in as they were printed: what they conclude comes out again, and so
# do their own errors.

# bats file_tags=fast
load store_helper

# with_rows COMMAND...: its CSV for the Python on standard input, which has pick(column=value, ...) for rows
# and num(name, column=value, ...) for a figure of one row.
with_rows() {
	"$@" >rows.csv || return
	{
		cat <<-'PY'
		import csv, math
		rows = list(csv.DictReader(open("rows.csv", newline="")))
		def pick(**want):
		    return [r for r in rows if all(r[k] == v for k, v in want.items())]
		def num(name, **want):
		    found = pick(**want)
		    assert len(found) == 1, (want, len(found))
		    return float(found[0][name])
		def near(a, b, pct):
		    assert abs(a / b - 1) <= pct / 100, (a, b)
		PY
		cat
	} >check.py
	python3 check.py
}

import_diskspd() {
	"$TOOL" import csv "$DATA/seeds/diskspd-arrays.csv" --name diskspd --where "thread=${1:-all}" \
		--map 'bytes=-,little_qd256=-' \
		--set "rw=randrw,rwmixread=60,bs=64k,span=50G,workers=${2:-8},iodepth_per_worker=32" \
		"${@:3}"
}

import_cap_10ms() {
	"$TOOL" import csv "$DATA/seeds/iops-under-10ms.csv" \
		--map 'system=target,nearest_pow2=iodepth,mb_s=mib_s,implied_qd=-,mib_s_from_iops=-' \
		--set bs=4k,random_pct=100,span=256m
}

import_iometer() {
	"$TOOL" import csv "$DATA/seeds/starwind-iometer.csv" \
		--map "config=target,$1,implied_qd=-,little_vs_workers=-,mib_s_from_iops=-" \
		--set iodepth_per_worker=1,span=20G
}

@test "LUN sizing on 15 disks: IOPS fall with the span at depth 16, reads saturate at 32, 8 tables in all" {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --name ult 2>err
	[ ! -s err ]
	with_rows "$TOOL" report --format csv <<-'PY'
	points = pick(record="point", dir="total")
	assert len(points) == 72 and len({p["curve"] for p in points}) == 8
	# Tests 9 and 10 are depth 16 of the tables, against the span.
	printed = {"randwrite": [2051, 1874, 1661, 1444], "randread": [2835, 2586, 2373, 2129]}
	for rw, iops in printed.items():
	    row = pick(record="point", dir="total", rw=rw, iodepth="16")
	    row.sort(key=lambda r: int(r["span_bytes"]))
	    assert [int(r["span_bytes"]) for r in row] == [n * 500 * 10**9 for n in (1, 2, 4, 8)]
	    assert [float(r["iops"]) for r in row] == iops
	    lat = [float(r["lat_mean_ms"]) for r in row]
	    assert lat == sorted(lat)
	# What the larger of reads and writes loses against 500 GB: 8.8, 19.0 and 29.6 %.
	loss = [max(1 - v[i] / v[0] for v in printed.values()) for i in (1, 2, 3)]
	assert [round(100 * x, 1) for x in loss] == [8.8, 19.0, 29.6]
	for k in pick(record="knee"):
	    reads = k["rw"] == "randread"
	    assert k["knee_class"] == ("knee" if reads else "flat"), k
	    assert k["iodepth"] == ("32" if reads else "1"), k
	PY
	"$TOOL" report >text
	grep -q "Maximum under mean latency 10 ms: 3905 IOPS at iodepth 32 (8.18 ms), measured;" text
}

@test "five arrays by DiskSpd: one command, a run each, no array meets 10 ms, and one block is a copy" {
	import_diskspd all 8 --percentiles "$DATA/seeds/diskspd-arrays-percentiles.csv" >out 2>err
	[ "$(wc -l <out)" -eq 5 ]
	[ "$(head -1 out)" = "run 1: 1 point in 1 curve of 'DS4200 Raid10 6xSSD' imported from \
'$DATA/seeds/diskspd-arrays.csv'" ]
	# The second block was pasted from the first.
	[ "$(cat err)" = "lunsweep: warning: lines 10 to 28 ('DS4200 Raid10 6xSSD') and 37 to 55 \
('DS4200 Raid6 8xSSD (as printed)') hold identical figures: a paste error?" ]
	[ "$(sql "SELECT count(*) FROM v_point WHERE iodepth = 256 AND workers = 8 AND bs = 65536
		AND rwmixread = 60")" = 15 ]
	for run in 1 2 3 4 5; do
		"$TOOL" report "$run" --cap mean:10ms >text
		grep -q "^  No measured iodepth meets mean <= 10 ms; the lowest is [0-9.]* ms at iodepth 256.$" text
	done
	with_rows "$TOOL" export 5 <<-'PY'
	assert [num(n, dir="total") for n in ("iops", "mib_s", "lat_mean_ms", "lat_sd_ms", "lat_min_ms",
	    "lat_p50_ms", "lat_p90_ms", "lat_p95_ms", "lat_p99_ms", "lat_p999_ms", "lat_max_ms", "ios")
	    ] == [19296.84, 1206.05, 13.268, 8.509, 0.373, 12.539, 15.533, 16.615, 20.261, 160.363,
	    218.45, 5789052]
	assert num("lat_p99_ms", dir="read") == 19.154 and num("lat_p99_ms", dir="write") == 21.259
	near(num("iops", dir="total") * num("lat_mean_ms", dir="total") / 1000, 256, 0.1)
	near(num("iops", dir="read") / num("iops", dir="total"), 0.6, 0.1)
	PY
}

@test "the eight threads of a DiskSpd block are points of 32 I/Os each" {
	import_diskspd t1 1 >out 2>err
	[ "$(sql "SELECT iops, lat_mean_ms, iodepth FROM v_point WHERE run = 5 AND dir = 'total'")" = \
		"2355.94 13.583 32" ]
	[ "$(grep -c 'in flight' err)" -eq 0 ]
}

@test "the summary of the arrays: its Raid6 is not the block that was pasted, nor is any of them fast" {
	local axes=rw=randrw,rwmixread=60,workers=8,iodepth_per_worker=32
	local map=total_iops=iops,implied_kib=-,read_mib_s=-,write_mib_s=-,read_iops=-,write_iops=-

	"$TOOL" import csv "$DATA/seeds/diskspd-arrays-summary.csv" --set "$axes,bs=64k" \
		--map "$map,implied_mean_lat_ms_at_qd256=lat_ms" 2>err
	[ ! -s err ]
	[ "$(sql "SELECT round(lat_mean_ms, 2), iops FROM v_point WHERE run = 2 AND dir = 'total'")" = \
		"24.28 10541.84" ]
	[ "$(sql "SELECT round(lat_mean_ms, 1) FROM v_point WHERE run = 5 AND dir = 'total'")" = 122.4 ]
	# With the latency of the pasted block the summary contradicts itself.
	sed '/^DS4200 Raid6/s/24\.284/14.271/' "$DATA/seeds/diskspd-arrays-summary.csv" >t.csv
	"$TOOL" import csv t.csv --set "$axes,bs=64k" \
		--map "$map,implied_mean_lat_ms_at_qd256=lat_ms" 2>err
	grep -q "line 3: 10541.84 IOPS x 14.271 ms are 150.4 I/Os in flight, but the depth is 256" err
}

@test "IOPS under 10 ms on seven systems: depths are powers of two, and one answer breaks its own cap" {
	import_cap_10ms >out 2>err
	[ "$(grep -c "^run [1-7]: 2 points in 2 curves of '" out)" -eq 7 ]
	# 10 ms is rounded, 1 MB/s wrong; "10 IOPS at 97 ms" is no more than depth 1.
	[ "$(grep -c . err)" -eq 2 ]
	grep -q "line 8: 3091 IOPS x 10 ms are 30.91 I/Os in flight, but the depth is 32" err
	grep -q "line 15: 311 IOPS of 4096 bytes are 1.215 MiB/s, but the table says 1$" err
	with_rows "$TOOL" report {1..7} --cap mean:10ms --format csv <<-'PY'
	caps = pick(record="cap")
	assert len(caps) == 14
	met = [c for c in caps if c["cap_status"] != "infeasible"]
	assert len(met) == 13
	# A lower bound each: the next power of two was too slow, what lies between was not tried.
	assert {c["cap_status"] for c in met} == {"not-reached"}
	assert sorted(int(c["iodepth"]) for c in met) == [1, 2, 4, 8, 8, 32, 32, 64, 64] + 4 * [256]
	broken, = pick(record="cap", cap_status="infeasible")
	assert broken["run"] == "7" and broken["rw"] == "randread"
	assert float(broken["cap_lat_min_ms"]) == 97
	PY
	"$TOOL" report 7 >text
	grep -q "^  No iodepth meets mean <= 10 ms; the lowest is 97.0 ms at iodepth 1.$" text
	grep -q "^  Maximum under mean latency 10 ms: >= 311 IOPS at iodepth 2 (6.40 ms),$" text
}

@test "Iometer on eight iSCSI set-ups: MB/s are MiB/s, and a cache is not told by arithmetic" {
	import_iometer mb_s=mb_s >out 2>err
	grep -q "column 'mb_s' holds MiB/s (1048576 bytes), as IOPS x bs say: take it by --map 'mb_s=mib_s'" err
	rm "$LUNSWEEP_DB"
	import_iometer mb_s=mib_s >out 2>err
	[ "$(wc -l <out)" -eq 8 ]
	[ "$(sql "SELECT count(*), sum(rw = 'read'), sum(rw = 'write'), sum(rw = 'randrw')
		FROM v_point WHERE dir = 'total'")" = "24 8 8 8" ]
	# Rounding to 0.1 ms explains all products but two; one speed is no product of its IOPS.
	[ "$(grep -c . err)" -eq 3 ]
	grep -q "line 2: 980 IOPS x 1.1 ms are 1.078 I/Os in flight, but the depth is 1" err
	grep -q "line 17: 3240 IOPS x 1.3 ms are 4.212 I/Os in flight, but the depth is 4" err
	grep -q "line 18: 2200 IOPS of 32768 bytes are 68.75 MiB/s, but the table says 66.2" err
	# Two SAS disks do no 17854 IOPS; the author calls these rows bogus himself. The figures agree with
	# each other, so nothing in the table says that a cache answered: only a measurement can.
	[ "$(grep -c 'line 2[0-9]' err)" -eq 0 ]
	[ "$(sql "SELECT iops, status, flags FROM v_point WHERE run = 8 AND rw = 'write'
		AND dir = 'total'")" = "17854.0 ok " ]
	"$TOOL" report 8 >text
	grep -q "Imported .*; not measured by lunsweep." text
}

@test "an import of several targets is stored whole or not at all" {
	cat >t.csv <<-'CSV'
	target,qd,iops
	a,1,100
	b,1,200
	b,1,300
	CSV
	fails_with 1 "lines 3 and 4 are the same point" "$TOOL" import csv t.csv
	[ ! -e "$LUNSWEEP_DB" ]
	sed -i '4d' t.csv
	run "$TOOL" import csv t.csv --format json
	[ "$status" -eq 0 ]
	jq -e '.runs | map(.target) == ["a", "b"] and map(.run) == [1, 2]' <<<"${output#*$'\n'*$'\n'}"
	fails_with 2 "--target-label and a column of targets both say what was measured" \
		"$TOOL" import csv t.csv --target-label x
	python3 - <<-'PY'
	import sqlite3
	db = sqlite3.connect("lunsweep.db")
	# Of the runs behind the second there may be one only.
	db.execute("CREATE UNIQUE INDEX no ON run ((id > 0)) WHERE id > 2")
	PY
	fails_with 1 "no" "$TOOL" import csv t.csv
	[ "$(sql "SELECT count(*) FROM run")" = 2 ]
}

@test "directions of one point: a total is computed where there is none, and checked where there is" {
	cat >t.csv <<-'CSV'
	dir,iops,lat_ms
	read,2017,17.97538
	write,868,31.9177
	CSV
	"$TOOL" import csv t.csv --set rw=randrw,rwmixread=70,bs=8k,qd=64
	[ "$(sql "SELECT iops, round(lat_mean_ms, 2) FROM v_point WHERE dir = 'total'")" = "2885.0 22.17" ]
	# The mean of two rates is no rate, and latencies count as often as they occur.
	printf 'total,1442,24.94654\n' >>t.csv
	"$TOOL" import csv t.csv --set rw=randrw,rwmixread=70,bs=8k,qd=64 2>err
	grep -q "line 2: reads and writes are 2885 IOPS together, but the total says 1442" err
	grep -q "weighted by IOPS, is 22.1702 ms, but the total says 24.9465 ms" err
	fails_with 1 "line 2, column 'dir': 'both' is no direction" \
		"$TOOL" import csv <(printf 'dir,qd,iops\nboth,1,1\n')
	fails_with 1 "line 2: a randread has figures of writes" \
		"$TOOL" import csv <(printf 'dir,qd,iops\nwrite,1,1\n')
}

@test "percentiles of a second table say where they do not fit" {
	printf 'target,qd,iops,lat_ms\na,1,100,10\n' >t.csv
	pct() {
		printf '%s\n' "$@" >p.csv
	}
	pct target,pct,total_us a,50th,9000 a,p99.9,30000 a,75th,9500 other,50th,1
	"$TOOL" import csv t.csv --percentiles p.csv
	[ "$(sql "SELECT lat_p50_ms, lat_p999_ms, lat_p99_ms FROM v_point WHERE dir = 'read'")" = "9.0 30.0 None" ]
	pct target,pct,total_ms a,50th,9 a,99th,8
	fails_with 1 "t.csv: line 2: lat_p99 is below lat_p50" \
		"$TOOL" import csv t.csv --percentiles p.csv
	pct target,pct,total_ms a,often,9
	fails_with 1 "p.csv: line 2: 'often' is no percentile" \
		"$TOOL" import csv t.csv --percentiles p.csv
	pct pct,total_ms 50,9
	fails_with 1 "p.csv: no column 'target' says whose percentiles these are" \
		"$TOOL" import csv t.csv --percentiles p.csv
	pct target,pct,total a,50,9
	fails_with 1 "p.csv: line 1: unknown column 'total'" "$TOOL" import csv t.csv --percentiles p.csv
	pct target,pct,write_ms a,50,9
	fails_with 1 "p.csv: line 2: the point does no writes" \
		"$TOOL" import csv t.csv --percentiles p.csv
	printf 'a,2,200,10\n' >>t.csv
	pct target,pct,total_ms a,50,9
	fails_with 1 "p.csv: line 2: there are 2 points of 'a'" \
		"$TOOL" import csv t.csv --percentiles p.csv
}

@test "rows are chosen by the text of a column" {
	printf 'thread,qd,iops\nt0,1,50\nall,1,100\nALL,2,150\nt0,2,60\n' >t.csv
	"$TOOL" import csv t.csv --where thread=all
	[ "$(sql "SELECT group_concat(iops) FROM v_point WHERE dir = 'total'")" = "100.0,150.0" ]
	fails_with 2 "no row of the table is what --where asks for" \
		"$TOOL" import csv t.csv --where thread=t9
	fails_with 2 "--where names 'cpu', which is no column" "$TOOL" import csv t.csv --map thread=- --where cpu=1
	fails_with 1 "lines 2 and 3 are the same point" "$TOOL" import csv t.csv --map thread=-
}

@test "the depth of each worker makes the depth of all, and is not given twice" {
	printf 'workers,outstanding,iops\n4,8,100\n' >t.csv
	"$TOOL" import csv t.csv
	[ "$(sql "SELECT iodepth FROM v_point WHERE dir = 'total'")" = 32 ]
	fails_with 1 "gives the depth a second time" "$TOOL" import csv t.csv --set iodepth=4
}

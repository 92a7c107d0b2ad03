#!/usr/bin/env bats
# bats file_tags=fast
load store_helper

# Import the table on standard input; the rest are options.
import() {
	cat >t.csv
	"$TOOL" import csv t.csv "$@"
}

# The table on standard input is refused with these words, and nothing is stored.
refuses() {
	cat >t.csv
	fails_with "$1" "$2" "$TOOL" import csv t.csv "${@:3}"
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "the whole study of 72 rows is imported by one command into 8 curves" {
	run "$TOOL" import csv "$DATA/ult-lun-sizing.csv"
	[ "$status" -eq 0 ]
	[ "$output" = "run 1: 72 points in 8 curves imported from '$DATA/ult-lun-sizing.csv'" ]
	[ "$(sql "SELECT count(*), sum(points) FROM v_curve")" = "8 72" ]
	[ "$(sql "SELECT iops, lat_mean_ms, util_pct, lat_p99_ms, span_bytes, bs, origin FROM v_point
		WHERE rw = 'randread' AND span_bytes = 4000000000000 AND iodepth = 32
		AND dir = 'total'")" = "3125.0 10.22 99.69 None 4000000000000 4096 imported" ]
}

@test "every figure of the study comes back as it was printed" {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv"
	"$TOOL" export 1 >e.csv
	python3 - "$DATA/ult-lun-sizing.csv" e.csv <<-'PY'
	import csv, sys
	want = {}
	for r in csv.DictReader(open(sys.argv[1])):
	    key = (r["mode"], int(r["span_gb"]) * 10**9, int(r["qd"]))
	    want[key] = (float(r["iops"]), float(r["lat_ms"]), float(r["util_pct"]))
	got = {}
	for r in csv.DictReader(open(sys.argv[2])):
	    if r["dir"] == "total":
	        got[r["rw"], int(r["span_bytes"]), int(r["iodepth"])] = (
	            float(r["iops"]), float(r["lat_mean_ms"]), float(r["util_pct"]))
	assert len(want) == 72
	assert got == want
	PY
}

@test "decimal spans are shown as they were printed" {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv"
	"$TOOL" show 1 3 >out
	grep -q "^run 1, point 3: randwrite 4k iodepth 4 span 500GB$" out
}

@test "a plain table of depths is imported, and what is assumed is said on stderr" {
	"$TOOL" import csv "$DATA/o47-e.csv" --format json >out 2>err
	[ "$(jq -c .runs out)" = '[{"run":1,"points":7,"curves":1,"target":null}]' ]
	grep -q "no column gives rw: randread is assumed" err
	grep -q "no column gives bs: 4k is assumed" err
	[ "$(sql "SELECT lat_p99_ms, mib_s, span_bytes, workers FROM v_point WHERE iodepth = 4
		AND dir = 'total'")" = "55.0 None None 1" ]
}

@test "name, label, queue limit and the table itself are stored" {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --name ult --target-label 'vg_a-lv_1 é' \
		--queue-limit 32
	[ "$(sql "SELECT sweep_name, label, target_queue_limit, state, origin, command
		FROM run JOIN target ON target.id = target_id")" = "ult vg_a-lv_1 é 32 finished imported \
lunsweep import csv $DATA/ult-lun-sizing.csv --name ult --target-label 'vg_a-lv_1 é' --queue-limit 32" ]
	python3 - "$DATA/ult-lun-sizing.csv" <<-'PY'
	import sqlite3, sys
	text, = sqlite3.connect("lunsweep.db").execute("SELECT sweep_text FROM run").fetchone()
	assert text == open(sys.argv[1], newline="").read()
	PY
}

@test "a header map and constants make any table readable" {
	import --map 'Lat (us)=lat_us,Host=-' --map 'Queue=qd' --set rw=randrw,rwmixread=70,bs=8k <<-'CSV'
	Host,Queue,IOPS,"Lat (us)",workers,span_gib,p50_ms,p95_us,p99.9_ms,lat_max_s,cpu_pct
	a,8,10000,800,4,10,0.7,900,1.5,0.002,12%
	CSV
	[ "$(sql "SELECT rw, rwmixread, bs, workers, iodepth, span_bytes, iops, mib_s, lat_mean_ms,
		lat_p50_ms, lat_p95_ms, lat_p99_ms, lat_p999_ms, lat_max_ms, cpu_pct
		FROM v_point WHERE dir = 'total'")" = \
		"randrw 70 8192 4 8 10737418240 10000.0 78.125 0.8 0.7 0.9 None 1.5 2.0 12.0" ]
}

@test "quotes, CRLF, a byte order mark, blank lines and empty fields are understood" {
	printf '\xef\xbb\xbf"qd",iops,lat_ms,"p99_ms"\r\n1,100,10,\r\n\r\n"2","150",,9\r\n' >t.csv
	"$TOOL" import csv t.csv --set rw=read,bs=4k
	[ "$(sql "SELECT iodepth, iops, lat_mean_ms, lat_p99_ms, random_pct FROM v_point
		WHERE dir = 'total' ORDER BY iodepth")" = "1 100.0 10.0 None 0
2 150.0 None 9.0 0" ]
}

@test "MiB/s gives IOPS where these are missing" {
	import <<-'CSV'
	rw,bs,qd,mib_s
	read,64k,8,100
	CSV
	[ "$(sql "SELECT iops FROM v_point WHERE dir = 'read'")" = "1600.0" ]
}

@test "a row whose figures contradict its depth is warned of and still imported" {
	import --set rw=randwrite,bs=4k >out 2>err <<-'CSV'
	qd,iops,lat_ms
	16,1444,11.055
	32,1442,222.16684
	64,3000000,0.02
	CSV
	[ "$(wc -l <err)" -eq 1 ]
	grep -q "line 3: 1442 IOPS x 222.167 ms are 320.4 I/Os in flight, but the depth is 32" err
	grep -q "3 points" out
}

@test "a row without I/O is imported as no-io, not as ok" {
	import --set rw=read,bs=4k <<-'CSV'
	qd,iops,lat_ms
	1,0,
	2,100,20
	CSV
	[ "$(sql "SELECT status FROM v_point WHERE dir = 'total' ORDER BY iodepth")" = "no-io
ok" ]
}

@test "errors name line and column" {
	refuses 1 "t.csv: line 3, column 'iops': 'abc' is not a number" <<-'CSV'
	qd,iops
	1,100
	2,abc
	CSV
	refuses 1 "line 2, column 'iops': '1,5' is not a number: decimals are written with a dot" <<-'CSV'
	qd,iops
	1,"1,5"
	CSV
	refuses 1 "line 2: 3 fields, but the header has 2; decimals are written with a dot" <<-'CSV'
	qd,iops
	1,1,5
	CSV
	refuses 1 "line 3: 1 fields, but the header has 2" <<-'CSV'
	qd,iops
	1,15
	2
	CSV
	refuses 1 "line 2, column 'lat_ms': '-1' is negative" <<-'CSV'
	qd,iops,lat_ms
	1,1,-1
	CSV
	refuses 1 "line 2, column 'qd': '0' is no whole number from 1" <<-'CSV'
	qd,iops
	0,1
	CSV
	refuses 1 "line 2, column 'qd': '1.5' is no whole number" <<-'CSV'
	qd,iops
	1.5,1
	CSV
	refuses 1 "line 2, column 'qd': it is empty" <<-'CSV'
	qd,iops
	,1
	CSV
	refuses 1 "line 2, column 'mode': 'randomread' is no mode" <<-'CSV'
	mode,qd,iops
	randomread,1,1
	CSV
	refuses 1 "line 2, column 'bs': '4kb' is not a size" <<-'CSV'
	bs,qd,iops
	4kb,1,1
	CSV
	refuses 1 "line 2, column 'iops': 'nan' is not a number" <<-'CSV'
	qd,iops
	1,nan
	CSV
	refuses 1 "line 2, column 'iops': '1e999' is too large" <<-'CSV'
	qd,iops
	1,1e999
	CSV
}

@test "errors of the header are told" {
	refuses 1 "line 1: column 'QD' is there twice" <<-'CSV'
	qd,QD,iops
	1,1,1
	CSV
	refuses 1 "line 1: 'iodepth' gives iodepth a second time" <<-'CSV'
	qd,iodepth,iops
	1,1,1
	CSV
	refuses 1 "line 1: unknown column 'foo', 'b r'" <<-'CSV'
	qd,foo,iops,b r
	1,1,1,1
	CSV
	refuses 2 "--map foo=iopps: there is no figure or axis 'iopps'" --map foo=iopps <<-'CSV'
	qd,foo,iops
	1,1,1
	CSV
	refuses 2 "--map names 'bar', which is no column" --map bar=- <<-'CSV'
	qd,iops
	1,1
	CSV
	refuses 1 "'lat' has no unit: call it lat_ms or lat_us" <<-'CSV'
	qd,iops,lat
	1,1,1
	CSV
	refuses 1 "column 2 has no name" <<-'CSV'
	qd,,iops
	1,1,1
	CSV
	refuses 1 "no column gives the queue depth" <<-'CSV'
	iops
	1
	CSV
	refuses 1 "no column gives iops or mib_s" <<-'CSV'
	qd,lat_ms
	1,1
	CSV
	refuses 1 "fields must be separated by commas" <<-'CSV'
	qd;iops
	1;1
	CSV
	refuses 1 "there is a header, but no row" <<-'CSV'
	qd,iops
	CSV
	refuses 1 "the table is empty" </dev/null
	refuses 2 "--set bs: '5kb' is not a size" --set bs=5kb <<-'CSV'
	qd,iops
	1,1
	CSV
	refuses 2 "--set gives axes, and 'iops' is none" --set iops=5 <<-'CSV'
	qd,mib_s
	1,1
	CSV
}

@test "the same point twice is refused with both lines" {
	refuses 1 "lines 3 and 5 are the same point (randread 4k iodepth 2 span unknown)" <<-'CSV'
	qd,iops
	1,1
	2,1

	2,3
	CSV
	import <<-'CSV'
	qd,iops,repeat
	2,1,1
	2,3,2
	CSV
}

@test "percentiles out of order and mixes that contradict the mode are refused" {
	refuses 1 "line 2: lat_p99 is below lat_p50" <<-'CSV'
	qd,iops,p50_ms,p99_ms
	1,1,5,4
	CSV
	refuses 1 "line 2: lat_mean lies outside lat_min and lat_max" <<-'CSV'
	qd,iops,lat_ms,max_ms
	1,1,5,4
	CSV
	refuses 1 "line 2: a point of mode randrw needs its rwmixread" <<-'CSV'
	rw,qd,iops
	randrw,1,1
	CSV
	refuses 1 "line 2: mode randread with rwmixread 50" <<-'CSV'
	rw,qd,iops,rwmixread
	randread,1,1,50
	CSV
	refuses 1 "line 2: neither iops nor mib_s is known" <<-'CSV'
	rw,qd,iops
	randread,1,
	CSV
}

@test "usage errors exit with 2 and make no database" {
	fails_with 2 "import takes 'csv' and one file" "$TOOL" import
	fails_with 2 "import takes 'csv' and one file" "$TOOL" import xml t.csv
	fails_with 2 "'foo' is not NAME=VALUE" "$TOOL" import csv "$DATA/o47-a.csv" --map foo
	fails_with 2 "--queue-limit: '0' is out of range" \
		"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --queue-limit 0
	fails_with 1 "cannot open 'none.csv'" "$TOOL" import csv none.csv
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "the new database is private, and a link in a public place is not followed" {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv"
	[ "$(stat -c %a "$LUNSWEEP_DB")" = 600 ]
	mkdir -m 1777 public
	ln -s ../victim public/db
	: >victim
	fails_with 1 "symbolic link" "$TOOL" import csv "$DATA/ult-lun-sizing.csv" --db public/db
	[ ! -s victim ]
}

@test "a locked database is waited for as long as LUNSWEEP_BUSY_TIMEOUT says" {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv"
	LUNSWEEP_BUSY_TIMEOUT=100ms python3 - "$TOOL" "$DATA/o47-a.csv" <<-'PY'
	import os, sqlite3, subprocess, sys
	db = sqlite3.connect(os.environ["LUNSWEEP_DB"], isolation_level=None)
	db.execute("BEGIN EXCLUSIVE")
	p = subprocess.run([sys.argv[1], "import", "csv", sys.argv[2]], capture_output=True)
	assert p.returncode == 1 and b"locked it for more than 0.1 s" in p.stderr, p
	db.execute("COMMIT")
	subprocess.run([sys.argv[1], "import", "csv", sys.argv[2]], check=True, capture_output=True)
	PY
	[ "$(sql "SELECT count(*) FROM run")" = 2 ]
}

# import_at_once NUMBER: so many processes import the study, into one database.
import_at_once() {
	local pids=() pid i

	for ((i = 1; i <= $1; i++)); do
		"$TOOL" import csv "$DATA/ult-lun-sizing.csv" >"out.$i" 2>&1 &
		pids+=("$!")
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || {
			cat out.*
			return 1
		}
	done
}

@test "several processes may make and fill the database at the same time" {
	for _ in {1..6}; do
		rm -f "$LUNSWEEP_DB"*
		import_at_once 6
		[ "$(sql "SELECT count(*), count(DISTINCT id) FROM run")" = "6 6" ]
		[ "$(sql "SELECT count(*) FROM v_point WHERE dir = 'total'")" = 432 ]
		[ "$(sql "SELECT integrity_check FROM pragma_integrity_check")" = ok ]
	done
}

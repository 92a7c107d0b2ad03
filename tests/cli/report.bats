#!/usr/bin/env bats
# The report of stored runs: answers, tables, machine-readable forms, charts (O-41, O-43, O-46,
# O-47).
# shellcheck disable=SC2154 # bats sets stderr

# bats file_tags=fast
bats_require_minimum_version 1.5.0

setup() {
	DIR=$(mktemp -d)
	cd "$DIR" || return
	export LUNSWEEP_DB="$DIR/t.db"
	DATA="$BATS_TEST_DIRNAME/../data"
}

teardown() {
	cd /
	rm -rf "$DIR"
}

import_ult() {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --name ult --target-label "ULT array" \
		>/dev/null 2>import.err
}

# import_rows LINE...: rows of depth, IOPS, mean ms, p99 ms
import_rows() {
	printf '%s\n' iodepth,iops,lat_mean_ms,lat_p99_ms "$@" >rows.csv
	"$TOOL" import csv rows.csv --set rw=randread,bs=4k,span=1G >/dev/null 2>import.err
}

sql() {
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript(sys.argv[2])
db.commit()' "$LUNSWEEP_DB" "$1"
}

# fail_points WHERE: as if the points had been measured and failed
fail_points() {
	sql "DELETE FROM point_dir WHERE point_id IN (SELECT id FROM point WHERE $1);
	     UPDATE point SET status = 'failed', reason = 'Input/output error', iops = NULL,
	       ios = NULL, util_pct = NULL WHERE $1;"
}

same_picture_twice() {
	"$TOOL" report -o again >/dev/null 2>&1
	cmp "out/$1" "again/$1"
}

@test "the ULT study is answered in ten lines, then told in its own tables" {
	import_ult
	run "$TOOL" report
	[ "$status" -eq 0 ]
	[ "$(grep -c ' at iodepth ' <<<"$(sed -n '/^Answers/,/^$/p' <<<"$output")")" -eq 8 ]
	[[ $output == *"Saturates at iodepth 32: 4368 IOPS at 7.31 ms, 89 % of the peak; N* = 19.8."* ]]
	[[ $output == *"Maximum under mean latency 10 ms: 3905 IOPS at iodepth 32 (8.18 ms), measured;"* ]]
	[[ $output == *"72 of 72 points"* ]]
	[ "$(awk 'length > 80' <<<"$output" | wc -l)" -eq 0 ]
	grep -qE '^ +32 +4k +3905 +8\.180 +99\.81 ' <<<"$output"
}

@test "--explain shows what the answers rest on, in text and files; JSON always has it" {
	import_ult
	"$TOOL" report --explain -o out >text 2>/dev/null
	[ "$(grep -c "^  N\* \{4\}" text)" -eq 8 ]
	grep -A1 '^  N\*  *19\.8: line and ceiling cross there; seen from outside, the target$' text |
		grep -q 'serves about 20 I/Os at once$'
	grep -q '^  Xmax x R1    19.6: the same from latency, 4473 IOPS x 4.39 ms of iodepth 1$' text
	[ "$(awk 'length > 80' text | wc -l)" -eq 0 ]
	cmp text out/report.txt
	"$TOOL" report >plain
	run -1 grep '^  ceiling ' plain
	"$TOOL" report --format json >json
	python3 - <<-'PY'
	import json
	curve = json.load(open("json"))["runs"][0]["curves"][1]
	k = curve["knee"]
	assert (k["line_iodepth"], k["line_iops"], k["peak_iodepth"]) == (1, 226, 256)
	assert abs(k["peak_iops"] / k["line_iops_per_io"] - k["nstar"]) < 1e-6
	assert abs(k["nstar_xmax_r1"] - 19.6365) < 1e-3 and k["power_iodepth"] == 32
	assert (k["octave_iodepth"], k["last_iodepth"], k["errors_known"]) == (128, 256, False)
	names = [w["name"] for w in curve["why"]]
	assert names[:4] == ["class", "line", "ceiling", "N*"] and names[-1] == "cap", names
	PY
}

@test "standard output of the machine formats is parsed by strict parsers" {
	import_ult
	"$TOOL" report --cap mean:10ms --cap p99:5ms --format csv 2>/dev/null >r.csv
	"$TOOL" report --cap mean:10ms --cap p99:5ms --format json 2>/dev/null >r.json
	python3 - <<'END'
import csv, json
rows = list(csv.reader(open('r.csv', newline=''), strict=True))
assert len({len(r) for r in rows}) == 1, 'rows of different length'
table = [dict(zip(rows[0], r)) for r in rows[1:]]
assert len({r['curve'] for r in table}) == 8
points = [r for r in table if r['record'] == 'point' and r['dir'] == 'total']
assert len(points) == 72
knee = {r['curve']: r for r in table if r['record'] == 'knee'}
reads = [k for k in knee.values() if k['rw'] == 'randread']
assert {k['iodepth'] for k in reads} == {'32'} and {k['knee_class'] for k in reads} == {'knee'}
def refuse(name):
    raise ValueError(name)
doc = json.load(open('r.json'), parse_constant=refuse)
assert doc['format'] == 'lunsweep-report' and doc['version'] == 1
curves = doc['runs'][0]['curves']
assert len(curves) == 8 and sum(len(c['points']) for c in curves) == 72
assert [c['caps'][0]['iops'] for c in curves][:4] == [4368, 3905, 3529, 2129]
assert {c['caps'][1]['status'] for c in curves} == {'no-data'}
assert all(abs(p['total']['iops'] * p['total']['lat_mean_ms'] / 1000 / p['iodepth'] - 1) < 0.05
           for c in curves for p in c['points'])
END
}

@test "charts are drawn beside their scripts, the same bytes each time" {
	import_ult
	run --separate-stderr "$TOOL" report -o out
	[ "$status" -eq 0 ]
	for name in iops-depth-randread-4k iops-depth-randwrite-4k iops-span-4k-d16; do
		for ending in gp dat txt png svg; do
			[ -s "out/$name.$ending" ]
			[[ $stderr == *"out/$name.$ending"* ]]
			same_picture_twice "$name.$ending"
		done
	done
	[ -s out/report.txt ]
	[ -s out/report.csv ]
	[ -s out/report.json ]
	run ! grep -l "$DIR" out/*.gp out/*.dat out/*.svg
	rm out/*.png
	(cd out && gnuplot iops-span-4k-d16.gp 2>/dev/null)
	[ -s out/iops-span-4k-d16.png ]
}

@test "the span chart is drawn at the depth that is asked for" {
	import_ult
	run "$TOOL" report -o out --span-depth 100
	[ "$status" -eq 0 ]
	[ -s out/iops-span-4k-d64.png ]
	[ ! -e out/iops-span-4k-d16.png ]
	run "$TOOL" report --span-depth 0
	[ "$status" -eq 2 ]
}

@test "one point is reported and drawn" {
	import_rows 4,30000,0.13,0.3
	run "$TOOL" report -o out --cap p99:300us
	[ "$status" -eq 0 ]
	[[ $output == *"Needs more depths: a knee takes at least 3, this curve has 1."* ]]
	[[ $output == *">= 30000 IOPS at iodepth 4"* ]]
	[ -s out/iops-depth-randread-4k.png ]
}

@test "a failed point is a gap in the chart and a row with its reason" {
	import_rows 1,1000,1,2 2,1900,1.05,2 4,3000,1.33,3
	fail_points 'iodepth = 2'
	run --separate-stderr "$TOOL" report -o out
	[ "$status" -eq 0 ]
	[ -s out/iops-depth-randread-4k.png ]
	grep -q '^2 NaN NaN' out/iops-depth-randread-4k.dat
	[[ $output == *"failed:"* ]]
	[[ $stderr != *"arning"* ]]
	[[ $output != *nan* ]]
	[[ $output != *NaN* ]]
}

@test "a chart of failed points only is a message, not a picture" {
	import_rows 1,1000,1,2 2,1900,1.05,2
	fail_points 1
	run --separate-stderr "$TOOL" report -o out
	[ "$status" -eq 0 ]
	[[ $stderr == *"no valid points for 'randread 4k"* ]]
	[ ! -e out/iops-depth-randread-4k.png ]
	[[ $output == *"No valid points, so no knee"* ]]
}

@test "without gnuplot the message names its package and the text report is there" {
	import_ult
	before=$(md5sum <t.db)
	run --separate-stderr env PATH=/nonexistent "$TOOL" report -o out
	[ "$status" -eq 1 ]
	[[ $stderr == *"install the package gnuplot-nox"* ]]
	[[ $output == *"Saturates at iodepth 32"* ]]
	[ -s out/report.txt ]
	[ -s out/iops-span-4k-d16.gp ]
	[ -s out/iops-span-4k-d16.dat ]
	[ "$(md5sum <t.db)" = "$before" ]
}

@test "an output directory that cannot be made is an error, and the text is printed" {
	import_ult
	: >file
	run --separate-stderr "$TOOL" report -o file/out
	[ "$status" -eq 1 ]
	[[ $stderr == *"file/out"* ]]
	[[ $output == *"Saturates at iodepth 32"* ]]
}

@test "a file that cannot be written keeps no other away, and all that failed is told" {
	import_rows 1,1000,1,2 2,1900,1.05,2
	mkdir -p out/report.txt out/report.md
	run -1 --separate-stderr "$TOOL" report -o out --x iodepth --y p99.9
	for name in report.csv report.json report.html iops-depth-randread-4k.svg; do
		[ -s "out/$name" ]
	done
	[[ $stderr == *"out/report.txt'"*"out/report.md'"* ]]
	import_rows 1,1100,1,2 2,1900,1.05,2
	mkdir -p table/table.txt
	run -1 --separate-stderr "$TOOL" compare --table 1 2 -o table
	[ -s table/table.json ]
	[[ $stderr == *"table/table.txt'"* ]]
}

@test "names with underscores, spaces and letters of any language stay as they are" {
	name="résumé über_lv_1 (copy).img"
	import_ult
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --target-label "$name" >/dev/null 2>&1
	for locale in C.UTF-8 C; do
		run env LC_ALL=$locale "$TOOL" report -o "out dir_ä/$locale"
		[ "$status" -eq 0 ]
		[ -s "out dir_ä/$locale/iops-depth-randread-4k.png" ]
		grep -qF "$name" "out dir_ä/$locale/iops-depth-randread-4k.svg"
		grep -qF "$name" "out dir_ä/$locale/report.csv" "out dir_ä/$locale/report.txt"
	done
}

@test "a hostile name does nothing" {
	name="x'\"; system(\"touch pwned\") \`touch pwned\` \$(touch pwned)"
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --target-label "$name" >/dev/null 2>&1
	run "$TOOL" report -o out
	[ "$status" -eq 0 ]
	[ -s out/iops-depth-randread-4k.png ]
	[ -z "$(find . -name pwned)" ]
}

@test "textbook curves get textbook answers" {
	import_rows 1,10000,0.1,0.1 2,20000,0.1,0.1 4,40000,0.1,0.1 8,80000,0.1,0.1 \
		16,80000,0.2,0.2 32,80000,0.4,0.4
	run "$TOOL" report --cap p99:150us --cap p99:100us --cap p99:90us
	[[ $output == *"Saturates at iodepth 8:"* ]]
	[[ $output == *"Maximum under p99 latency 0.1 ms: 80000 IOPS at iodepth 8"* ]]
	[[ $output == *"No iodepth meets p99 <= 0.09 ms"* ]]

	import_rows 1,500,2, 2,500,4, 4,500,8, 8,500,16, 16,500,32,
	run "$TOOL" report
	[[ $output == *"Saturated from the start: iodepth 1 already gives 100 % of the peak"* ]]

	import_rows 1,1000,1,1 2,2000,1,1 4,4000,1,1 8,8000,1,1 16,16000,1,1 32,32000,1,1
	run "$TOOL" report
	[[ $output == *"Knee not reached:"*"raise iodepth beyond 32"* ]]
	# The table shows what the deepest point gives, not the last one before the rule's line.
	[[ $output == *"beyond 32  32000"* ]]

	import_rows 1,120,8.3,20 2,150,13.3,32 4,185,21.6,55 8,215,37,100 16,240,67,190 \
		32,255,125,380 64,262,244,800
	run "$TOOL" report --cap p99:60ms
	flat=$(tr -s ' \n' ' ' <<<"$output")
	[[ $flat == *"Maximum under p99 latency 60 ms: 185 IOPS at iodepth 4"* ]]
	[[ $flat == *"Against iodepth 1, iodepth 64 costs 29x the latency for 2.2x the IOPS."* ]]
}

@test "several runs are reported with what differs between them" {
	import_rows 1,500,2, 2,500,4, 4,500,8,
	import_rows 1,500,2, 2,500,4, 4,500,8,
	sql "DELETE FROM run_fact;
	     INSERT INTO run_fact VALUES (1, 'queue.scheduler', 'none', 1);
	     INSERT INTO run_fact VALUES (2, 'queue.scheduler', 'mq-deadline', 1);"
	run "$TOOL" report 1 2 -o out
	[ "$status" -eq 0 ]
	[[ $output == *"run 2, queue.scheduler: none -> mq-deadline"* ]]
	[ -s out/run1-iops-depth-randread-4k.png ]
	[ -s out/run2-iops-depth-randread-4k.png ]
}

@test "each run is reported once, in the order in which runs were named" {
	import_rows 1,500,2,
	import_rows 1,600,2,
	import_rows 1,700,2,
	run --separate-stderr "$TOOL" report 3 1 3 2 1 --format json
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.runs[].run]' <<<"$output")" = "[3,1,2]" ]
	"$TOOL" report 1 >once
	"$TOOL" report 1 1 >twice
	diff once twice
}

@test "spoiled points decide nothing until their flag is accepted" {
	import_rows 1,500,2, 2,500,4, 4,500,8,
	sql "INSERT INTO point_flag VALUES (1, 'stall', 'none for 2 s');"
	run "$TOOL" report
	[[ $output == *"Needs more depths"*"1 spoiled"* ]]
	run "$TOOL" report --accept stall
	[[ $output == *"Saturated from the start"* ]]
	[[ $output == *" stall (accepted)"* ]]
	[[ $output != *"spoiled: stall"* ]]
	"$TOOL" report --accept stall -o accepted 2>/dev/null
	grep -q 'stall (accepted)' accepted/report.html
	grep -q 'stall (accepted)' accepted/iops-depth*.txt
	run ! grep -q 'spoiled: stall' accepted/report.html accepted/*.txt
	run "$TOOL" report --accept nonsense
	[ "$status" -eq 2 ]
	run "$TOOL" report --accept io-error
	[ "$status" -eq 2 ]
}

@test "bad arguments are usage errors that name the text" {
	import_rows 1,500,2,
	for arg in --cap=10ms --cap=mode:10ms --cap=mean:10 --cap=mean:0 --format=xml --span-depth=x one; do
		run "$TOOL" report "$arg"
		[ "$status" -eq 2 ]
	done
	run "$TOOL" report --cap mode:10ms
	[[ $output == *"'mode:10ms': a cap is on"* ]]
	run "$TOOL" report 99
	[ "$status" -eq 1 ]
	[[ $output == *99* ]]
}

@test "a missing database is an error and is not made" {
	run "$TOOL" report --db none.db
	[ "$status" -eq 1 ]
	[ ! -e none.db ]
}

@test "a full standard output is an error" {
	import_rows 1,500,2,
	run sh -c "'$TOOL' report >/dev/full"
	[ "$status" -eq 1 ]
}

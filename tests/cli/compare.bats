#!/usr/bin/env bats
# Comparing stored runs: verdicts, exit statuses, what differs, and the table of many runs (O-33,
# O-40, O-50). Runs 1, 3, 5 are of array A, 2, 4, 6 of array B, which is 8 % slower.

# bats file_tags=fast
load store_helper
bats_require_minimum_version 1.5.0

# Made once: each import waits for the disk.
setup_file() {
	DATA=$BATS_TEST_DIRNAME/../data
	export LUNSWEEP_DB=$BATS_FILE_TMPDIR/all.db
	for i in 1 2 3; do
		import_one a$i "array A"
		import_one b$i "array B"
	done
}

import_all() {
	cp "$BATS_FILE_TMPDIR"/all.db "$LUNSWEEP_DB"
}

# import_one FILE LABEL [OPTION...]
import_one() {
	"$TOOL" import csv "$DATA/compare/$1.csv" --set span=1G --name study --target-label "$2" \
		"${@:3}" >/dev/null 2>&1
}

# compare ARGUMENT...: its status in STATUS, its text with single blanks in FLAT.
compare() {
	STATUS=0
	"$TOOL" compare "$@" >out 2>err || STATUS=$?
	FLAT=$(tr -s ' \n' ' ' <out)
}

# As if the points had got this flag, or had failed.
flag_points() {
	change "INSERT INTO point_flag (point_id, flag) SELECT id, '$1' FROM point WHERE $2"
}

fail_points() {
	change "DELETE FROM point_dir WHERE point_id IN (SELECT id FROM point WHERE $1);
		UPDATE point SET status = 'failed', reason = 'errors', iops = NULL, ios = NULL,
		  util_pct = NULL WHERE $1"
}

change() {
	sqlite3 "$LUNSWEEP_DB" "$1"
}

# The value of a jq path in the comparison.
ask() {
	"$TOOL" compare "${@:2}" --format json 2>/dev/null | jq -r "$1"
}

@test "two groups of runs are compared as the golden text says, in 80 columns" {
	import_all
	matches_golden compare.txt "$TOOL" compare 1,3,5 2,4,6
	[ "$(awk 'length > 80' out | wc -l)" -eq 0 ]
	grep -q '^  B is slower at 7 of 7 points by ' out
}

@test "CSV and JSON are strict and say the same" {
	import_all
	matches_golden compare.csv "$TOOL" compare 1,3,5 2,4,6 --format csv
	"$TOOL" compare 1,3,5 2,4,6 --format json >c.json
	python3 - out c.json <<-'PY'
	import csv, json, sys
	def refuse(name):
	    raise ValueError(name)
	rows = list(csv.DictReader(open(sys.argv[1]), strict=True))
	doc = json.load(open(sys.argv[2]), parse_constant=refuse)
	assert doc['format'] == 'lunsweep-compare' and doc['version'] == 1
	assert [{k: str(v) if v is not None else '' for k, v in f.items()}
	        for f in doc['figures']] == rows
	assert [r['run'] for r in doc['a']['runs']] == [1, 3, 5]
	iops = [f for f in doc['figures'] if f['figure'] == 'iops']
	assert len(iops) == 7 and all(f['verdict'] == 'different' for f in iops)
	assert all(abs(f['ratio'] / 0.92 - 1) < 0.01 for f in iops), [f['ratio'] for f in iops]
	assert doc['fail_if'] is None and doc['exit_status'] == 0
	names = {s['name'] for s in doc['setup'] if not s['varies']}
	assert 'target label' in names
	PY
}

@test "ranges and lists name the same groups, and exchanging them turns the ratio round" {
	import_all
	[ "$(ask '[.a.runs[].run, .b.runs[].run] | join(" ")' 1..2,5 3..4)" = "1 2 5 3 4" ]
	ab=$(ask '.figures[0].ratio' 1,3,5 2,4,6)
	ba=$(ask '.figures[0].ratio' 2,4,6 1,3,5)
	awk -v x="$ab" -v y="$ba" 'BEGIN { d = x * y - 1; exit d > 1e-9 || d < -1e-9 }'
}

@test "runs of one target are not different" {
	import_all
	import_one a1 "array A"
	compare 1,3 5,7 --fail-if different
	[ "$STATUS" -eq 0 ]
	[ "$(ask '[.figures[] | select(.verdict == "different")] | length' 1,3 5,7)" -eq 0 ]
	[ "$(ask '[.figures[].method] | unique | join(" ")' 1,3 5,7)" = "none pooled" ]
	[[ $FLAT == *"pooled over the depths"* ]]
}

@test "one run each gives ratios, never a verdict, and no silent pass" {
	import_all
	compare 1 2
	[ "$STATUS" -eq 0 ]
	[[ $FLAT == *"ratio, no significance"* ]]
	[ "$(ask '[.figures[] | .verdict, .ratio_low, .p] | unique | map(tostring) | join(" ")' 1 2)" = \
		"null unjudged" ]
	compare 1 2 --fail-if worse:5%
	[ "$STATUS" -eq 3 ]
	[[ $FLAT == *"--fail-if: cannot be judged"* ]]
	compare 1,3,5 2 --fail-if different
	[ "$STATUS" -eq 3 ]
}

@test "--fail-if ends with 4 when B is worse by as much, also with data on standard output" {
	import_all
	compare 1,3,5 2,4,6 --fail-if worse:5%
	[ "$STATUS" -eq 4 ]
	[[ $FLAT == *"--fail-if: met by "* ]]
	compare 1,3,5 2,4,6 --fail-if iops-worse:15%,lat-worse:20%
	[ "$STATUS" -eq 0 ]
	compare 2,4,6 1,3,5 --fail-if worse
	[ "$STATUS" -eq 0 ]
	compare 2,4,6 1,3,5 --fail-if different
	[ "$STATUS" -eq 4 ]
	compare 1,3,5 2,4,6 --fail-if worse --format json
	[ "$STATUS" -eq 4 ]
	[ "$(jq .exit_status out)" -eq 4 ]
	grep -q -- "--fail-if: met by " err
	compare 1,3,5 2,4,6 --fail-if worse --metric lat --format csv
	[ "$STATUS" -eq 4 ]
	run ! grep ^iops out
}

@test "what is inconclusive passes with a sentence, and not with --strict" {
	# The same mean, but 10 % apart.
	for x in 1000 1100 1000 1100 900 1010; do
		printf 'rw,bs,iodepth,iops\nrandread,4k,1,%s\n' $x >x.csv
		"$TOOL" import csv x.csv --set span=1G >/dev/null 2>&1
	done
	compare 1,2,3 4,5,6 --fail-if worse
	[ "$STATUS" -eq 0 ]
	[[ $FLAT == *"IOPS of B are inconclusive at 1 of 1 point."* ]]
	[[ $FLAT == *"inconclusive, which passes without --strict"* ]]
	compare 1,2,3 4,5,6 --fail-if worse --strict
	[ "$STATUS" -eq 3 ]
}

@test "a point that failed in B cannot pass, and is listed" {
	import_all
	fail_points "iodepth = 32 AND run_id IN (2, 4, 6)"
	compare 1,3,5 2,4,6 --fail-if worse:50%
	[ "$STATUS" -eq 3 ]
	[[ $FLAT == *"Only A has it valid: randread 4k span 1G iodepth 32"* ]]
	# The other way round there is nothing that B could have lost.
	compare 2,4,6 1,3,5 --fail-if worse:50%
	[ "$STATUS" -eq 0 ]
	[[ $FLAT == *"Only B has it valid: randread 4k span 1G iodepth 32"* ]]
}

@test "spoiled points enter only when they are accepted" {
	import_all
	flag_points stall "iodepth = 32 AND run_id IN (2, 4, 6)"
	count='[.figures[] | select(.figure == "iops")] | length'
	[ "$(ask "$count" 1,3,5 2,4,6)" -eq 6 ]
	[ "$(ask "$count" 1,3,5 2,4,6 --accept stall)" -eq 7 ]
}

@test "a difference of points whose client was the limit is no verdict" {
	import_all
	flag_points cpu-bound "rw = 'randread'"
	compare 1,3,5 2,4,6 --fail-if iops-worse:5%
	[[ $FLAT == *"client-limited"* ]]
	[[ $FLAT == *"is that of the client"* ]]
	[ "$(ask '[.figures[] | select(.verdict == "different") | .curve] | unique | .[]' 1,3,5 2,4,6)" = \
		"randwrite 4k span 1G" ]
	[ "$STATUS" -eq 4 ]
}

@test "what a bound leaves open is no verdict, and the sentence names the flag" {
	import_all
	# B is slower, and has as many IOPS or more where its depth was not held.
	flag_points depth-not-held "rw = 'randread' AND iodepth IN (16, 32) AND run_id IN (2, 4, 6)"
	compare 1,3,5 2,4,6 --fail-if iops-worse:5%
	[[ $FLAT == *"inconclusive at 2 of 7 (2 of them rest on a bound: depth-not-held)"* ]]
	[[ $FLAT == *"only a bound"* ]]
	[[ $FLAT == *"its figures are bounds: the target does as many IOPS or more."* ]]
	verdicts='[.figures[] | select(.figure == $f and .iodepth == 32) | .verdict] | .[]'
	[ "$(ask "\"iops\" as \$f | $verdicts" 1,3,5 2,4,6)" = inconclusive ]
	# The latency at the depth that was asked for would be still higher.
	[ "$(ask "\"lat_mean\" as \$f | $verdicts" 1,3,5 2,4,6)" = different ]
	# The other way round A has the bound, and B is faster all the same or not.
	[ "$(ask "\"iops\" as \$f | $verdicts" 2,4,6 1,3,5)" = inconclusive ]
	flag_points depth-not-held "rw = 'randread' AND iodepth = 8 AND run_id IN (1, 3, 5)"
	[ "$(ask '[.figures[] | select(.figure == "iops" and .iodepth == 8) | .verdict] | .[]' 1,3,5 2,4,6)" = different ]
}

@test "runs without a point in common are compared to nothing, with status 3" {
	import_all
	printf 'rw,bs,iodepth,iops\nrandread,64k,1,1000\n' >x.csv
	"$TOOL" import csv x.csv --set span=1G >/dev/null 2>&1
	compare 1,3,5 7
	[ "$STATUS" -eq 3 ]
	[[ $FLAT == *"no valid point in common"* ]]
	[[ $FLAT == *"Only B: randread 64k span 1G iodepth 1"* ]]
}

@test "repeats of a run are one value, and the report says so" {
	printf 'rw,bs,iodepth,repeat,iops\n' >x.csv
	printf 'randread,4k,1,%s\n' 1,1000 2,1010 3,990 >>x.csv
	for _ in 1 2; do
		"$TOOL" import csv x.csv --set span=1G >/dev/null 2>&1
	done
	compare 1 2 --fail-if different
	[ "$STATUS" -eq 3 ]
	[[ $FLAT == *"Repeats of a point within a run are one value of that run"* ]]
}

@test "what differs in the set-ups is listed, but not what varies within a group" {
	import_all
	change "INSERT INTO run_fact (run_id, place, name, value)
		SELECT id, 1, 'queue.scheduler', CASE id % 2 WHEN 1 THEN 'none' ELSE 'mq-deadline' END FROM run;
		INSERT INTO run_fact (run_id, place, name, value) SELECT id, 2, 'host.kernel', '6.1.' || id FROM run;
		INSERT INTO run_fact (run_id, place, name, value) SELECT id, 3, 'host.name', 'h' FROM run;
		INSERT INTO run_fact (run_id, place, name, value)
		SELECT id, 4, 'sweep.ramp_ns', '5' FROM run WHERE id % 2"
	compare 1,3,5 2,4,6
	[[ $FLAT == *"queue.scheduler: none -> mq-deadline"* ]]
	[[ $FLAT == *"sweep.ramp_ns: 5 -> (not known)"* ]]
	[[ $FLAT == *"Not the same within a group:"*host.kernel* ]]
	[[ $FLAT != *host.name* ]]
	[[ $FLAT == *"target label: array A -> array B"* ]]
}

@test "caps are asked for, and those of the first run hold for all" {
	import_all
	[ "$(ask '[.figures[] | select(.figure == "cap") | "\(.cap_stat) \(.cap_limit_ms)"] | unique | join(",")' \
		1,3,5 2,4,6)" = "mean 10" ]
	compare 1,3,5 2,4,6 --cap mean:5ms --cap p99:1ms
	[[ $FLAT == *"max at mean <= 5 ms"*worse* ]]
	[[ $FLAT == *"max at p99 <= 1 ms is not compared: the latency is not known."* ]]
	# Only A meets a cap: no ratio, and no pass.
	compare 1,3,5 2,4,6 --cap mean:2050us --fail-if iops-worse:50%
	[ "$STATUS" -eq 3 ]
}

@test "the table of runs has a row for each, in the order given, with the best marked" {
	import_all
	import_one c1 "array C"
	matches_golden compare-table.txt "$TOOL" compare --table 7 2 1
	[ "$(awk 'length > 80' out | wc -l)" -eq 0 ]
	matches_golden compare-table.csv "$TOOL" compare --table 7 2 1 --format csv
	"$TOOL" compare --table 7,1..2 --format json >t.json
	python3 - out t.json <<-'PY'
	import csv, json, sys
	rows = list(csv.DictReader(open(sys.argv[1]), strict=True))
	doc = json.load(open(sys.argv[2]))
	assert doc['format'] == 'lunsweep-table' and len(doc['rows']) == len(rows)
	best = [r for r in rows if r['dir'] == 'total' and r['best_iops'] == '1']
	# The point that only one run has is no best.
	assert len(best) == 7 and '8192' not in {r['bs_bytes'] for r in best}
	PY
}

@test "compare refuses what it does not understand before it opens the database" {
	fails_with 2 "takes two runs or groups" "$TOOL" compare
	fails_with 2 "takes two runs or groups" "$TOOL" compare 1
	fails_with 2 "takes two runs or groups" "$TOOL" compare 1 2 3
	fails_with 2 "'x' is not the number of a run" "$TOOL" compare 1 x
	fails_with 2 "'1-3' is not the number of a run" "$TOOL" compare 1-3 4
	fails_with 2 "'' is not the number of a run" "$TOOL" compare 1, 2
	fails_with 2 "5..3 is no range" "$TOOL" compare 5..3 2
	fails_with 2 "run 3 is in both groups" "$TOOL" compare 1,3 3,4
	fails_with 2 "is no format" "$TOOL" compare 1 2 --format xml
	fails_with 2 "is no metric" "$TOOL" compare 1 2 --metric p99
	fails_with 2 "is no condition" "$TOOL" compare 1 2 --fail-if better
	fails_with 2 "--strict needs --fail-if" "$TOOL" compare 1 2 --strict
	fails_with 2 "leaves out" "$TOOL" compare 1 2 --metric lat --fail-if iops-worse
	fails_with 2 "--table compares nothing" "$TOOL" compare --table 1 2 --pool
	fails_with 2 "--table needs the numbers" "$TOOL" compare --table
	import_one a1 A
	fails_with 1 "no run 9" "$TOOL" compare 1 9
}

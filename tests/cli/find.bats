#!/usr/bin/env bats
# bats file_tags=fast
#
# find: what it refuses, where it begins, how it goes on, and what it stores and prints. What it finds on targets
# of known truth is in truth-find.bats; the search itself is held to curves by tests/unit/test_analyze_search.c.

load ../lib/common
load ../lib/loop
load ../lib/array
load ../lib/run

setup() {
	scratch_up
	db_up
	need jq sqlite3
	FILE=$SCRATCH/file
	random_file "$FILE" 4M
}

# find_on OPTION...: short points on the file.
find_on() {
	local -a times=()

	[[ " $* " == *" --runtime "* ]] || times+=(--runtime 200ms)
	"$TOOL" find --target "$FILE" --ramp-time 0 "${times[@]}" "$@"
}

# found OPTION...: as run find_on; a machine so busy that it is the limit itself says so, which is an answer too.
found() {
	run --separate-stderr find_on "$@"
	[ "$status" -eq 0 ] || { [ "$status" -eq 3 ] && [[ $output == *[Cc]lient-limited* ]]; }
}

# curve_is SQL: every stored point gets IOPS and a latency in ms by its iodepth; no errors.
curve_is() {
	stored "UPDATE point_dir SET iops = (SELECT $1 FROM point p WHERE p.id = point_id), iops_se_rel = NULL,
		lat_se_rel = NULL, lat_p90_ns = NULL, lat_p95_ns = NULL, lat_p99_ns = NULL, lat_p999_ns = NULL,
		lat_p50_ns = NULL, lat_p95_lo_ns = NULL, lat_p95_hi_ns = NULL, lat_p99_lo_ns = NULL,
		lat_p99_hi_ns = NULL, lat_min_ns = NULL, lat_max_ns = NULL, lat_mean_ns = (SELECT 1e9 * iodepth / ($1)
		FROM point p WHERE p.id = point_id) WHERE dir = 'total'"
	stored "DELETE FROM point_flag"
}

answer() {
	jq -er ".runs[0].answers[0] | $1" "$SCRATCH/json"
}

refused() {
	local message=$1

	shift
	run -2 --separate-stderr "$@"
	[ -z "$output" ]
	[[ $stderr == *"$message"* ]]
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "what cannot be searched is refused before any I/O" {
	refused "find needs --target" "$TOOL" find --cap mean:10ms
	refused "the iodepth is what find looks for; --max-depth bounds it" find_on --iodepth 1,2
	refused "the iodepth is what find looks for" find_on --iodepth=4
	refused "unknown option '--order'" find_on --order random
	refused "unknown option '--anchors'" find_on --anchors always
	refused "find takes no arguments, not 'x.yaml'" find_on x.yaml
	refused "--max-depth: '0' is not between 1 and" find_on --max-depth 0
	refused "--max-points: '0' is not between" find_on --max-points 0
	refused "--max-depth 2 is less than 4 workers" find_on --max-depth 2 --workers 1,4
	refused "--max-rate bounds the load that --rate searches" find_on --max-rate 100
	refused "--exact-depth is of depths" find_on --rate --exact-depth
	refused "a cap is on mean, p50" find_on --cap p42:10ms
	refused "--format is text or json, not 'csv'" find_on --format csv
	refused "--resume goes with one target, and not with --new" find_on --resume 1 --new
}

@test "writes need consent, as for run" {
	before=$(sha256sum <"$FILE")
	refused "--write-to" find_on --rw randread,randwrite
	[ "$(sha256sum <"$FILE")" = "$before" ]
}

@test "reads are searched before writes, a mix as one, and each has its answer" {
	find_on --rw randwrite,randrw,randread --rwmixread 70 --max-depth 2 --cap mean:10s \
		--write-to "$FILE" --format json >"$SCRATCH/json" 2>"$SCRATCH/err" || [ $? -eq 3 ]
	[ "$(stored "SELECT group_concat(rw, ' ') FROM (SELECT DISTINCT rw FROM point ORDER BY seq)")" = \
		"randread randwrite randrw" ]
	[ "$(jq -c '[.runs[0].answers[].rw] | sort' "$SCRATCH/json")" = '["randread","randrw","randwrite"]' ]
	[ "$(jq -c '[.runs[0].answers[].stop] | unique' "$SCRATCH/json")" = '["not-reached"]' ]
	[ "$(stored "SELECT state FROM run")" = finished ]
}

@test "the largest depth still meets the cap: exit 0, and the answer says >=" {
	found --max-depth 3 --cap mean:10s
	[[ $output == *"Maximum under mean latency 10000 ms: >= "*" IOPS"*"at iodepth "* ]]
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"The cap is not exceeded even at iodepth 3"*", the largest that may be tried."* ]]
	[[ $stderr == *"[1] randread 4k iodepth 1 span 100%: "* ]]
}

@test "never met at depth 1: exit 4 after one point, with the lowest latency" {
	run -4 --separate-stderr find_on --cap mean:1us
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"No iodepth meets mean <= 0.001 ms: the lowest latency is "*" ms at iodepth 1. 1 point in "* ]]
	[ "$(statuses)" = ok ]
}

@test "each worker has one I/O at least: the smallest depth is their number" {
	found --max-depth 4 --workers 3 --cap mean:10s
	[ "$(stored "SELECT min(iodepth) FROM point")" -eq 3 ]
}

first_is_running() {
	[[ $(statuses 2>/dev/null) == running* ]]
}

@test "repeats: each depth is measured so often" {
	found --max-depth 1 --repeats 3 --cap mean:10s
	[ "$(stored "SELECT group_concat(iodepth || '.' || repeat, ' ') FROM (SELECT * FROM point ORDER BY seq)")" = "1.1 1.2 1.3" ]
}

@test "repeats that are still to come are in the store before the first is measured" {
	find_on --cap mean:10s --max-depth 1 --repeats 3 --runtime 20s >"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	wait_until 10 first_is_running
	kill -KILL $!
	wait $! || true
	[ "$(statuses)" = "running planned planned" ]
}

@test "what a target cannot do is skipped with the reason, and is an error of that curve only" {
	run -3 --separate-stderr find_on --bs 4k,8M --span 1M,100% --max-depth 1 --cap mean:10s
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"span of 1048576 bytes is smaller than one block of 8388608"* ]]
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'ok'")" -ge 2 ]
}

@test "stored points of the same curve are where it begins, and it says of which run they are" {
	"$TOOL" run --target "$FILE" --ramp-time 0 --runtime 200ms --iodepth 1..64*2 --anchors never >"$SCRATCH/out" 2>&1
	# 4000 IOPS from 8 on: 32 is 8 ms and 64 is 16.
	curve_is "min(500.0 * iodepth, 4000)"
	run -0 --separate-stderr find_on --cap mean:10ms
	[[ $stderr == *"randread 4k span 100%: begins with 7 points of run 1, begun "*"--fresh measures all anew"* ]]
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"Maximum under mean latency 10 ms: 4000 IOPS at iodepth 8 (2.00 ms)."* ]]
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"Last good iodepth 32 (8.00 ms), first bad 64 (16.0 ms); IOPS at both are within 2 %, so no depth between gives more. No point had to be measured; 7 known from run 1."* ]]
	[[ $(tr -s '\n ' ' ' <<<"$output") == *", of run 1"* ]]
	[ "$(stored "SELECT count(*) FROM point WHERE run_id = 2")" -eq 0 ]
	# Also through a search that measured nothing itself, and with several caps.
	find_on --cap mean:10ms,mean:3ms --max-points 1 --format json >"$SCRATCH/json" 2>"$SCRATCH/err"
	answer '.points_of_other_runs == 7 and .other_runs == [1]'
	# The report of it later is the same answer.
	run -0 "$TOOL" report 2
	[[ $output == *"4000 at iodepth 8"* ]]
	# Another engine, another curve: no seed.
	found --bs 8k --max-depth 1 --cap mean:10s
	[[ $stderr != *"begins with"* ]]
}

# quick_look OPTION...: a search after a run with windows of 200 ms and no ramp.
quick_look() {
	run -0 --separate-stderr "$TOOL" find --target "$FILE" --max-depth 2 --cap mean:10s --new "$@"
}

@test "a quick look is not where a careful search begins" {
	# A disk may be so fast that this host is its limit, which is status 3.
	array_up model=queue servers=8 svc=1 size=64M data=pattern
	FILE=$ARRAY
	"$TOOL" run --target "$FILE" --ramp-time 0 --runtime 200ms --iodepth 1,2 --anchors never >"$SCRATCH/out" 2>&1
	quick_look --ramp-time 0 --runtime 200ms
	[[ $stderr == *"begins with"* ]]
	quick_look --ramp-time 0 --runtime 250ms
	[[ $stderr != *"begins with"* ]]
	quick_look --ramp-time 50ms --runtime 200ms
	[[ $stderr != *"begins with"* ]]
}

@test "what a search took from another run is no second measurement to compare" {
	"$TOOL" run --target "$FILE" --ramp-time 0 --runtime 200ms --iodepth 1..64*2 --anchors never >"$SCRATCH/out" 2>&1
	curve_is "min(500.0 * iodepth, 4000)"
	find_on --cap mean:10ms >"$SCRATCH/out" 2>&1
	find_on --cap mean:9ms >"$SCRATCH/out" 2>&1
	for runs in "1 2" "2 1" "2 3" "1,2 3"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$TOOL" compare $runs
		[[ $stderr == *" hold the same points, of run 1, so they are not two measurements"* ]]
		[ -z "$output" ]
	done
	found --cap mean:10s --max-depth 1 --fresh
	run -0 "$TOOL" compare 1 4
}

@test "--fresh measures all anew" {
	"$TOOL" run --target "$FILE" --ramp-time 0 --runtime 200ms --iodepth 1,2 --anchors never >"$SCRATCH/out" 2>&1
	found --max-depth 2 --cap mean:10s --fresh
	[[ $stderr != *"begins with"* ]]
	[ "$(stored "SELECT count(*) FROM point WHERE run_id = 2 AND status = 'ok'")" -eq 2 ]
}

@test "a point that failed ends the search with the reason and what is known: exit 3" {
	"$TOOL" run --target "$FILE" --ramp-time 0 --runtime 200ms --iodepth 1,2,4 --anchors never >"$SCRATCH/out" 2>&1
	curve_is "1000.0 * iodepth"
	array_up model=queue servers=8 svc=1 size=64M data=pattern
	FILE=$ARRAY
	array_ctl eio_read 1
	run -3 --separate-stderr find_on --cap mean:10ms
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"No answer for mean <= 10 ms: the search ended by iodepth 1, failed: "*"Input/output error"* ]]
	[ "$(statuses)" = "ok ok ok failed" ]
	[ "$(stored "SELECT state FROM run WHERE id = 2")" = finished ]
}

@test "a spoiled point decides nothing, unless it is accepted" {
	truncate -s 8M "$SCRATCH/holes"
	FILE=$SCRATCH/holes
	run -3 --separate-stderr find_on --cap mean:10s --max-depth 1
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"the search ended by iodepth 1, spoiled: unwritten"* ]]
	# Holes are read so fast that this host may be the limit.
	find_on --cap mean:10s --max-depth 1 --accept unwritten,host-cache --format json >"$SCRATCH/json" || true
	answer '.answer.iodepth == 1 and (.status == "not-reached" or .status == "client-limited")'
}

@test "no more points than allowed: the bracket is told, and it is undecided: exit 3" {
	"$TOOL" run --target "$FILE" --ramp-time 0 --runtime 200ms --iodepth 1,256 --anchors never >"$SCRATCH/out" 2>&1
	curve_is "CASE iodepth WHEN 1 THEN 100000 ELSE 1000 END"
	run -3 --separate-stderr find_on --cap mean:100ms --max-points 1 --format json
	echo "$output" >"$SCRATCH/json"
	answer '.stop == "no-points" and .points == 1 and (.status == "unfinished" or .status == "client-limited")'
	[[ $output == *"No more than 1 point was allowed"* ]]
}

# cut_short SIGNAL: a search, ended in its second point.
cut_short() {
	find_on --cap mean:10s --max-depth 600 --runtime 1500ms >"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	pid=$!
	wait_until 20 second_is_running
	kill "-$1" "$(pgrep -P "$pid" -x lunsweep)"
	status=0
	wait "$pid" || status=$?
}

second_is_running() {
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'running' AND seq = 2" 2>/dev/null)" = 1 ]
}

goes_on() {
	first=$(stored "SELECT id, start_ns, iops FROM point WHERE seq = 1")
	# A busy machine may be the limit at such depths.
	run --separate-stderr find_on --cap mean:10s --max-depth 600 --runtime 1500ms
	[[ $stderr == *"going on with run 1"* ]]
	[ "$(stored "SELECT id, start_ns, iops FROM point WHERE seq = 1")" = "$first" ]
	[ "$(stored "SELECT count(*) || ' ' || min(state) FROM run")" = "1 finished" ]
	[ "$(stored "SELECT count(*) FROM point WHERE status <> 'ok'")" -eq 0 ]
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"The cap is not exceeded even at iodepth 600"* ]]
}

@test "after SIGINT the same command goes on where it stopped" {
	cut_short INT
	[ "$status" -eq 130 ]
	[[ $(tail -n 1 "$SCRATCH/err") == *"ended by signal 2; 1 of 2 points are stored; the same command goes on with the rest" ]]
	[[ $(tr -s '\n ' ' ' <"$SCRATCH/out") == *"Not finished for mean <= 10000 ms. So far: "*"at iodepth 1"* ]]
	goes_on
}

@test "after kill -9 the same command goes on where it stopped" {
	cut_short KILL
	[ "$(statuses)" = "ok running" ]
	goes_on
}

@test "a search is another one by its caps and bounds, and is no run" {
	cut_short INT
	found --cap mean:20s --max-depth 1 --runtime 200ms
	[[ $stderr != *"going on"* ]]
	[ "$(stored "SELECT state FROM run WHERE id = 1")" = interrupted ]
}

@test "JSON is valid, has null for what is not known, and the report has the same answers" {
	found --cap mean:10s,p99:10s --max-depth 2 --format json -q
	jq -e . <<<"$output" >"$SCRATCH/json"
	[ "$(jq -r '.format + " " + (.version | tostring)' "$SCRATCH/json")" = "lunsweep-find 1" ]
	answer '.stop == "not-reached" and .answer.iodepth <= 2 and .first_bad == null'
	[ "$(jq '.runs[0].answers | length' "$SCRATCH/json")" -eq 2 ]
	# Nothing was left for the second cap.
	[ "$(jq '.runs[0].answers[1].points' "$SCRATCH/json")" -eq 0 ]
	"$TOOL" report 1 --format json >"$SCRATCH/report"
	[ "$(jq -c '.runs[0].curves[0].caps[0].search.answer' "$SCRATCH/report")" = "$(answer '.answer | tojson')" ]
	"$TOOL" report 1 --format csv >"$SCRATCH/csv"
	[ "$(grep -c '^search,1,' "$SCRATCH/csv")" -eq 2 ]
	# Another cap than those searched for is read off the points.
	run -0 "$TOOL" report 1 --cap mean:9s
	[[ $(tr -s '\n ' ' ' <<<"$output") == *", measured; the cap is not exceeded even at iodepth 2."* ]]
	"$TOOL" list | grep -q "find mean:10s,p99:10s"
	"$TOOL" show 1 | grep -q find.max_points
}

@test "over load: stored as a response curve, and not reached by the largest load" {
	run -0 --separate-stderr find_on --rate --max-rate 150 --cap mean:10s --format json
	echo "$output" >"$SCRATCH/json"
	answer '.status == "not-reached" and .answer.rate_iops == 150'
	[ "$(stored "SELECT group_concat(rate_ask_iops || '@' || iodepth, ' ') FROM (SELECT * FROM point ORDER BY seq)")" = "100@256 150@256" ]
	run -0 "$TOOL" report
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"Highest load under mean latency 10000 ms: >= 150 IOPS offered"* ]]
}

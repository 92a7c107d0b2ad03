#!/usr/bin/env bats
# measures
#
# Anchors: the first and the peak depth of a curve are measured again at its end, so that a target
# that changes is not taken for one that dislikes depth.

load ../lib/common
load ../lib/loop
load ../lib/array
load ../lib/measure

setup() {
	scratch_up
	need jq sqlite3
	export DB=$SCRATCH/db
	export PUNCTUAL=punctual
}

# knee MEMBER: of the only curve of the last run.
knee() {
	"$TOOL" report --db "$DB" --format json | jq -r ".runs[0].curves[0].knee.$1"
}

# What was measured in which order: depth, with a where it is an anchor.
order() {
	db "SELECT group_concat(iodepth || iif(is_anchor, 'a', ''), ' ')
		FROM (SELECT * FROM point ORDER BY start_ns)"
}

point_is_running() {
	[ "$(db "SELECT count(*) FROM point WHERE status = 'running' AND iodepth = $1" 2>/dev/null)" = 1 ]
}

# The array becomes four times slower when depth 16 begins, and stays so.
drifting_run() {
	rm -f "$DB"*
	array_ctl set svc=2
	measure "$ARRAY" 300ms 1s --iodepth 1,4,16 --anchors auto 3>&- &
	local pid=$!
	wait_until 30 point_is_running 16
	array_ctl set svc=8
	wait "$pid"
}

# Retrograde by nature: the service time grows with the number in flight. The array has no such
# model, so the depth itself is what changes it: slow while depth 16 is measured, fast again after.
retrograde_run() {
	rm -f "$DB"*
	array_ctl set svc=2
	measure "$ARRAY" 300ms 1s --iodepth 1,4,16 --anchors auto 3>&- &
	local pid=$!
	wait_until 30 point_is_running 16
	array_ctl set svc=8
	wait_until 30 point_is_running 1
	array_ctl set svc=2
	wait "$pid"
}

truth_of_drift() {
	drifting_run || return 1
	[ "$(order)" = "1 4 16 1a 4a" ] && [ "$(knee class)" = "state drift" ]
}

@test "O-30: a target that changes in mid curve is called state drift, not retrograde" {
	array_up model=queue servers=4 svc=2
	twice truth_of_drift
	[ "$(knee drift)" = true ]
	[ "$(knee iodepth)" = null ]
	[[ $(knee sentence) == "State drift: "*"iodepth 1 gave "*" IOPS at first and "*" at the end"* ]]
	"$TOOL" report --db "$DB" >"$SCRATCH/text"
	grep -F "again at" "$SCRATCH/text"
	[ "$("$TOOL" report --db "$DB" --format json | jq -c '[.runs[0].curves[0].anchors[] |
		[.iodepth, .differs]]')" = "[[1,true],[4,true]]" ]
	# They are in no curve, and in every export.
	[ "$(db "SELECT points FROM v_curve")" -eq 3 ]
	[ "$("$TOOL" export 1 --db "$DB" --format json | jq -c '[.points[] | select(.dir == "total") |
		[.iodepth, .is_anchor]]')" = "[[1,0],[1,1],[4,0],[4,1],[16,0]]" ]
	[ "$("$TOOL" report --db "$DB" --format json | jq -c '[.runs[0].curves[0].points[].iodepth]')" = \
		"[1,4,16]" ]
}

truth_of_retrograde() {
	retrograde_run || return 1
	[ "$(order)" = "1 4 16 1a 4a" ] && [ "$(knee class)" = retrograde ]
}

@test "O-30: a curve that falls while its anchors agree stays retrograde" {
	array_up model=queue servers=4 svc=2
	twice truth_of_retrograde
	[ "$(knee drift)" = false ]
	[[ $(knee sentence) == *"never queue deeper than 4 (measured again at the end, it gave the same)."* ]]
}

truth_of_no_anchors() {
	rm -f "$DB"*
	measure "$ARRAY" 300ms 1s --iodepth 1,4,16 --anchors auto || return 1
	[ "$(order)" = "1 4 16" ] && [ "$(knee class)" = knee ]
}

@test "a reading curve that does not fall has no anchors, unless they are asked for" {
	array_up model=queue servers=4 svc=2
	twice truth_of_no_anchors
	rm -f "$DB"*
	measure "$ARRAY" 50ms 300ms --iodepth 1,4,16 --anchors always
	[[ $(order) == "1 4 16 1a "* ]]
	[ "$(db "SELECT count(*) FROM point WHERE status = 'ok' AND is_anchor")" -eq 2 ]
}

@test "a writing curve has anchors, but not with never, nor below three depths" {
	random_file "$SCRATCH/file" 8M
	local file
	file=$(realpath "$SCRATCH/file")
	measure "$file" 50ms 300ms --rw randwrite --iodepth 1,2,4 --anchors auto --write-to "$file"
	[ "$(db "SELECT min(seq) FROM point WHERE is_anchor")" -eq 4 ]
	[ "$(db "SELECT min(iodepth) FROM point WHERE is_anchor")" -eq 1 ]
	# Behind all others, in the order of time.
	none "SELECT * FROM point a JOIN point p ON a.is_anchor AND NOT p.is_anchor
		AND p.start_ns >= a.start_ns"
	rm -f "$DB"*
	measure "$file" 50ms 300ms --rw randwrite --iodepth 1,2,4 --write-to "$file" --anchors never
	measure "$file" 50ms 300ms --rw randwrite --iodepth 1,2 --anchors auto --write-to "$file"
	none "SELECT * FROM point WHERE is_anchor"
}

@test "a run that was cut short before or in its anchors measures them when it goes on" {
	random_file "$SCRATCH/file" 8M
	local file signal where pid
	file=$(realpath "$SCRATCH/file")
	for signal in INT KILL; do
		for where in "iodepth = 4 AND NOT is_anchor" is_anchor; do
			rm -f "$DB"*
			cut() {
				"$TOOL" run --target "$file" --db "$DB" --ramp-time 50ms \
					--runtime 500ms --iodepth 1,2,4 --anchors always
			}
			cut >"$SCRATCH/out" 2>&1 3>&- &
			pid=$!
			wait_until 20 one_runs "$where"
			kill "-$signal" "$(pgrep -P "$pid" -x lunsweep)"
			wait "$pid" || true
			[ "$(db "SELECT count(*) FROM point WHERE is_anchor AND status = 'ok'")" -eq 0 ]
			before=$(db "SELECT id, start_ns FROM point WHERE status = 'ok'")
			cut >"$SCRATCH/out" 2>&1
			grep -F "going on with run 1" "$SCRATCH/out"
			[ "$(db "SELECT count(*) FROM run")" -eq 1 ]
			[ "$(db "SELECT state FROM run")" = finished ]
			none "SELECT * FROM point WHERE status <> 'ok'"
			[ "$(db "SELECT count(*) FROM point WHERE is_anchor")" -ge 1 ]
			for row in $before; do
				[ "$(db "SELECT id, start_ns FROM point WHERE id = ${row%|*}")" = "$row" ]
			done
		done
	done
}

one_runs() {
	[ "$(db "SELECT count(*) FROM point WHERE status = 'running' AND $1" 2>/dev/null)" = 1 ]
}

@test "plan counts anchors of writing curves, and says what reading ones may add" {
	"$TOOL" plan --target-size 1G --rw randread --iodepth 1,2,4 --runtime 10s --format json >"$SCRATCH/r"
	"$TOOL" plan --target-size 1G --rw randwrite --iodepth 1,2,4 --runtime 10s --format json >"$SCRATCH/w"
	[ "$(jq -c '.totals | [.points, .anchored_curves, .perhaps_anchored_curves, .time_min_s,
		.time_max_s, .time_perhaps_s]' "$SCRATCH/r")" = "[3,0,1,45.3,45.3,30.2]" ]
	[ "$(jq -c '.totals | [.points, .anchored_curves, .perhaps_anchored_curves, .time_min_s,
		.time_max_s, .time_perhaps_s]' "$SCRATCH/w")" = "[3,1,0,60.4,75.5,0]" ]
	run -0 "$TOOL" plan --target-size 1G --rw randread,randwrite --iodepth 1,2,4 --runtime 10s
	[[ $output == *"first and peak depth again at the end of 1 curve, in the time above"* ]]
	[[ $output == *"1 curve may have them if IOPS fall behind the peak: up to "*" more"* ]]
	run -0 "$TOOL" plan --target-size 1G --rw randwrite --iodepth 1,2,4 --runtime 10s --anchors never
	[[ $output != *anchors* ]]
	run -2 "$TOOL" plan --target-size 1G --anchors sometimes
	[[ $output == *"'sometimes' is no anchors; it is one of auto, always, never"* ]]
}

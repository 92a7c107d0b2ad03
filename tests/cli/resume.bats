#!/usr/bin/env bats
# side by side
#
# A run that was cut short goes on by the same command, and measures nothing twice.

load ../lib/common
load ../lib/loop
load ../lib/run

setup() {
	scratch_up
	db_up
	random_file "$SCRATCH/file" 8M
}

# The run under test: four points.
sweep() {
	measure --target "$SCRATCH/file" --iodepth 1..4+1 --runtime 500ms "$@"
}

running_point_is() {
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'running' AND seq = $1" 2>/dev/null)" = 1 ]
}

# cut_short SIGNAL: sweep, and end it so while its third point runs.
cut_short() {
	sweep >"$SCRATCH/out" 2>&1 3>&- &
	local pid=$!
	wait_until 20 running_point_is 3
	kill "-$1" "$(pgrep -P "$pid" -x lunsweep)"
	wait "$pid" || true
}

# What identifies a stored measurement.
measured() {
	stored "SELECT id, seq, start_ns, seed, iops FROM point WHERE seq <= 2 ORDER BY seq"
}

# goes_on: the same command again finishes run 1, and leaves what was measured alone.
goes_on() {
	local before seed

	before=$(measured)
	seed=$(stored "SELECT seed FROM run")
	run -0 sweep "$@"
	[[ $output == *"going on with run 1"* ]]
	[[ $output == *"[2/2] "* ]]
	[[ $output != *"[3/"* ]]
	[ "$(measured)" = "$before" ]
	[ "$(stored "SELECT count(*), min(seed) FROM run")" = "1|$seed" ]
	[ "$(stored "SELECT state FROM run")" = finished ]
	[ "$(statuses)" = "ok ok ok ok" ]
}

@test "after SIGINT the same command goes on, and finished points are not measured again" {
	cut_short INT
	[ "$(statuses)" = "ok ok interrupted planned" ]
	goes_on
}

@test "after kill -9 the same command goes on, and finished points are not measured again" {
	cut_short KILL
	[ "$(statuses)" = "ok ok running planned" ]
	[ "$(stored "PRAGMA integrity_check")" = ok ]
	goes_on
}

@test "a finished run is not gone on with: the same command begins another one" {
	sweep
	sweep
	[ "$(stored "SELECT group_concat(state, ' ') FROM run")" = "finished finished" ]
	run -2 --separate-stderr sweep --resume 1
	[[ $stderr == *"run 1 is finished already"* ]]
}

@test "--new begins afresh, whatever is unfinished" {
	cut_short INT
	sweep --new
	[ "$(stored "SELECT group_concat(state, ' ') FROM run")" = "interrupted finished" ]
}

@test "a run that another version began needs --resume, or --new" {
	cut_short INT
	stored "UPDATE run SET git_id = 'another'"
	run -2 --separate-stderr sweep
	[[ $stderr == *"was begun by lunsweep "*"(another)"*"--resume 1"*"--new"* ]]
	[ "$(statuses)" = "ok ok interrupted planned" ]
	goes_on --resume 1
}

@test "another sweep, another target and another seed do not go on with it" {
	cut_short INT
	random_file "$SCRATCH/other" 8M
	measure --target "$SCRATCH/other" --iodepth 1..4+1 --runtime 500ms
	sweep --bs 8k
	sweep --seed 5
	[ "$(stored "SELECT group_concat(state, ' ') FROM run")" = "interrupted finished finished finished" ]
	run -2 --separate-stderr sweep --bs 8k --resume 1
	[[ $stderr == *"run 1 is of another sweep or another target"* ]]
	run ! --separate-stderr sweep --resume 77
	[[ $stderr == *77* ]]
}

@test "the same sweep under other names and by another path goes on: the content counts" {
	cut_short INT
	ln -s file "$SCRATCH/link"
	cd "$SCRATCH"
	cat >sweep.yaml <<-'YAML'
		# The same points in other words.
		name: another name
		axes:
		  iodepth: [4, 3, 2, 1]
		measure: {runtime: 500ms, ramp_time: 50ms}
		anchors: never
	YAML
	run -0 "$TOOL" run sweep.yaml --target link
	[[ $output == *"going on with run 1"* ]]
	[ "$(statuses)" = "ok ok ok ok" ]
}

@test "a point that failed is not tried again by going on" {
	cut_short INT
	stored "UPDATE point SET status = 'failed', reason = 'a test says so' WHERE seq = 2"
	run -3 sweep
	[ "$(statuses)" = "ok failed ok ok" ]
}

@test "an overwriting run asks for its consent again before it goes on" {
	local writes=(--target "$SCRATCH/file" --rw randwrite --iodepth 1..3+1 --order listed --runtime 500ms
		--anchors never)
	measure "${writes[@]}" --write-to "$SCRATCH/file" >"$SCRATCH/out" 2>&1 3>&- &
	pid=$!
	wait_until 20 running_point_is 2
	kill -INT "$(pgrep -P "$pid" -x lunsweep)"
	wait "$pid" || true
	before=$(sha256sum <"$SCRATCH/file")
	run -2 measure "${writes[@]}"
	[ "$(sha256sum <"$SCRATCH/file")" = "$before" ]
	measure "${writes[@]}" --write-to "$SCRATCH/file"
	[ "$(statuses)" = "ok ok ok" ]
}

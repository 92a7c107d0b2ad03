#!/usr/bin/env bats
# The end by a signal: within 3 s, with everything finished saved, also where I/O does not come back.

load ../lib/common
load ../lib/loop
load ../lib/array
load ../lib/run

setup() {
	scratch_up
	db_up
}

# start_run OPTION...: a run in the background; RUN_PID, its words in $SCRATCH/err.
start_run() {
	measure "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	RUN_PID=$!
	defer stop_pid "$RUN_PID"
}

# The tool itself: measure is a function, so the background process is a shell above it.
tool_pid() {
	pgrep -P "$RUN_PID" -x lunsweep
}

point_is_running() {
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'running' AND seq = $1" 2>/dev/null)" = 1 ]
}

# ended_by NAME NUMBER [SECOND]: start six points, send it in the third; all that must hold then.
ended_by() {
	local status=0 began_ms pid

	start_run --target "$LOOP" --iodepth 1..6+1 --order listed --runtime 1500ms
	wait_until 20 point_is_running 3
	began_ms=$(date +%s%3N)
	pid=$(tool_pid)
	kill "-$1" "$pid"
	[ -z "${3:-}" ] || kill "-$3" "$pid"
	wait "$RUN_PID" || status=$?
	[ $(($(date +%s%3N) - began_ms)) -lt 3000 ]
	[ "$status" -eq $((128 + $2)) ]
	[ "$(statuses)" = "ok ok interrupted planned planned planned" ]
	[ "$(stored "SELECT state FROM run")" = interrupted ]
	[ "$(tr -s ' ' <"/sys/block/${LOOP#/dev/}/inflight")" = " 0 0" ]
	[[ $(tail -n 1 "$SCRATCH/err") == "lunsweep: ended by signal $2; 2 of 6 points are stored; the same command goes on with the rest" ]]
	# What was measured is reported, and what was cut short is in no curve.
	run -0 "$TOOL" report --format csv 1
	[ "$(grep -c ',total,ok,' <<<"$output")" -eq 2 ]
	[ "$(grep -c ',total,interrupted,' <<<"$output")" -eq 1 ]
	rm "$LUNSWEEP_DB"
}

@test "O-36: SIGINT, SIGTERM and SIGHUP end the run within 3 s, with the finished points saved" {
	loop_up 16M
	ended_by INT 2
	ended_by TERM 15
	ended_by HUP 1
}

@test "O-36: a second signal at once loses nothing either" {
	loop_up 16M
	ended_by INT 2 INT
	ended_by TERM 15 INT
}

@test "a signal under nohup: SIGHUP is ignored, as it was when the run began" {
	loop_up 16M
	(
		trap '' HUP
		exec "$TOOL" run --ramp-time 50ms --runtime 1s --target "$LOOP" >"$SCRATCH/out" 2>&1 3>&-
	) &
	pid=$!
	wait_until 10 point_is_running 1
	kill -HUP "$pid"
	wait "$pid"
	[ "$(statuses)" = ok ]
}

# While point 2 of 3 runs: HANG, a signal, then UNHANG. What is to be saved and said is so within
# 3 s; the process ends with the I/Os.
hang_ended() {
	local hang=$1 unhang=$2 began_ms status=0 pid

	shift 2
	start_run --iodepth 4,8,16 --order listed --runtime 1s "$@"
	# Undone before the process is waited for; the array does so by itself.
	defer sh -c "$unhang 2>/dev/null || true"
	wait_until 20 point_is_running 2
	$hang
	sleep 0.3
	pid=$(tool_pid)
	began_ms=$(date +%s%3N)
	kill -INT "$pid"
	wait_until 5 grep -q "ended by signal 2" "$SCRATCH/err"
	[ $(($(date +%s%3N) - began_ms)) -lt 3000 ]
	[ "$(statuses)" = "ok interrupted planned" ]
	kill -0 "$pid"
	$unhang
	wait "$RUN_PID" || status=$?
	[ "$status" -eq 130 ]
}

hanging_array() {
	array_up model=queue servers=4 svc=1 size=64M data=pattern
}

@test "a signal while the target hangs saves everything within 3 s: reads" {
	hanging_array
	hang_ended "array_ctl hang" "array_ctl unhang" --target "$ARRAY"
}

@test "a signal while the target hangs saves everything within 3 s: writes of several workers" {
	hanging_array
	hang_ended "array_ctl hang" "array_ctl unhang" --target "$ARRAY" --rw randwrite --workers 2 \
		--write-to "$ARRAY"
}

@test "a signal while a worker is stuck inside the submit call saves everything within 3 s" {
	need mkfs.ext4 fsfreeze
	loop_up --sparse 64M
	mkfs.ext4 -q "$LOOP"
	mnt=$SCRATCH/mnt
	mkdir "$mnt"
	mount "$LOOP" "$mnt"
	defer umount "$mnt"
	random_file "$mnt/file" 8M
	hang_ended "fsfreeze -f $mnt" "fsfreeze -u $mnt" --target "$mnt/file" --rw randwrite --write-to "$mnt/file"
}

@test "kill -9 while the target hangs: the process ends with the I/Os, and the store is whole" {
	hanging_array
	start_run --target "$ARRAY" --iodepth 4,8 --order listed --runtime 1s
	wait_until 20 point_is_running 2
	array_ctl hang
	sleep 0.3
	kill -KILL "$(tool_pid)"
	[ "$(statuses)" = "ok running" ]
	[ "$(stored "PRAGMA integrity_check")" = ok ]
	array_ctl unhang
	wait_until 5 is_gone "$RUN_PID"
}

@test "a target that hangs without a signal: the point fails after the drain timeout, the rest is told" {
	hanging_array
	start_run --target "$ARRAY" --iodepth 4,8,16 --order listed --runtime 1s --drain-timeout 1s --retry-limit 0s
	wait_until 20 point_is_running 2
	array_ctl hang
	wait_until 10 grep -q "I/Os did not come back" "$SCRATCH/err"
	[[ $(stored "SELECT status || ': ' || reason FROM point WHERE seq = 2") == "failed: hung"* ]]
	array_ctl unhang
	status=0
	wait "$RUN_PID" || status=$?
	[ "$status" -eq 3 ]
	[ "$(statuses)" = "ok failed planned" ]
}

@test "a signal while a scratch file is made removes it" {
	"$TOOL" prepare --target "$SCRATCH/file" --make-file 4G 2>"$SCRATCH/err" 3>&- &
	pid=$!
	wait_until 5 test -s "$SCRATCH/file"
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	[ ! -e "$SCRATCH/file" ]
	[[ $(cat "$SCRATCH/err") == *"was interrupted; it is removed" ]]
}

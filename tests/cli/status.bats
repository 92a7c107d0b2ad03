#!/usr/bin/env bats
# side by side
#
# How far a run is, from another process: while it goes on, when it was killed, and when it is done.
# shellcheck disable=SC2154 # bats sets stderr

load ../lib/common
load ../lib/loop
load ../lib/run

setup() {
	scratch_up
	db_up
	random_file "$SCRATCH/file" 8M
}

# begin SECONDS DEPTHS OPTION...: a run in the background, with points of so long; RUN is its process.
begin() {
	local runtime=$1 depths=$2

	shift 2
	"$TOOL" run --target "$SCRATCH/file" --iodepth "$depths" --order listed --anchors never --ramp-time 100ms \
		--runtime "$runtime" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	RUN=$!
	defer stop_pid "$RUN"
}

# at SEQ: whether the point of this number is in hand.
at() {
	[ "$("$TOOL" status --format json 2>/dev/null | jq -r '.current.seq // empty')" = "$1" ]
}

# has_figures SEQ: whether the point in hand is this one, in its window, with the figures of a second; they are in the file json.
has_figures() {
	"$TOOL" status --format json >"$SCRATCH/json" 2>/dev/null &&
		jq -e ".current.seq == $1 and .current.in_window and .current.iops > 0" "$SCRATCH/json" >/dev/null
}

@test "a run that goes on: what is done and left, the point in hand with its figures, and when it will end" {
	begin 2s 1,2,4
	wait_until 20 has_figures 2
	jq -e --argjson pid "$RUN" '.state == "running" and .pid == $pid and .points.total == 3
		and .points.done == 1 and .points.left == 2 and .current.seq == 2
		and .current.in_window and .current.iops > 0 and .current.lat_mean_ms > 0
		and .left_basis == "mean" and .left_s > 0 and .left_s < 5 and .done_pct > 33
		and (.last | length) == 1 and .last[0].iops > 0' "$SCRATCH/json"
	COLUMNS=200 run -0 "$TOOL" status 1
	[[ $output == *"running, process $RUN"*"1 of 3 done"*"point 2, randread 4k iodepth 2"*" IOPS, "*"Measured last"* ]]
	# To look is no reason to refuse another run, or to take this one for one.
	run -1 --separate-stderr measure --target "$SCRATCH/file" --db "$SCRATCH/other.db"
	[[ $stderr == *"another lunsweep, process $RUN"* ]]
	wait "$RUN"
	[ "$("$TOOL" status --format json | jq -r '.state, .points.left, .current' | paste -sd ' ')" = "finished 0 null" ]
}

@test "looking all the time neither locks the database nor spoils a point" {
	local nr=0

	begin 300ms 1..6+1
	while ! is_gone "$RUN"; do
		LUNSWEEP_BUSY_TIMEOUT=5s "$TOOL" status >/dev/null 2>"$SCRATCH/look" || {
			# Before the run is stored there is nothing to tell.
			cat "$SCRATCH/look"
			grep -qE 'there is no database|nothing was stored|holds no run' "$SCRATCH/look"
		}
		nr=$((nr + 1))
	done
	wait "$RUN"
	[ "$nr" -ge 3 ]
	[ "$(statuses)" = "ok ok ok ok ok ok" ]
	# The lock is there for the next run as well.
	measure --target "$SCRATCH/file" --new >/dev/null 2>&1
}

@test "a run that was killed is not called running, whoever measures its target later" {
	begin 10s 1,2
	wait_until 20 at 1
	kill -KILL "$RUN"
	wait_until 5 is_gone "$RUN"
	[ "$(stored "SELECT state FROM run")" = running ]
	run -0 "$TOOL" status
	[[ $output == *"its process is gone; the same command goes on with it"*"0 of 2 done"*"the rest would take"* ]]
	[[ $output != *"point 1,"* ]]
	run -0 timeout 5 "$TOOL" status --follow
	[[ $output == *"its process is gone"* ]]
	# A new run on the target has the lock now, and is not the old one.
	begin 10s 8 --new
	wait_until 20 at 1
	[ "$("$TOOL" status 1 --format json | jq -r .state)" = gone ]
	[ "$("$TOOL" status 2 --format json | jq -r .state)" = running ]
	kill -TERM "$RUN"
	wait "$RUN" || true
	[ "$("$TOOL" status --format json | jq -r .state)" = interrupted ]
}

@test "who may not ask the process is not told that it is at this run" {
	need_root
	need setpriv
	local as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

	"${as_nobody[@]}" test -x "$TOOL" || skip "another user cannot reach $TOOL"
	measure --target "$SCRATCH/file" >/dev/null 2>&1
	stored "UPDATE run SET state = 'running'"
	chown -R 65534:65534 "$SCRATCH"
	LUNSWEEP_DB=$SCRATCH/other.db begin 10s 1
	wait_until 10 env LUNSWEEP_DB="$SCRATCH/other.db" bash -c "'$TOOL' status --format json | jq -e '.current.seq == 1'"
	[ "$("$TOOL" status --format json | jq -r .state)" = gone ]
	run -0 "${as_nobody[@]}" "$TOOL" status --format json
	jq -e --argjson pid "$RUN" '.state == "unknown" and .pid == $pid' <<<"$output"
	COLUMNS=200 run -0 "${as_nobody[@]}" "$TOOL" status
	[[ $output == *"whether it is cannot be told: process $RUN measures its target"* ]]
}

@test "a run that ends while it is looked at is not called gone" {
	need strace
	measure --target "$SCRATCH/file" >/dev/null 2>&1
	stored "UPDATE run SET state = 'running'"
	# As if it ended between the look at the database and the one at the lock.
	strace -f -qq -o "$SCRATCH/trace" -e trace=flock -e inject=flock:delay_enter=1000000 \
		"$TOOL" status --format json >"$SCRATCH/json" 3>&- &
	defer stop_pid $!
	sleep 0.5
	stored "UPDATE run SET state = 'finished'"
	wait "$!"
	grep -q flock "$SCRATCH/trace"
	[ "$(jq -r .state "$SCRATCH/json")" = finished ]
}

@test "--follow: a line for each point in a log, and a picture that is redrawn on a terminal" {
	begin 1s 1,2,4
	wait_until 20 at 1
	"$TOOL" status --follow >"$SCRATCH/log" 3>&- &
	defer stop_pid $!
	if command -v script >/dev/null; then
		# One of five rows, which is resized meanwhile.
		TERM=xterm script -qec "stty cols 80 rows 5; '$TOOL' status --follow & sleep 1.3; stty cols 60; wait" \
			"$SCRATCH/typescript" </dev/null >/dev/null 3>&-
		grep -q $'\r\033\\[[34]A\033\\[J' "$SCRATCH/typescript"
		run ! grep -qE $'\033\\[([05-9]|[1-9][0-9]+)A' "$SCRATCH/typescript"
		[ "$(grep -c $'\033\\[H\033\\[J' "$SCRATCH/typescript")" -eq 1 ]
		grep -q 'finished' "$SCRATCH/typescript"
	fi
	wait "$!"
	run ! grep -q $'[\r\033]' "$SCRATCH/log"
	[ "$(grep -c '^\[[1-3]/3\] randread 4k iodepth [124] .* IOPS, .* ms' "$SCRATCH/log")" -eq 3 ]
	[ "$(head -1 "$SCRATCH/log")" = "run 1: running, process $RUN. Points: 0 of 3 done; 3 left." ]
	[ "$(tail -1 "$SCRATCH/log")" = "run 1: finished. Points: 3 of 3 done: 3 ok; 0 left." ]
}

# says TEXT: whether the log has it.
says() {
	grep -qF "$1" "$SCRATCH/log"
}

@test "--follow tells each of many points that end at once, also when the clock was set back" {
	measure --target "$SCRATCH/file" --iodepth 1..7+1 --order listed --runtime 100ms --ramp-time 0 >/dev/null 2>&1
	# A run of another host, of which the database is all that there is to look at.
	stored "UPDATE run SET state = 'running'; UPDATE run_fact SET value = 'elsewhere' WHERE name = 'host.name';
		UPDATE point SET status = 'planned' WHERE seq > 1"
	"$TOOL" status --follow >"$SCRATCH/log" 3>&- &
	defer stop_pid $!
	wait_until 5 says "1 of 7 done"
	stored "UPDATE point SET status = 'ok', start_ns = start_ns - 3600000000000,
		end_ns = end_ns - 3600000000000 WHERE seq > 1; UPDATE run SET state = 'finished'"
	wait "$!"
	for depth in {2..7}; do
		says "[$depth/7] randread 4k iodepth $depth"
	done
	[ "$(wc -l <"$SCRATCH/log")" -eq 8 ]
}

@test "a terminal that takes no output does not hold a measurement" {
	need python3
	python3 - "$TOOL" "$SCRATCH/file" <<-'END'
	import os, pty, sqlite3, subprocess, sys, termios, time
	master, slave = pty.openpty()
	env = dict(os.environ, TERM="xterm")
	run = subprocess.Popen([sys.argv[1], "run", "--target", sys.argv[2], "--iodepth", "1", "--ramp-time", "0",
	                        "--runtime", "2s", "--anchors", "never"],
	                       stdout=subprocess.DEVNULL, stderr=slave, env=env)
	time.sleep(0.8)
	termios.tcflow(slave, termios.TCOOFF)
	begin = time.time()
	def status():
	    db = sqlite3.connect(os.environ["LUNSWEEP_DB"])
	    return db.execute("SELECT status, (SELECT ns FROM (SELECT window_ns AS ns FROM point)) FROM point").fetchone()
	while status()[0] != "ok" and time.time() < begin + 8:
	    time.sleep(0.1)
	found = status()
	termios.tcflow(slave, termios.TCOON)
	assert run.wait(10) == 0
	assert found[0] == "ok", found
	assert 1.99e9 < found[1] < 2.01e9, found
	END
}

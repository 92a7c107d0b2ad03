#!/usr/bin/env bats
# side by side
#
# A fault in one point does not end the run: what is stored of it, what is said, what comes after (on_error,
# retry_wait, retry_limit), and the exit status; each on a real target that fails.

load ../lib/common
load ../lib/loop
load ../lib/array
load ../lib/measure

setup() {
	need jq sqlite3
	scratch_up
	export DB=$SCRATCH/db
}

# sweep_begun TARGET OPTION...: in the background; SWEEP_PID, stderr in $SCRATCH/err.
sweep_begun() {
	"$TOOL" run --db "$DB" --target "$1" --ramp-time 0s --runtime 500ms --order listed --anchors never \
		--drain-timeout 1s "${@:2}" >"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	SWEEP_PID=$!
	defer stop_pid "$SWEEP_PID"
}

# Its status in STATUS, once it has ended.
sweep_ended() {
	STATUS=0
	wait "$SWEEP_PID" || STATUS=$?
	cat "$SCRATCH/err" >&2
}

sweep() {
	sweep_begun "$@"
	sweep_ended
}

of_points() {
	db "SELECT group_concat($1, ' ') FROM (SELECT * FROM point ORDER BY seq)"
}

is_running() {
	[ "$(db "SELECT count(*) FROM point WHERE seq = $1 AND status = 'running'" 2>/dev/null)" = 1 ]
}

said() {
	grep -qF -- "$1" "$SCRATCH/err"
}

# survived FAULTS FINISHED: so many points have their final status, and those that are ok have figures.
survived() {
	local found

	found=$(db "SELECT count(*) FROM point p WHERE status = 'failed' AND reason <> ''
		OR status = 'ok' AND (SELECT iops FROM v_point v WHERE v.point_id = p.id AND v.dir = 'total') > 0")
	ledger faults "$1"
	ledger points_checked "$2"
	ledger points_lost $(($2 - found))
	[ "$found" -eq "$2" ]
}

array_of_64m() {
	array_up model=queue servers=4 svc=0.5 size=64M data=pattern
}

@test "O-38: errors at one sector fail only the points that meet it: 3 of 72 is status 3" {
	array_of_64m
	# Blocks of the first MiB do not meet it, those of the second do.
	array_ctl eio_at $((1 << 20)) 4k
	cat >"$SCRATCH/s.yaml" <<-'YAML'
		axes:
		  - {rw: read, bs: 4k, iodepth: "1..69", span: 1m}
		  - {rw: read, bs: 1m, iodepth: "1..3", span: 2m}
		measure: {runtime: 60ms, ramp_time: 0s}
		order: listed
		anchors: never
	YAML
	STATUS=0
	"$TOOL" run "$SCRATCH/s.yaml" --db "$DB" --target "$ARRAY" >/dev/null 2>"$SCRATCH/err" 3>&- || STATUS=$?
	tail -n 5 "$SCRATCH/err" >&2
	[ "$STATUS" -eq 3 ]
	said "3 of 72 points failed, were skipped or are spoiled"
	[ "$(db "SELECT group_concat(bs_bytes || ' ' || error_errno || ' ' || error_offset_bytes) FROM point
		WHERE status = 'failed'")" = "1048576 5 1048576,1048576 5 1048576,1048576 5 1048576" ]
	survived 1 72
}

@test "on_error stop: the first failed point ends the run with status 3, and the same command goes on" {
	array_of_64m
	array_ctl eio_read 1
	sweep "$ARRAY" --iodepth 1,2,4 --on-error stop
	[ "$STATUS" -eq 3 ]
	said "the run ends at its first failed point, as on_error stop asks"
	said "2 of 3 points were not measured; the same command goes on with them"
	[ "$(of_points status)" = "failed planned planned" ]
	array_ctl eio_read 0
	# Another rule is the same run.
	sweep "$ARRAY" --iodepth 1,2,4 --on-error continue
	[ "$STATUS" -eq 3 ]
	said "going on with run 1"
	[ "$(of_points status)" = "failed ok ok" ]
	survived 1 3
}

@test "on_error retry: a point that failed is measured again, and show says how often and why" {
	array_of_64m
	array_ctl eio_read 1
	sweep_begun "$ARRAY" --iodepth 1,2 --on-error retry --retries 3 --retry-wait 500ms --retry-limit 20s
	wait_until 10 said "measured again in"
	array_ctl eio_read 0
	sweep_ended
	[ "$STATUS" -eq 0 ]
	[ "$(of_points status)" = "ok ok" ]
	"$TOOL" show --db "$DB" 1 1 >"$SCRATCH/shown"
	grep -E "here: [2-4] attempts; the first failed: Input/output error at offset [0-9]+" "$SCRATCH/shown"
	survived 1 2
}

@test "a target that does not answer is waited for, and the run goes on when it does" {
	array_of_64m
	sweep_begun "$ARRAY" --iodepth 1,2,4 --retry-wait 200ms --retry-limit 60s
	wait_until 10 is_running 2
	array_ctl eio_read 1
	wait_until 10 said "does not answer (cannot read"
	said "waiting for it until 2"
	array_ctl eio_read 0
	sweep_ended
	[ "$STATUS" -eq 3 ]
	said "answers again after"
	[ "$(of_points status)" = "ok failed ok" ]
	said "1 of 3 points failed, were skipped or are spoiled"
	survived 1 3
}

@test "a target that hangs is waited for, and measured further when it answers" {
	array_of_64m
	sweep_begun "$ARRAY" --iodepth 1,2,4 --retry-wait 200ms --retry-limit 60s
	wait_until 10 is_running 2
	array_ctl hang
	wait_until 10 said "does not answer (a read of one block does not come back)"
	array_ctl unhang
	sweep_ended
	[ "$STATUS" -eq 3 ]
	[ "$(of_points status)" = "ok failed ok" ]
	survived 1 3
}

@test "a signal ends the wait for a target at once, and all is saved" {
	array_of_64m
	sweep_begun "$ARRAY" --iodepth 1,2,4 --retry-limit 60s
	wait_until 10 is_running 2
	array_ctl eio_read 1
	wait_until 10 said "does not answer"
	begin_ms=$(date +%s%3N)
	kill -TERM "$SWEEP_PID"
	sweep_ended
	[ $(($(date +%s%3N) - begin_ms)) -lt 3000 ]
	[ "$STATUS" -eq 143 ]
	[ "$(of_points status)" = "ok failed planned" ]
	survived 1 2
}

@test "a limit that passes leaves the rest undone, status 3" {
	array_of_64m
	array_ctl eio_read 1
	sweep "$ARRAY" --iodepth 1,2,4 --retry-wait 200ms --retry-limit 1s
	[ "$STATUS" -eq 3 ]
	said "did not answer within 1 s"
	[ "$(of_points status)" = "failed planned planned" ]
	[ "$(db "SELECT state FROM run")" = interrupted ]
	survived 1 1
}

@test "a device that became smaller is never gone on with" {
	loop_up 16M
	sweep_begun "$LOOP" --iodepth 1,2,4
	wait_until 10 is_running 2
	# Both at once for it: between the two the device has its size and reads fail.
	kill -STOP "$SWEEP_PID"
	truncate -s 4M "$LOOP_IMAGE"
	losetup -c "$LOOP"
	kill -CONT "$SWEEP_PID"
	sweep_ended
	[ "$STATUS" -eq 3 ]
	said "is no longer what it was"
	[ "$(of_points status)" = "ok failed planned" ]
	survived 1 2
}

@test "a loop whose backing file was cut short fails the points that meet the end, and goes on" {
	loop_up 16M
	sweep_begun "$LOOP" --rw read --bs 64k --span 1m,16m --repeats 2
	wait_until 10 is_running 1
	truncate -s 8M "$LOOP_IMAGE"
	sweep_ended
	[ "$STATUS" -eq 3 ]
	[ "$(db "SELECT count(*) FROM point WHERE status = 'ok' AND span_bytes = 1048576")" = 2 ]
	[ "$(db "SELECT count(*) FROM point WHERE error_errno = 5 AND error_offset_bytes >= 8388608")" = 2 ]
	survived 1 4
}

@test "a device that turns read-only in mid run fails writes with EPERM, point by point" {
	loop_up 16M
	sweep_begun "$LOOP" --rw randwrite --iodepth 1,2,4 --yes --write-to "$(identity_of "$LOOP")"
	wait_until 10 is_running 2
	blockdev --setro "$LOOP"
	sweep_ended
	blockdev --setrw "$LOOP"
	[ "$STATUS" -eq 3 ]
	[ "$(of_points status)" = "ok failed failed" ]
	[ "$(db "SELECT error_errno FROM point WHERE seq = 2")" = 1 ]
	survived 1 3
}

@test "what comes back under the name as another target is never gone on with" {
	array_of_64m
	sweep_begun "$ARRAY" --iodepth 1,2,4 --retry-wait 200ms --retry-limit 20s
	wait_until 10 is_running 2
	array_ctl die 2>/dev/null || true
	wait_until 10 said "does not answer"
	umount -l "$ARRAY_DIR"
	"$TESTBED/array" "$ARRAY_DIR" realtime=1 early_us=400 model=queue servers=4 svc=0.5 size=32M data=zero \
		>/dev/null 2>&1 3>&- &
	defer array_down "$ARRAY_DIR" $!
	sweep_ended
	[ "$STATUS" -eq 3 ]
	said "is no longer what it was"
	[ "$(of_points status)" = "ok failed planned" ]
	survived 1 2
}

@test "writes of several workers that hang, some inside the submit call, are waited for" {
	array_of_64m
	loop_attach "$ARRAY"
	sweep_begun "$LOOP" --rw randwrite --iodepth 300 --workers 2,4 --yes --write-to "$(identity_of "$LOOP")" --retry-wait 200ms
	wait_until 10 is_running 1
	array_ctl hang
	wait_until 20 said "does not answer"
	array_ctl unhang
	sweep_ended
	[ "$STATUS" -eq 3 ]
	[ "$(of_points status)" = "failed ok" ]
	survived 1 2
}

@test "on_error retry: after its last attempt the point has failed, and the next one follows" {
	array_of_64m
	array_ctl eio_at $((1 << 20)) 63m
	sweep "$ARRAY" --rw read --bs 1m --span 2m,1m --on-error retry --retries 2 --retry-wait 100ms
	[ "$STATUS" -eq 3 ]
	[ "$(db "SELECT group_concat(span_bytes || ' ' || status) FROM (SELECT * FROM point ORDER BY span_bytes)")" = \
		"1048576 ok,2097152 failed" ]
	[ "$(db "SELECT detail LIKE '3 attempts; the first failed: Input/output error at offset %' FROM point_flag WHERE flag = 'retried'")" = 1 ]
	survived 3 2
}

@test "a budget ends the wait for a target" {
	array_of_64m
	array_ctl eio_read 1
	began=$SECONDS
	sweep "$ARRAY" --iodepth 1,2,4 --budget 6s --retry-limit 10m
	[ "$STATUS" -eq 3 ]
	[ $((SECONDS - began)) -lt 12 ]
	said "did not answer within"
	survived 1 1
}

@test "no retry is waited for beyond the budget" {
	array_of_64m
	array_ctl eio_read 1
	began=$SECONDS
	sweep "$ARRAY" --iodepth 1,2,4 --budget 6s --on-error retry --retry-wait 60s --retry-limit 1s
	[ "$STATUS" -eq 3 ]
	[ $((SECONDS - began)) -lt 12 ]
	survived 1 1
}

@test "EAGAIN and ENOMEM of io_setup pass with retry, and fail one point without" {
	need strace
	random_file "$SCRATCH/file" 8M
	for error in EAGAIN ENOMEM; do
		for rule in retry continue; do
			rm -f "$DB"
			STATUS=0
			strace -f -qq -e trace=io_setup -e inject=io_setup:error=$error:when=1..2 -o /dev/null \
				"$TOOL" run --db "$DB" --target "$SCRATCH/file" --iodepth 4,8 --order listed --runtime 100ms \
				--ramp-time 10ms --anchors never --on-error $rule --retry-wait 100ms 2>"$SCRATCH/err" 3>&- || STATUS=$?
			if [ $rule = retry ]; then
				[ "$STATUS" -eq 0 ]
				[ "$(of_points status)" = "ok ok" ]
			else
				[ "$STATUS" -eq 3 ]
				[ "$(of_points status)" = "failed ok" ]
			fi
			survived 1 2
		done
	done
}

@test "find goes on with its search when the target answers again" {
	array_of_64m
	array_ctl eio_read 1
	"$TOOL" find --db "$DB" --target "$ARRAY" --cap mean:2ms --ramp-time 50ms --runtime 300ms --on-error retry \
		--retry-wait 200ms >"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	SWEEP_PID=$!
	defer stop_pid "$SWEEP_PID"
	wait_until 10 said "does not answer"
	array_ctl eio_read 0
	sweep_ended
	[ "$STATUS" -eq 0 ]
	grep -qF "Maximum under mean latency 2 ms: " "$SCRATCH/out"
	survived 1 "$(db "SELECT count(*) FROM point")"
}

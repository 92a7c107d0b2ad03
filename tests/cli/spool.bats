#!/usr/bin/env bats
# side by side
#
# A database that takes nothing for a while, or never again: what was measured is not lost, the
# user is told, and no window is disturbed.

load ../lib/common
load ../lib/loop
load ../lib/run

setup() {
	scratch_up
	db_up
	random_file "$SCRATCH/file" 8M
	export XDG_STATE_HOME=$SCRATCH/state LUNSWEEP_BUSY_TIMEOUT=300ms
	mkdir "$XDG_STATE_HOME"
}

is_locked() {
	! sqlite3 "$LUNSWEEP_DB" "BEGIN IMMEDIATE; ROLLBACK" 2>/dev/null
}

# db_lock: another process has the database for itself, until db_unlock.
db_lock() {
	rm -f "$SCRATCH/fifo"
	mkfifo "$SCRATCH/fifo"
	sqlite3 -batch "$LUNSWEEP_DB" <"$SCRATCH/fifo" >/dev/null 3>&- &
	LOCKER=$!
	defer stop_pid "$LOCKER"
	exec {LOCK}>"$SCRATCH/fifo"
	printf '.timeout 5000\nBEGIN EXCLUSIVE;\n' >&"$LOCK"
	wait_until 5 is_locked
}

db_unlock() {
	echo 'COMMIT;' >&"$LOCK"
	exec {LOCK}>&-
	wait "$LOCKER"
}

# begin [DEPTHS]: a run with one point of RUNTIME a depth, 8 of them, in the background: RUN is its process.
# That is long enough for a busy machine to do something to the database in between.
begin() {
	local depths=${1:-1..8+1}

	# The program itself and no shell around it, so that it is what a signal ends.
	(exec "$TOOL" run --target "$SCRATCH/file" --anchors never --iodepth "$depths" --order listed --ramp-time 10ms \
		--runtime "${RUNTIME:-400ms}" >"$SCRATCH/out" 2>"$SCRATCH/err" 3>&-) &
	RUN=$!
	defer stop_pid "$RUN"
}

# ended STATUS: so did the run.
ended() {
	local status=0

	wait "$RUN" || status=$?
	[ "$status" -eq "$1" ] || {
		echo "status $status, expected $1:" >&2
		cat "$SCRATCH/err" >&2
		return 1
	}
}

stored_ok() {
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'ok'" 2>/dev/null || echo 0)" -ge "$1" ]
}

# spools: their paths, in both places.
spools() {
	find "${LUNSWEEP_DB%/*}" "$XDG_STATE_HOME" -regex '.*\.spool-[0-9]+-[0-9a-f]+' 2>/dev/null || true
}

spooled() {
	local spool

	spool=$(spools)
	[ -n "$spool" ] && [ "$(sqlite3 "$spool" "SELECT count(*) FROM point" 2>/dev/null || echo 0)" -ge "$1" ]
}

# content FILE [CONDITION]: of all points that fit, every column of every table but the numbers of rows.
content() {
	local table where=${2:-1} sql

	sql="SELECT p.seq, p.* FROM point p WHERE $where;"
	for table in point_dir point_flag point_worker point_series point_counter point_cpu; do
		sql+="SELECT p.seq, c.* FROM point p JOIN $table c ON c.point_id = p.id WHERE $where;"
	done
	sqlite3 "$1" '.mode quote' "$sql" | sed 's/^\([0-9]*\),[0-9]*,/\1,/' | sort
}

# told N TEXT: so many lines on stderr have it.
told() {
	[ "$(grep -c -- "$2" "$SCRATCH/err")" -eq "$1" ] || {
		echo "not $1 times '$2':" >&2
		cat "$SCRATCH/err" >&2
		return 1
	}
}

# all_kept N: N points are ok in the database, none is there twice, and no spool is left.
all_kept() {
	local nr

	nr=$(stored "SELECT count(*) FROM point WHERE status = 'ok' AND run_id = 1")
	ledger points_checked "$1"
	ledger points_lost $(($1 - nr))
	[ "$nr" -eq "$1" ]
	[ "$(stored "SELECT count(*) FROM point WHERE run_id = 1")" -eq "$1" ]
	[ "$(stored "PRAGMA integrity_check")" = ok ]
	[ -z "$(spools)" ]
}

# Whoever reads meanwhile: never half a point, never fewer than before.
read_on() {
	local nr last=0 half

	while [ ! -e "$SCRATCH/stop" ]; do
		IFS='|' read -r nr half < <(sqlite3 -cmd '.timeout 10000' "$LUNSWEEP_DB" "
			SELECT (SELECT count(*) FROM point WHERE status = 'ok'), (SELECT count(*) FROM point p WHERE
			status = 'ok' AND 10 > (SELECT count(*) FROM point_series s WHERE s.point_id = p.id))")
		if [ "$nr" -lt "$last" ] || [ "$half" -ne 0 ]; then
			echo "$nr after $last, $half halves" >>"$SCRATCH/wrong"
		fi
		last=$nr
		echo "$nr" >>"$SCRATCH/reads"
	done
}

@test "O-37: a lock that ends in time and a reader all along: every point stored, no window disturbed" {
	export LUNSWEEP_BUSY_TIMEOUT=30s
	RUNTIME=1s begin 1,2,4,8
	wait_until 10 test -s "$LUNSWEEP_DB"
	read_on 3>&- &
	reader=$!
	defer touch "$SCRATCH/stop"
	wait_until 10 stored_ok 1
	db_lock
	sleep 3
	db_unlock
	ended 0
	touch "$SCRATCH/stop"
	wait "$reader"
	ledger faults
	all_kept 4
	told 0 'cannot write'
	[ ! -e "$SCRATCH/wrong" ]
	[ "$(wc -l <"$SCRATCH/reads")" -gt 20 ]
	# The window is as long as asked, and the wait for the lock is in no point at all.
	[ "$(stored "SELECT count(*) FROM point WHERE window_ns BETWEEN 0.99e9 AND 1.05e9
		AND end_ns - start_ns < 2.5e9")" -eq 4 ]
	[ "$(stored "SELECT max(end_ns) - min(start_ns) > 6e9 FROM point")" -eq 1 ]
}

@test "O-37: a lock that lasts longer than it is waited for: points wait in a spool, told once, written later" {
	begin
	wait_until 10 stored_ok 1
	db_lock
	wait_until 10 spooled 2
	[ "$(stat -c '%a %h' "$(spools)")" = '600 1' ]
	db_unlock
	ended 0
	ledger faults
	all_kept 8
	told 1 "cannot write to '$LUNSWEEP_DB': another program has locked it for more than 0.3 s"
	told 1 'kept in the spool'
	told 1 'can be written again, and has the [2-8] finished points of run 1 that waited'
}

# with_spool: run 1 of 8 points ended with some of them in a spool only: SPOOL.
with_spool() {
	begin
	wait_until 10 stored_ok 1
	db_lock
	ended 3
	db_unlock
	SPOOL=$(spools)
	[ -f "$SPOOL" ]
}

@test "points that are in a spool only: status 3, every reader says so, and the same command takes them in" {
	with_spool
	ledger faults
	told 1 "finished points\? of run 1 \(is\|are\) in the spool '$SPOOL' and not in '$LUNSWEEP_DB'"
	for command in list status report "show 1" "list --format json"; do
		# shellcheck disable=SC2086 # a command and its arguments
		run -0 --separate-stderr "$TOOL" $command
		[[ $stderr == *"in the spool '$SPOOL' only"* ]]
		[[ $output != *"$SPOOL"* ]]
	done
	run -0 "$TOOL" report --db "$SPOOL"
	# Another run is none of its business.
	measure --target "$SCRATCH/file" --iodepth 9
	[ -f "$SPOOL" ]
	seqs=$(sqlite3 "$SPOOL" "SELECT group_concat(seq) FROM point")
	content "$SPOOL" >"$SCRATCH/spooled"
	[ "$(wc -l <"$SCRATCH/spooled")" -gt 20 ]
	begin
	ended 0
	told 1 "points\? of run 1 came into the database from a spool"
	all_kept 8
	content "$LUNSWEEP_DB" "run_id = 1 AND seq IN ($seqs)" >"$SCRATCH/taken"
	cmp "$SCRATCH/spooled" "$SCRATCH/taken"
	run --separate-stderr "$TOOL" list
	[ -z "$stderr" ]
}

# refused TEXT: the spool as it is now; it stays, and the database too.
refused() {
	local before after

	before=$(sha256sum <"$SPOOL")
	content "$LUNSWEEP_DB" >"$SCRATCH/before"
	[ -s "$SCRATCH/before" ]
	begin
	ended 1
	told 1 "cannot take in the spool '$SPOOL', which stays as it is: .*$1"
	told 1 'move it away'
	after=$(sha256sum <"$SPOOL")
	[ "$before" = "$after" ]
	content "$LUNSWEEP_DB" | cmp - "$SCRATCH/before"
	ledger bad_inputs
}

@test "a spool that is torn or changed is refused and kept, and a good one taken in" {
	with_spool
	cp "$SPOOL" "$SCRATCH/good"
	truncate -s 50000 "$SPOOL"
	refused ''
	cp "$SCRATCH/good" "$SPOOL"
	sqlite3 "$SPOOL" "UPDATE point SET iops = iops + 1"
	refused "damaged"
	cp "$SCRATCH/good" "$SPOOL"
	begin
	ended 0
	all_kept 8
}

@test "kill -9 while points wait in a spool: none is lost, none is there twice" {
	begin
	wait_until 10 stored_ok 1
	db_lock
	wait_until 10 spooled 2
	kill -KILL "$RUN"
	ended 137
	db_unlock
	nr=$(($(sqlite3 "$(spools)" "SELECT count(*) FROM point") + $(stored "SELECT count(*) FROM point WHERE status = 'ok'")))
	begin
	ended 0
	ledger kills
	told $((8 - nr)) '^\[[0-9]/'
	all_kept 8
}

@test "a signal ends the wait for a lock" {
	export LUNSWEEP_BUSY_TIMEOUT=30s
	begin
	wait_until 10 stored_ok 1
	db_lock
	sleep 1
	SECONDS=0
	kill -TERM "$RUN"
	ended 143
	[ "$SECONDS" -le 4 ]
	db_unlock
	begin
	ended 0
	all_kept 8
}

@test "the disk of the database is full: points go to the state directory, and back when there is room" {
	need_root
	mkdir "$SCRATCH/small"
	mount -t tmpfs -o size=1m,mode=755 tmpfs "$SCRATCH/small"
	defer umount -l "$SCRATCH/small"
	LUNSWEEP_DB=$SCRATCH/small/test.db
	begin
	wait_until 10 stored_ok 1
	dd if=/dev/zero of="$SCRATCH/small/fill" bs=4k 2>/dev/null || true
	wait_until 10 spooled 1
	[[ $(spools) == "$XDG_STATE_HOME/lunsweep/"* ]]
	[ "$(stat -c %a "$XDG_STATE_HOME/lunsweep")" = 700 ]
	rm "$SCRATCH/small/fill"
	ended 0
	ledger faults
	told 1 'the disk is full'
	told 1 'kept in the spool'
	all_kept 8
}

@test "a limit of the length of files: what the database cannot take is in a spool" {
	begin_limited() (
		ulimit -f 260
		begin
		ended 3
	)
	begin_limited
	ledger faults
	told 1 "kept in the spool '"
	begin
	ended 0
	all_kept 8
}

@test "the directory of the database goes away: points are in the state directory, and can be read there" {
	mkdir "$SCRATCH/gone"
	LUNSWEEP_DB=$SCRATCH/gone/test.db
	begin
	wait_until 10 stored_ok 1
	nr=$(stored "SELECT count(*) FROM point WHERE status = 'ok'")
	rm -r "$SCRATCH/gone"
	ended 3
	ledger faults
	told 1 'is not there any more'
	spooled $((7 - nr))
	[[ $(spools) == "$XDG_STATE_HOME/lunsweep/"* ]]
	run -0 "$TOOL" show 1 --db "$(spools)"
	run -1 "$TOOL" list
	[[ $output == *"in the spool '$(spools)' only"* ]]
}

@test "the file system of the database turns read-only: points are in the state directory, and come back" {
	need_root
	need mkfs.ext4 e2fsck
	loop_up 16M
	mkfs.ext4 -q "$LOOP"
	mkdir "$SCRATCH/fs"
	mount -o errors=remount-ro "$LOOP" "$SCRATCH/fs"
	defer umount -l "$SCRATCH/fs"
	[ -e "/sys/fs/ext4/${LOOP#/dev/}/trigger_fs_error" ] || skip "this kernel cannot fail an ext4"
	LUNSWEEP_DB=$SCRATCH/fs/test.db
	begin
	wait_until 10 stored_ok 1
	echo lunsweep >"/sys/fs/ext4/${LOOP#/dev/}/trigger_fs_error"
	ended 3
	ledger faults
	told 1 "kept in the spool '$XDG_STATE_HOME/lunsweep/"
	umount "$SCRATCH/fs"
	e2fsck -fp "$LOOP" >/dev/null || [ $? -le 1 ]
	mount "$LOOP" "$SCRATCH/fs"
	begin
	ended 0
	all_kept 8
}

@test "where no place takes a spool, points are in memory as long as that is possible, and what is lost is named" {
	export XDG_STATE_HOME=$SCRATCH/file
	chmod 777 "$SCRATCH"
	begin
	wait_until 10 stored_ok 1
	db_lock
	wait_until 10 grep -q 'in memory only' "$SCRATCH/err"
	db_unlock
	ended 0
	all_kept 8
	told 1 'in memory only'
	rm "$LUNSWEEP_DB"*
	RUNTIME=3s begin 1,2
	wait_until 10 stored_ok 1
	db_lock
	ended 1
	db_unlock
	told 1 'LOST: 1 finished point of run 1 could be stored nowhere (number 2)'
	ledger faults 2
}

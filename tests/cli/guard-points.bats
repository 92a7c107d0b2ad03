#!/usr/bin/env bats
#
# The write guard in the course of a run: what changes between two points is noticed before the next one.

load ../lib/common
load ../lib/loop
load ../lib/run
load ../lib/guard

setup() {
	scratch_up
	db_up
}

# in_background OPTION...: two points of random writes; returns when the first one is measured.
in_background() {
	measure --rw randwrite --iodepth 1,2 --order listed --runtime 2s --yes "$@" >"$SCRATCH/out" 2>&1 3>&- &
	pid=$!
	defer stop_pid "$pid"
	wait_until 20 is_measuring
}

is_measuring() {
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'running'" 2>/dev/null)" = 1 ]
}

# second_refused TEXT [STATUS]: the first point was measured (or has that status), the second not written, and
# the run tells why.
second_refused() {
	local rc=0

	ledger guard_tried
	wait "$pid" || rc=$?
	cat "$SCRATCH/out"
	[ "$rc" -eq 3 ]
	[ "$(statuses)" = "${2:-ok} failed" ]
	[[ $(stored "SELECT reason FROM point WHERE iodepth = 2") == "not written: "*"$1"* ]]
	[ "$(stored "SELECT count(*) FROM point_series s JOIN point p ON p.id = s.point_id WHERE p.iodepth = 2")" -eq 0 ]
	run -0 "$TOOL" show 1
	[[ $output == *"guard.at."*"point 2"*"not written: "* ]]
	ledger guard_refused
}

@test "O-40: a link that leads to another device by the second point: neither is written by it" {
	loop_up 16M
	first=$LOOP
	loop_up 16M
	before=$(hash_of "$LOOP_IMAGE")
	ln -s "$first" "$SCRATCH/ata-TEST_1"
	in_background --target "$SCRATCH/ata-TEST_1" --write-to "$(identity "$first")"
	ln -sfn "$LOOP" "$SCRATCH/ata-TEST_1"
	second_refused "'$SCRATCH/ata-TEST_1' no longer leads to what is measured"
	[ "$(hash_of "$LOOP_IMAGE")" = "$before" ]
	# The same command is of another device now, which the consent does not name.
	run -2 --separate-stderr measure --rw randwrite --iodepth 1,2 --order listed --runtime 2s --yes \
		--target "$SCRATCH/ata-TEST_1" --write-to "$(identity "$first")"
	[[ $stderr == *"no --write-to names it"* ]]
	[ "$(hash_of "$LOOP_IMAGE")" = "$before" ]
	[ "$(stored "SELECT count(*) FROM run")" -eq 1 ]
}

@test "a file that is replaced by another of its name between two points is not written" {
	random_file "$SCRATCH/file" 8M
	random_file "$SCRATCH/new" 8M
	before=$(hash_of "$SCRATCH/new")
	in_background --target "$SCRATCH/file" --write-to "$SCRATCH/file"
	mv "$SCRATCH/new" "$SCRATCH/file"
	second_refused "'$SCRATCH/file' no longer leads to what is measured, but to something else"
	[ "$(hash_of "$SCRATCH/file")" = "$before" ]
}

@test "a device that becomes read-only, and one that shrinks, is not written by the next point" {
	loop_up 16M
	in_background --target "$LOOP" --write-to "$(identity "$LOOP")"
	blockdev --setro "$LOOP"
	# The number's next user would have it too.
	defer blockdev --setrw "$LOOP"
	second_refused "is read-only" failed
	rm -f "$LUNSWEEP_DB"*
	loop_up 16M
	in_background --target "$LOOP" --span 4m --write-to "$(identity "$LOOP")"
	truncate -s 8M "$LOOP_IMAGE"
	losetup -c "$LOOP"
	second_refused "has another size than at the start: first 16777216 bytes, now 8388608 bytes"
}

@test "another file under the same loop device when its turn comes is not written" {
	random_file "$SCRATCH/file" 8M
	random_file "$SCRATCH/other" 16M
	before=$(hash_of "$SCRATCH/other")
	loop_up 16M
	measure --target "$SCRATCH/file" --target "$LOOP" --rw randwrite --runtime 3s --yes --write-to "$SCRATCH/file" \
		--write-to "$(identity "$LOOP")" >"$SCRATCH/out" 2>&1 3>&- &
	pid=$!
	defer stop_pid "$pid"
	wait_until 20 is_measuring
	ledger guard_tried
	losetup -d "$LOOP"
	losetup --direct-io=on "$LOOP" "$SCRATCH/other"
	rc=0
	wait "$pid" || rc=$?
	cat "$SCRATCH/out"
	[ "$rc" -eq 1 ]
	grep -F "'$LOOP' is no longer what it was" "$SCRATCH/out"
	[ "$(hash_of "$SCRATCH/other")" = "$before" ]
	ledger guard_refused
	[[ $(stored "SELECT value FROM run_fact WHERE run_id = 2 AND name LIKE 'guard.at.%on opening'") == *"no longer what it was"* ]]
}

@test "what the guard decided stands in the run, in show and in the report" {
	need mkswap
	loop_up 16M
	mkswap "$LOOP" >/dev/null
	id=$(identity "$LOOP")
	measure --target "$LOOP" --rw write --write-to "$id" --overwrite-signature --yes
	number=$(lsblk -dno MAJ:MIN "$LOOP" | tr -d ' ')
	run -0 "$TOOL" show 1
	[[ $output == *"guard.target"*"device $number of 16777216 bytes, through descriptor "*", claimed exclusively"* ]]
	[[ $output == *"guard.on_it"*"swap signature"* ]]
	[[ $output == *"guard.in_use"*"no"* ]]
	run -0 "$TOOL" report 1
	[[ $output == *"write guard"*"allowed by --write-to $id and --overwrite-signature"* ]]
	[[ $output == *"found on it"*"swap signature"* ]]
}

@test "a file that is immutable, or locked by another program, is not written, with the reason" {
	need chattr python3
	random_file "$SCRATCH/file" 4M
	for flag in i:immutable a:"for appending only"; do
		chattr "+${flag%%:*}" "$SCRATCH/file" || skip "the file system has no such flags"
		defer chattr "-${flag%%:*}" "$SCRATCH/file"
		refused "it is ${flag#*:}; chattr -${flag%%:*} allows it" --target "$SCRATCH/file" --write-to "$SCRATCH/file"
		chattr "-${flag%%:*}" "$SCRATCH/file"
	done
	python3 -c 'import fcntl, sys, time
f = open(sys.argv[1], "r+b")
fcntl.lockf(f, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)' "$SCRATCH/file" >"$SCRATCH/held" 3>&- &
	defer stop_pid $!
	wait_until 10 test -s "$SCRATCH/held"
	refused_always "another program has a lock on it" "$SCRATCH/file" "$SCRATCH/file"
}

@test "a mount that only another mount namespace sees is named" {
	need unshare mkfs.ext4
	loop_up 16M
	ext4_up "$LOOP"
	id=$(identity "$LOOP")
	mkdir "$SCRATCH/inner"
	unshare -m --propagation private sh -c 'mount -o noatime "$1" "$2" && sync -f "$2" && echo up && exec sleep 60' sh \
		"$LOOP" "$SCRATCH/inner" >"$SCRATCH/up" 3>&- &
	defer stop_pid $!
	wait_until 10 test -s "$SCRATCH/up"
	refused_always "mounted at $SCRATCH/inner (in the mount namespace of process $!)" "$LOOP" "$id"
}

#!/usr/bin/env bats
# side by side
#
# One instance a target, and what a run must not do to itself.

load ../lib/common
load ../lib/loop
load ../lib/run

setup() {
	scratch_up
	db_up
	random_file "$SCRATCH/file" 8M
}

is_measuring() {
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'running'" 2>/dev/null)" = 1 ]
}

# in_background: measure the file for some seconds; FIRST is its process.
in_background() {
	"$TOOL" run --target "$SCRATCH/file" --iodepth 1,2 --ramp-time 0 --runtime 3s >/dev/null 2>&1 3>&- &
	FIRST=$!
	defer stop_pid "$FIRST"
	wait_until 10 is_measuring
}

@test "O-48: a second instance on a target refuses and names the first, also with another database" {
	in_background
	ln -s "$SCRATCH/file" "$SCRATCH/link"
	for target in "$SCRATCH/file" "$SCRATCH/link"; do
		run measure --target "$target" --iodepth 1 --db "$SCRATCH/other.db"
		[ "$status" -eq 1 ]
		[[ "$output" == *"another lunsweep, process $FIRST"* ]]
	done
	[ ! -e "$SCRATCH/other.db" ]
	run measure --target "$SCRATCH/file" --iodepth 1,2
	[ "$status" -eq 1 ]
	wait "$FIRST"
	[ "$(statuses)" = "ok ok" ]
}

@test "O-48: two loop devices on one file are one target" {
	local first

	loop_up 16M
	first=$LOOP
	loop_attach "$LOOP_IMAGE"
	"$TOOL" run --target "$first" --ramp-time 0 --runtime 3s >/dev/null 2>&1 3>&- &
	FIRST=$!
	defer stop_pid "$FIRST"
	wait_until 10 is_measuring
	run measure --target "$LOOP" --iodepth 1 --db "$SCRATCH/other.db"
	[ "$status" -eq 1 ]
	[[ "$output" == *"another lunsweep, process $FIRST"* ]]
	wait "$FIRST"
}

@test "a process that was paused takes no target for a hung one" {
	"$TOOL" run --target "$SCRATCH/file" --iodepth 1,16 --order listed --ramp-time 0 --runtime 2s --drain-timeout 1s \
		>/dev/null 2>&1 3>&- &
	pid=$!
	defer stop_pid "$pid"
	wait_until 10 is_measuring
	sleep 1
	kill -STOP "$pid"
	sleep 3
	kill -CONT "$pid"
	wait "$pid" || true
	[ "$(statuses)" = "ok ok" ]
}

@test "O-48: the lock ends with kill -9" {
	in_background
	kill -9 "$FIRST"
	wait "$FIRST" || true
	run measure --target "$SCRATCH/file" --iodepth 4
	[ "$status" -eq 0 ]
}

# as_nobody TIME: a run of the file by another user, with a database of its own.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$TOOL" run --target "$SCRATCH/file" --ramp-time 0 \
		--runtime "$1" --db "$SCRATCH/nobody/db" --new
}

is_measuring_for_nobody() {
	[ "$(sqlite3 "$SCRATCH/nobody/db" "SELECT count(*) FROM point WHERE status = 'running'" 2>/dev/null)" = 1 ]
}

@test "O-48: the lock holds between users, whoever made it, and also with a umask" {
	need_root
	need setpriv
	chmod 755 "$SCRATCH"
	mkdir "$SCRATCH/nobody"
	chown 65534:65534 "$SCRATCH/nobody"
	setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$TOOL" || skip "another user cannot reach $TOOL"
	umask 077
	in_background
	run as_nobody 300ms
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"another lunsweep, process $FIRST"* ]]
	wait "$FIRST"
	# The file of the lock is still root's.
	as_nobody 3s >/dev/null 2>&1 3>&- &
	second=$!
	defer stop_pid "$second"
	wait_until 10 is_measuring_for_nobody
	run measure --target "$SCRATCH/file" --iodepth 1
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"another lunsweep, process of unknown number"* ]]
	wait "$second"
}

@test "a lock that is a second name of another file is refused, and that file left as it is" {
	local folder=/run/lock victim lock dev

	[ -d "$folder" ] || folder=/tmp
	dev=$(stat -c %d "$SCRATCH/file")
	lock=$folder/lunsweep-file-$((dev >> 8 & 0xfff))-$((dev & 0xff | dev >> 12 & 0xfff00))-$(
		stat -c %i "$SCRATCH/file"
	).lock
	victim=$(mktemp "$folder/lunsweep-test.XXXXXX")
	defer rm -f "$victim" "$lock"
	echo kept >"$victim"
	chmod 600 "$victim"
	ln -f "$victim" "$lock"
	run measure --target "$SCRATCH/file" --iodepth 1
	[ "$status" -eq 1 ]
	[[ "$output" == *"the lock '$lock' is no file of its own"* ]]
	[ "$(cat "$victim")" = kept ]
	[ "$(stat -c %a "$victim")" = 600 ]
}

@test "different targets are measured side by side" {
	in_background
	random_file "$SCRATCH/second" 8M
	run measure --target "$SCRATCH/second" --iodepth 1
	[ "$status" -eq 0 ]
}

@test "the database is never the target" {
	measure --target "$SCRATCH/file" --iodepth 1
	truncate -s 1M "$LUNSWEEP_DB"
	before=$(sha256sum <"$LUNSWEEP_DB")
	for rw in randwrite randread; do
		run measure --target "$LUNSWEEP_DB" --rw "$rw" --write-to "$LUNSWEEP_DB" --yes
		[ "$status" -eq 2 ]
		[[ "$output" == *"is the database itself"* ]]
	done
	[ "$(sha256sum <"$LUNSWEEP_DB")" = "$before" ]
}

@test "a run that is taken up again answers the questions that are asked now" {
	local asked=(--target "$SCRATCH/file" --iodepth 1..3+1 --ramp-time 0 --runtime 1s --anchors never)

	"$TOOL" run "${asked[@]}" --cap mean:10ms >/dev/null 2>&1 3>&- &
	pid=$!
	wait_until 10 is_measuring
	kill -TERM "$pid"
	wait "$pid" || true
	run "$TOOL" run "${asked[@]}" --cap p99:1s
	[[ "$output" == *"going on with run 1"* ]]
	[[ "$output" == *"p99 <= 1 s"* || "$output" == *"p99 <= 1000 ms"* || "$output" == *"p99 latency"* ]]
	[[ "$output" != *"mean <= 10 ms"* ]]
}

@test "an empty value is a usage error and not the root directory" {
	measure --target "$SCRATCH/file" --iodepth 1
	for command in "report -o" "report --db" "run --target $SCRATCH/file --report" "run --target"; do
		# shellcheck disable=SC2086 # a command and its options
		run "$TOOL" $command ""
		[ "$status" -eq 2 ]
		[[ "$output" == *"is empty"* ]]
	done
	[ ! -e /report.txt ]
}

@test "a report folder that cannot be made is known before anything is measured" {
	run measure --target "$SCRATCH/file" --iodepth 1 --report "$SCRATCH/file/below"
	[ "$status" -eq 1 ]
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "without gnuplot the run is as good, and says what is missing" {
	mkdir "$SCRATCH/bin"
	run env PATH="$SCRATCH/bin" "$TOOL" run --target "$SCRATCH/file" --iodepth 1 --ramp-time 0 \
		--runtime 300ms --report "$SCRATCH/out"
	[ "$status" -eq 0 ]
	[[ "$output" == *"gnuplot"* ]]
	[ -s "$SCRATCH/out/report.txt" ]
	compgen -G "$SCRATCH/out/*.gp"
}

@test "a point that is stopped in its ramp says how long it lived" {
	"$TOOL" run --target "$SCRATCH/file" --ramp-time 30s --runtime 1s >/dev/null 2>&1 3>&- &
	pid=$!
	wait_until 10 is_measuring
	sleep 0.5
	kill -TERM "$pid"
	wait "$pid" || true
	[ "$(statuses)" = interrupted ]
	[ "$(stored "SELECT ramp_ns < 5e9 AND window_ns = 0 AND drain_ns < 2e9 FROM point")" = 1 ]
}

# They share two cores with the thread that hears the signal, so that only the order of the time
# is asserted: one context closed after the other took 4.7 s.
ends_within_3_s() {
	local begin pid status=0

	rm -f "$LUNSWEEP_DB"*
	"$TOOL" run --target "$SCRATCH/file" --iodepth 128 --workers 128 --ramp-time 0 --runtime 20s \
		>/dev/null 2>&1 3>&- &
	pid=$!
	wait_until 20 is_measuring
	sleep 1
	begin=$(date +%s%N)
	kill -TERM "$pid"
	wait "$pid" || status=$?
	echo "status $status after $((($(date +%s%N) - begin) / 1000000)) ms"
	[ "$status" -eq 143 ] && [ $(($(date +%s%N) - begin)) -lt 3000000000 ]
}

@test "128 workers end within 3 s of a signal" {
	twice ends_within_3_s
}

@test "O-26: what is written does not compress, in small units or large ones" {
	for options in "--rw write --iodepth 1" "--rw randwrite --iodepth 4" "--rw randrw --rwmixread 30 --iodepth 4" \
		"--rw write --bs 1m --iodepth 2" "--rw write --bs 1536 --span 6m"; do
		# shellcheck disable=SC2086 # options
		measure --target "$SCRATCH/file" $options --runtime 1500ms --write-to "$SCRATCH/file" --new
		size=$(dd if="$SCRATCH/file" bs=128k count=40 status=none | gzip -6 | wc -c)
		echo "$options: $size of 5242880"
		[ "$size" -gt 5190000 ]
		# As an array that compresses units of 32 KiB, each alone.
		for unit in 0 7 19; do
			size=$(dd if="$SCRATCH/file" bs=32k skip=$unit count=1 status=none | gzip -6 | wc -c)
			[ "$size" -gt 32400 ]
		done
	done
}

@test "--compress leaves as much of each block to compression as it says, and no block twice" {
	measure --target "$SCRATCH/file" --rw randrw --rwmixread 30 --bs 8k --iodepth 4 --compress 70% \
		--runtime 1500ms --write-to "$SCRATCH/file"
	[ "$(stored "SELECT value FROM run_fact WHERE name = 'sweep.compress'")" = "70 %" ]
	measure --target "$SCRATCH/file" --rw write --bs 1m --iodepth 2 --compress 70% --runtime 1500ms \
		--write-to "$SCRATCH/file" --new
	for unit in 4k 32k 128k; do
		size=$(dd if="$SCRATCH/file" bs=$unit skip=3 count=1 status=none | gzip -6 | wc -c)
		whole=$(numfmt --from=iec "${unit^^}")
		echo "$unit: $size of $whole"
		# gzip adds some 60 bytes of its own.
		[ "$size" -gt $((whole * 29 / 100)) ] && [ "$size" -lt $((whole * 31 / 100 + 100)) ]
	done
	mkdir "$SCRATCH/blocks"
	split -b 4096 -a 4 "$SCRATCH/file" "$SCRATCH/blocks/"
	[ "$(sha1sum "$SCRATCH"/blocks/* | awk '{ print $1 }' | sort -u | wc -l)" -eq 2048 ]
}

@test "O-26: no two blocks of 4 KiB are equal" {
	measure --target "$SCRATCH/file" --rw write --iodepth 8 --workers 2 --runtime 1500ms --write-to "$SCRATCH/file"
	mkdir "$SCRATCH/blocks"
	split -b 4096 -a 4 "$SCRATCH/file" "$SCRATCH/blocks/"
	[ "$(sha1sum "$SCRATCH"/blocks/* | awk '{ print $1 }' | sort -u | wc -l)" -eq 2048 ]
}

@test "a file in memory is refused, and with --allow-ram its points decide nothing" {
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "/dev/shm is no tmpfs here"
	file=$(mktemp /dev/shm/lunsweep-test.XXXXXX)
	defer rm -f "$file"
	head -c 4M /dev/urandom >"$file"
	run measure --target "$file"
	[ "$status" -eq 2 ]
	[[ "$output" == *"which is memory and no storage"* ]]
	run measure --target "$file" --allow-ram
	[ "$status" -eq 3 ]
	[[ "$(stored "SELECT flags FROM v_point WHERE dir = 'total'")" == *host-cache* ]]
	run measure --target "$file" --allow-ram --accept host-cache --new
	[ "$status" -eq 0 ]
}

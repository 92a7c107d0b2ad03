#!/usr/bin/env bats
# measures
# Preparing a target: filled without gaps and with nothing that could be made smaller, only where it
# was asked for, and going on after whatever ended it.

load ../lib/common
load ../lib/loop
load ../lib/throttle
load ../lib/array
load ../lib/run

setup() {
	scratch_up
	db_up
}

# prepare TARGET OPTION...: with every consent.
prepare() {
	local target=$1 id

	shift
	id=$("$TOOL" prepare --target "$target" --dry-run 2>/dev/null | sed -n 's/^identity *//p')
	[ -b "$target" ] || id=$target
	"$TOOL" prepare --target "$target" --write-to "$id" --yes "$@"
}

# A column of the newest preparation.
prepared() {
	stored "SELECT $1 FROM preparation ORDER BY id DESC LIMIT 1"
}

# part FILE OFFSET LENGTH: these bytes.
part() {
	dd if="$1" iflag=skip_bytes,count_bytes skip="$2" count="$3" bs=1M status=none
}

# is_filled FILE OFFSET LENGTH: every 4 KiB of it different, and no compression makes it smaller.
is_filled() {
	[ "$(part "$@" | od -An -v -tx8 -w4096 | LC_ALL=C sort -u | wc -l)" -eq $((($3 + 4095) / 4096)) ] &&
		[ "$(part "$@" | gzip -1 | wc -c)" -ge "$3" ] &&
		{ ! command -v zstd >/dev/null ||
			[ "$(part "$@" | zstd -c -1 --long=27 | wc -c)" -ge "$3" ]; }
}

# start_prepare TARGET OPTION...: in the background inside the throttle; its words are in $SCRATCH/err.
start_prepare() {
	local target=$1 id

	shift
	id=$(identity "$target")
	in_throttle "$TOOL" prepare --target "$target" --write-to "$id" --yes "$@" \
		>"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	SHELL_PID=$!
	defer stop_pid "$SHELL_PID"
	wait_until 10 tool_is_up
	defer stop_pid "$PREPARE_PID"
}

# in_throttle is a function, so the background process is a shell above the tool.
tool_is_up() {
	PREPARE_PID=$(pgrep -P "$SHELL_PID" -x lunsweep)
}

some_is_durable() {
	[ "$(stored "SELECT count(*) FROM preparation WHERE pass_bytes > 0" 2>/dev/null)" = 1 ]
}

# A loop device that takes 8 s for its 48 MiB, so that they are saved in between.
slow_loop_up() {
	loop_up 48M
	throttle_up "$LOOP"
	throttle_set write_bps $((6 << 20))
}

@test "O-26: a fill leaves nothing that could be shared or compressed, and nothing outside is touched" {
	loop_up 8M
	cp "$LOOP_IMAGE" "$SCRATCH/copy"
	# Neither begin nor end is one of 4 KiB or 1 MiB.
	prepare "$LOOP" --offset 1536 --span 5000000
	[ "$(prepared "state, offset_bytes, span_bytes, filled_bytes")" = "finished|1536|4999680|4999680" ]
	unchanged "$LOOP_IMAGE" "$SCRATCH/copy" 1536 $((1536 + 4999680))
	is_filled "$LOOP_IMAGE" 1536 4999680
	# None of it is what was there.
	part "$SCRATCH/copy" 1536 4997120 >"$SCRATCH/both"
	part "$LOOP_IMAGE" 1536 4997120 >>"$SCRATCH/both"
	is_filled "$SCRATCH/both" 0 $((2 * 4997120))
	# The check sees what it is for.
	run ! is_filled /dev/zero 0 1048576
	cat "$SCRATCH/copy" "$SCRATCH/copy" >"$SCRATCH/twice"
	run ! is_filled "$SCRATCH/twice" 0 $((16 << 20))
}

@test "every write of a fill lies inside the span, and each block is written once a pass" {
	need strace
	loop_up 16M
	id=$(identity "$LOOP")
	traced "$SCRATCH/trace" "$TOOL" prepare --target "$LOOP" --write-to "$id" --yes \
		--offset 25% --span 50% --passes 2
	all_inside "$SCRATCH/trace" $((4 << 20)) $((12 << 20))
	[ "$(issued "$SCRATCH/trace" | grep -c PREAD)" -eq 0 ]
	[ "$(issued "$SCRATCH/trace" | sort | uniq -c | awk '{ print $1 }' | sort -u)" = 2 ]
	[ "$(issued "$SCRATCH/trace" | sort -u | wc -l)" -eq 8 ]
	[ "$(prepared "passes, passes_done, pass_bytes, filled_bytes")" = "2|2|0|$((16 << 20))" ]
}

@test "O-27: a sparse file has no hole left in the span, and the holes outside stay" {
	truncate -s 16M "$SCRATCH/file"
	run -0 "$TOOL" prepare --target "$SCRATCH/file" --dry-run --write-to "$SCRATCH/file" --span 8M
	[[ $output == *"unwritten  8388608 bytes (8.00 MiB) of the range"* ]]
	[[ $output == *"allowed    yes"* ]]
	[ "$(stat -c %b "$SCRATCH/file")" -eq 0 ]
	prepare "$SCRATCH/file" --span 25%,8M,1M
	is_filled "$SCRATCH/file" 0 8388608
	[ "$(stat -c %s "$SCRATCH/file")" -eq $((16 << 20)) ]
	[ "$(stat -c %b "$SCRATCH/file")" -lt $(((9 << 20) / 512)) ]
	cmp -n 8388608 -i 8388608:0 "$SCRATCH/file" /dev/zero
	run -0 "$TOOL" prepare --target "$SCRATCH/file" --dry-run --write-to "$SCRATCH/file" --span 8M
	[[ $output == *"unwritten  0 bytes"* ]]
}

# refused STATUS TEXT OPTION...: before any I/O, with one line that holds TEXT, without a database.
refused() {
	local status=$1 text=$2

	shift 2
	run "-$status" --separate-stderr traced "$SCRATCH/trace" "$TOOL" prepare "$@"
	echo "$stderr"
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[[ $stderr == "lunsweep: "*"$text"* ]]
	[ -z "$(issued "$SCRATCH/trace")" ]
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "a fill needs consent that names the target, and never writes what is in use or carries data" {
	need strace mkfs.ext4
	loop_up 64M
	id=$(identity "$LOOP")
	refused 2 "add --write-to '$id'" --target "$LOOP" --yes
	refused 2 "add --write-to '$id'" --target "$LOOP" --yes --write-to "$LOOP"
	refused 2 "needs --yes" --target "$LOOP" --write-to "$id" </dev/null
	mkfs.ext4 -q "$LOOP"
	refused 1 "--overwrite-signature" --target "$LOOP" --yes --write-to "$id"
	refused 1 "backs the loop device" --target "$LOOP_IMAGE" --yes --write-to "$LOOP_IMAGE"
	mkdir "$SCRATCH/mnt"
	mount "$LOOP" "$SCRATCH/mnt"
	defer array_umount "$SCRATCH/mnt"
	refused 1 "mounted at" --target "$LOOP" --yes --write-to "$id" --overwrite-signature
	umount "$SCRATCH/mnt"
	# The same with nothing in the way.
	prepare "$LOOP" --overwrite-signature --span 1M
	[ "$(prepared "state, consent, overwrote_signature")" = "finished|$id|1" ]
}

# bats test_tags=fast
@test "a file system that is made while prepare asks is not overwritten" {
	need script mkfs.ext4
	loop_up 16M
	id=$(identity "$LOOP")
	{
		wait_until 10 grep -aq "Type yes" "$SCRATCH/typescript"
		mkfs.ext4 -q "$LOOP"
		sync "$LOOP"
		cp "$LOOP_IMAGE" "$SCRATCH/copy"
		echo yes
		sleep 2
	} | script -qefc "'$TOOL' prepare --target '$LOOP' --write-to '$id'" "$SCRATCH/typescript" >/dev/null || true
	cat "$SCRATCH/typescript"
	grep -aqF "'$LOOP' carries data (ext4 signature) and is not written" "$SCRATCH/typescript"
	cmp "$LOOP_IMAGE" "$SCRATCH/copy"
}

@test "a fill that makes no sense is refused before anything is written" {
	random_file "$SCRATCH/file" 1M
	sum=$(sha256sum <"$SCRATCH/file")
	while IFS='|' read -r options text; do
		# shellcheck disable=SC2086 # several options
		run -2 "$TOOL" prepare --target "$SCRATCH/file" --write-to "$SCRATCH/file" $options
		echo "$options: $output"
		[[ $output == "lunsweep: "*"$text"* ]]
	done <<-'END'
		--span 2M|larger than the target
		--span 100% --offset 512k|beyond the target
		--span 12x|12x
		--span 100|less than one block
		--offset 100 --span 64k|offset
		--passes 0|--passes
		--passes two|--passes
		--bs 4k|--until-steady
		--until-steady --bs 1000|--bs
		--until-steady --max-time 10s|--max-time
		--until-steady --round-time 10ms|--round-time
		--make-file 1M|--make-file
		file|no argument
	END
	[ "$(sha256sum <"$SCRATCH/file")" = "$sum" ]
	[ ! -e "$LUNSWEEP_DB" ]
	run -2 "$TOOL" prepare --target "$SCRATCH/file" --write-to "$SCRATCH/file" --db "$SCRATCH/file"
	[[ $output == *"is the database itself"* ]]
}

@test "killed in the middle, the same command goes on where it stopped, and all of it is written" {
	slow_loop_up
	start_prepare "$LOOP"
	wait_until 20 some_is_durable
	# Nobody else may work on it meanwhile.
	run ! prepare "$LOOP"
	# Another terminal sees it, although there is no run yet.
	run -0 "$TOOL" status
	[[ $output == "Preparation 1"$'\n'*"running, process $PREPARE_PID"$'\n'*"target "*"$LOOP, "* ]]
	[[ $(tr -s ' \n' ' ' <<<"$output") =~ "pass 1 of 1: "[0-9.]+" % of 48.0 MiB is durable, ETA "[0-9.]+" s (at "[0-9]+" MiB/s" ]]
	kill -KILL "$PREPARE_PID"
	wait "$SHELL_PID" || true
	run -1 "$TOOL" status
	done_bytes=$(prepared pass_bytes)
	[ "$(prepared state)" = running ]
	[ "$done_bytes" -lt $((48 << 20)) ]
	# What is claimed to be written is.
	is_filled "$LOOP_IMAGE" 0 "$done_bytes"
	before=$(part "$LOOP_IMAGE" 0 "$done_bytes" | sha256sum)
	throttle_set write_bps 0
	need strace
	id=$(identity "$LOOP")
	traced "$SCRATCH/trace" "$TOOL" prepare --target "$LOOP" --write-to "$id" --yes 2>"$SCRATCH/err"
	grep -q "going on with preparation 1: $done_bytes of $((48 << 20)) bytes" "$SCRATCH/err"
	all_inside "$SCRATCH/trace" "$done_bytes" $((48 << 20))
	[ "$(part "$LOOP_IMAGE" 0 "$done_bytes" | sha256sum)" = "$before" ]
	is_filled "$LOOP_IMAGE" 0 $((48 << 20))
	[ "$(stored "SELECT count(*), state, attempts, filled_bytes FROM preparation")" = "1|finished|2|$((48 << 20))" ]
	# A finished one is not gone on with.
	prepare "$LOOP"
	[ "$(stored "SELECT count(*) FROM preparation WHERE state = 'finished'")" -eq 2 ]
}

@test "a signal ends it within 3 s with the state kept, and other work than it had begun is work of its own" {
	slow_loop_up
	start_prepare "$LOOP" --passes 2
	wait_until 20 some_is_durable
	began_ms=$(date +%s%3N)
	kill -INT "$PREPARE_PID"
	wait_until 5 grep -q 'ended by signal' "$SCRATCH/err"
	[ $(($(date +%s%3N) - began_ms)) -lt 3000 ]
	status=0
	wait "$SHELL_PID" || status=$?
	[ "$status" -eq 130 ]
	[ "$(prepared state)" = interrupted ]
	[[ $(tail -n 1 "$SCRATCH/err") == "lunsweep: ended by signal 2; $(prepared filled_bytes) of $((96 << 20)) bytes are filled, and the same command goes on with the rest" ]]
	[ "$(tr -s ' ' <"/sys/block/${LOOP#/dev/}/inflight")" = " 0 0" ]
	throttle_set write_bps 0
	prepare "$LOOP" --span 1M --offset 47M
	prepare "$LOOP" --passes 2
	[ "$(stored "SELECT id, state, attempts, filled_bytes FROM preparation ORDER BY id")" = \
		"$(printf '%s\n' "1|finished|2|$((96 << 20))" "2|finished|1|$((1 << 20))")" ]
}

@test "what was written and is gone is written again, and the user is told" {
	slow_loop_up
	start_prepare "$LOOP"
	wait_until 20 some_is_durable
	kill -TERM "$PREPARE_PID"
	wait "$SHELL_PID" || true
	throttle_set write_bps 0
	# As a discard or a new image would leave it.
	dd if=/dev/zero of="$LOOP" bs=1M count=48 oflag=direct status=none
	run -0 prepare "$LOOP"
	[[ $output == *"warning: what preparation 1 had written to '$LOOP' is gone"* ]]
	[ "$(stored "SELECT group_concat(state, ' ') FROM (SELECT state FROM preparation ORDER BY id)")" = "abandoned finished" ]
	[ "$(prepared "attempts, filled_bytes")" = "1|$((48 << 20))" ]
}

@test "progress is one line that is rewritten on a terminal, and whole lines in a log" {
	need script
	array_up model=queue servers=8 svc=10 size=512M
	TERM=xterm script -qec "stty cols 100; '$TOOL' prepare --target '$ARRAY' --write-to '$ARRAY' 2>&1" \
		"$SCRATCH/typescript" >/dev/null </dev/null
	grep -aqE $'\r\e\\[Kfill \\[1/1\\] [0-9.]+ %  [0-9.]+ MiB of 512 MiB  [0-9]+ MiB/s  ETA ' "$SCRATCH/typescript"
	grep -aqE 'pass 1 of 1: 512 MiB written in [0-9.]+ s, [0-9]+ MiB/s' "$SCRATCH/typescript"
	run -0 --separate-stderr prepare "$ARRAY" --span 1M
	[ -z "$output" ]
	[[ $stderr != *$'\r'* ]]
	[[ $stderr == *"pass 1 of 1: 1.00 MiB written in "* ]]
	run -0 --separate-stderr prepare "$ARRAY" --span 1M --quiet
	[ -z "$output$stderr" ]
}

@test "a device that fails is told with errno and offset, and what was written before is kept" {
	array_up model=queue servers=8 svc=1 size=64M
	array_ctl eio_at $((40 << 20)) 512
	run -1 --separate-stderr prepare "$ARRAY"
	echo "$stderr"
	[[ $stderr == *"cannot write '$ARRAY' at offset $((40 << 20)): Input/output error"* ]]
	[[ $stderr == *"$((40 << 20)) of $((64 << 20)) bytes are filled, and the same command goes on with the rest"* ]]
	[ "$(prepared "state, filled_bytes")" = "failed|$((40 << 20))" ]
	[[ $(prepared reason) == *"Input/output error"* ]]
}

@test "a device that fails for a while: the fill goes on when it works again" {
	random_file "$SCRATCH/data" 16M
	array_up model=queue servers=8 svc=1 size=16M data="$SCRATCH/data"
	array_ctl eio_write 0.2
	run -1 prepare "$ARRAY"
	array_ctl eio_write 0
	run -0 prepare "$ARRAY"
	[ "$(prepared "state, filled_bytes")" = "finished|$((16 << 20))" ]
	is_filled "$SCRATCH/data" 0 $((16 << 20))
}

some_is_written() {
	[ "$(array_stats writes)" -gt 20 ]
}

@test "a target that hangs does not keep a signal waiting" {
	array_up model=queue servers=8 svc=20 size=4G
	"$TOOL" prepare --target "$ARRAY" --write-to "$ARRAY" >"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	pid=$!
	defer stop_pid "$pid"
	wait_until 10 some_is_written
	array_ctl hang
	began_ms=$(date +%s%3N)
	kill -TERM "$pid"
	wait_until 5 grep -q 'ended by signal 15' "$SCRATCH/err"
	[ $(($(date +%s%3N) - began_ms)) -lt 3000 ]
	[ "$(prepared state)" = interrupted ]
	array_ctl unhang
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
}

@test "a sparse file that does not fit is refused, and one that no longer fits says so" {
	need mkfs.ext4 strace
	loop_up 256M
	mkfs.ext4 -q -m 0 "$LOOP"
	mkdir "$SCRATCH/mnt"
	mount "$LOOP" "$SCRATCH/mnt"
	defer umount "$SCRATCH/mnt"
	truncate -s 1G "$SCRATCH/mnt/large"
	refused 1 "is sparse: to fill it takes 1.00 GiB more" --target "$SCRATCH/mnt/large" --write-to "$SCRATCH/mnt/large"
	# Room for all of it at first; somebody else takes it meanwhile.
	truncate -s 128M "$SCRATCH/mnt/file"
	throttle_up "$LOOP"
	throttle_set write_bps $((16 << 20))
	in_throttle "$TOOL" prepare --target "$SCRATCH/mnt/file" --write-to "$SCRATCH/mnt/file" \
		>"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	pid=$!
	defer stop_pid "$pid"
	wait_until 20 some_is_durable
	fallocate -l 1G "$SCRATCH/mnt/other" || true
	status=0
	wait "$pid" || status=$?
	cat "$SCRATCH/err"
	[ "$status" -eq 1 ]
	grep -q "because the file system below has no room for it: No space left on device" "$SCRATCH/err"
	[ "$(prepared state)" = failed ]
	rm "$SCRATCH/mnt/other" "$SCRATCH/mnt/large"
	throttle_set write_bps 0
	prepare "$SCRATCH/mnt/file"
	[ "$(stored "SELECT state, attempts, filled_bytes FROM preparation")" = "finished|2|$((128 << 20))" ]
}

@test "until steady: a write-back cache is used up first, and the last round is the speed behind it" {
	# Five rounds at the speed of the cache would pass for steady if they all fitted into it.
	array_up cache=20000 t0w=0.2 size=100G
	run -0 --separate-stderr prepare "$ARRAY" --span 16M --until-steady --iodepth 4 --round-time 1s --max-time 40s
	echo "$stderr"
	stored "SELECT round, iops FROM preparation_round"
	[ "$(prepared "state, is_steady")" = "finished|1" ]
	[ "$(prepared rounds)" -gt 5 ]
	[ "$(stored "SELECT max(iops) > 2 * (SELECT last_iops FROM preparation) FROM preparation_round")" = 1 ]
	[ "$(stored "SELECT count(*) FROM preparation_round")" = "$(prepared rounds)" ]
	near "$(prepared last_iops)" 1950 15
}

@test "until steady: a target without a cache is steady from the start" {
	array_up model=queue servers=8 svc=8 size=64M
	run -0 --separate-stderr prepare "$ARRAY" --until-steady --bs 8k --round-time 2s --max-time 30s
	echo "$stderr"
	[ "$(prepared "is_steady, bs_bytes, iodepth")" = "1|8192|32" ]
	# A busy machine may spoil a round.
	[ "$(prepared rounds)" -le 8 ]
	near "$(prepared last_iops)" 1000 10
	# What a run remembers of it.
	measure --target "$ARRAY" --iodepth 1
	run -0 "$TOOL" show 1
	output=$(tr -s ' ' <<<"$output")
	[[ $output == *"prepare.last finished, preparation 1, begun 20"* ]]
	[[ $output == *"prepare.range bytes 0 to $(((64 << 20) - 1))"* ]]
	[[ $output == *"prepare.how every block written 1 time in order, then random writes of 8k at depth 32: steady after "*" rounds, "*" IOPS in the last"* ]]
}

@test "until steady: five rounds fit into the time of five" {
	array_up model=queue servers=8 svc=2 size=16M
	run -0 "$TOOL" prepare --target "$ARRAY" --write-to "$ARRAY" --until-steady --round-time 1s --max-time 5s
	[ "$(prepared "is_steady, rounds")" = "1|5" ]
}

@test "until steady: a target that never is says so with status 3, and the fill counts" {
	array_up model=queue servers=8 svc=2 size=16M
	"$TOOL" prepare --target "$ARRAY" --write-to "$ARRAY" --until-steady --round-time 1s --max-time 7s \
		>"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
	pid=$!
	defer stop_pid "$pid"
	while ! is_gone "$pid"; do
		for svc in 2 8; do
			array_ctl set svc=$svc
			sleep 1.3
		done
	done
	status=0
	wait "$pid" || status=$?
	cat "$SCRATCH/err"
	[ "$status" -eq 3 ]
	[ "$(prepared "state, is_steady, filled_bytes")" = "finished|0|$((16 << 20))" ]
	[[ $(prepared reason) == "not steady"* ]]
}

# The rounds have begun, and their writes lie over the fill.
is_in_rounds() {
	[ "$(prepared passes_done 2>/dev/null)" = 1 ] && [ "$(array_stats writes)" -gt 4000 ]
}

@test "until steady: ended in its first round, the fill is known again and nothing is said to be gone" {
	random_file "$SCRATCH/data" 16M
	array_up model=queue servers=8 svc=2 size=16M data="$SCRATCH/data"
	for attempt in 1 2; do
		"$TOOL" prepare --target "$ARRAY" --write-to "$ARRAY" --until-steady --round-time 20s --max-time 5m \
			>"$SCRATCH/out" 2>"$SCRATCH/err" 3>&- &
		pid=$!
		defer stop_pid "$pid"
		wait_until 20 is_in_rounds
		sleep 0.5
		kill -TERM "$pid"
		wait "$pid" || true
		cat "$SCRATCH/err"
	done
	[ "$(stored "SELECT id, state, attempts, rounds FROM preparation")" = "1|interrupted|$attempt|0" ]
	grep -q "going on with preparation 1: $((16 << 20)) of $((16 << 20)) bytes are filled" "$SCRATCH/err"
	run ! grep "is gone" "$SCRATCH/err"
}

has_rounds() {
	[ "$(prepared "rounds >= $1" 2>/dev/null)" = 1 ]
}

@test "until steady: a round with foreign load does not count, and five begin anew" {
	loop_up 8M
	throttle_up "$LOOP"
	throttle_set write_iops 300
	start_prepare "$LOOP" --until-steady --iodepth 4 --round-time 1s --max-time 40s
	wait_until 20 has_rounds 2
	# Others read, until another round has ended with that.
	while ! has_rounds 3; do
		dd if="$LOOP" of=/dev/null bs=1M iflag=direct status=none
	done
	wait "$SHELL_PID"
	cat "$SCRATCH/err"
	grep -q "^round 3: .*; foreign-load: it does not count, and the 5 rounds begin anew" "$SCRATCH/err"
	[ "$(prepared "is_steady, rounds >= 8")" = "1|1" ]
	[ "$(stored "SELECT count(*) FROM preparation_round")" = "$(prepared rounds)" ]
}

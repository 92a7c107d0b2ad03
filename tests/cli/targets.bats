#!/usr/bin/env bats
# side by side
#
# The devices command, scratch files, and several targets in one run.

load ../lib/common
load ../lib/loop
load ../lib/run
load ../lib/array

setup() {
	scratch_up
	db_up
}

# device_says DEVICE FILTER: of its JSON.
device_says() {
	"$TOOL" devices --format json | jq -er --arg d "$1" ".devices[] | select(.device == \$d) | $2"
}

@test "devices lists a device with size, limits and identity, and what --write-to must say" {
	loop_up 16M -b 4096
	[ "$(device_says "$LOOP" '"\(.size_bytes) \(.logical_block_bytes) \(.queue_limit) \(.writable) \(.refusal)"')" \
		= "16777216 4096 128 true null" ]
	run -0 --separate-stderr "$TOOL" devices
	[ -z "$stderr" ]
	[[ $output == *"$LOOP  16.0 MiB"*"yes, with --write-to '$(device_says "$LOOP" .identity)'"* ]]
}

@test "devices says why a device would not be written" {
	need mkfs.ext4
	loop_up 16M -r
	[[ $(device_says "$LOOP" .refusal) == *"is read-only"* ]]
	loop_up 16M
	mkfs.ext4 -q "$LOOP"
	[[ $(device_says "$LOOP" .refusal) == *"carries data (ext4"*--overwrite-signature* ]]
	mkdir "$SCRATCH/mnt"
	mount "$LOOP" "$SCRATCH/mnt"
	defer umount "$SCRATCH/mnt"
	[[ $(device_says "$LOOP" .refusal) == *"mounted at $SCRATCH/mnt"* ]]
	run -0 "$TOOL" devices
	[[ $output == *"no: '$LOOP' is in use"* ]]
}

@test "devices shows a disk that hangs as one that does not answer, and the others as they are" {
	array_up size=16M
	loop_attach "$ARRAY"
	hung=$LOOP
	loop_up 16M
	array_ctl hang
	SECONDS=0
	run -0 --separate-stderr timeout 20 "$TOOL" devices --format json
	took=$SECONDS
	array_ctl unhang
	[ -z "$stderr" ]
	[ "$took" -le 8 ] # 3 s for those that do not answer, of which this host may have more
	says() {
		jq -er --arg d "$1" ".devices[] | select(.device == \$d) | $2" <<<"$output"
	}
	[[ $(says "$hung" .refusal) == "it does not answer"* ]]
	[ "$(says "$hung" '"\(.size_bytes) \(.writable) \(.identity)"')" = "16777216 false null" ]
	[ "$(says "$LOOP" '"\(.size_bytes) \(.writable)"')" = "16777216 true" ]
}

@test "devices looks at partitions one after the other, and takes none of them for in use" {
	need addpart delpart strace
	loop_up 64M
	for i in 1 2 3; do
		addpart "$LOOP" "$i" $((i * 2048)) 2048
		defer delpart "$LOOP" "$i"
	done
	strace -f -y -qq -e trace=openat -o "$SCRATCH/trace" "$TOOL" devices --format json >"$SCRATCH/out"
	[ "$(jq -c --arg d "$LOOP" '[.devices[] | select(.device == $d or (.device | startswith($d + "p"))) | .refusal]' \
		<"$SCRATCH/out")" = "[null,null,null,null]" ]
	# Claims of a disk and its partitions are in each other's way where two processes make them.
	grep -E "O_EXCL.*<$LOOP(p[123])?>\$" "$SCRATCH/trace" >"$SCRATCH/claims"
	[ "$(wc -l <"$SCRATCH/claims")" -eq 4 ]
	[ "$(cut -d ' ' -f 1 "$SCRATCH/claims" | sort -u | wc -l)" -eq 1 ]
}

@test "devices changes nothing, and lists no device without a size" {
	loop_up 16M
	before=$(sha256sum <"$LOOP_IMAGE")
	strace -f -qq -e trace=openat -o "$SCRATCH/trace" "$TOOL" devices >"$SCRATCH/out"
	[ "$(sha256sum <"$LOOP_IMAGE")" = "$before" ]
	run ! grep -E '"/dev/[^"]*", [A-Z_|]*O_(RDWR|WRONLY|CREAT)' "$SCRATCH/trace"
	loop_down "$LOOP"
	"$TOOL" devices >"$SCRATCH/out" || true
	run ! grep -q "^$LOOP " "$SCRATCH/out"
}

@test "a device keeps its identity under another loop number; another file at the same number has another one" {
	loop_up 16M
	first=$(identity "$LOOP")
	image=$LOOP_IMAGE
	loop_down "$LOOP"
	loop_attach "$image"
	[ "$(identity "$LOOP")" = "$first" ]
	loop_down "$LOOP"
	random_file "$SCRATCH/other" 16M
	losetup --direct-io=on "$LOOP" "$SCRATCH/other"
	[ "$(identity "$LOOP")" != "$first" ]
}

@test "prepare --make-file makes a file without holes that no compression makes smaller" {
	run -0 "$TOOL" prepare --target "$SCRATCH/file" --make-file 8M
	[ "$(stat -c %s "$SCRATCH/file")" -eq 8388608 ]
	[ "$(stat -c %b "$SCRATCH/file")" -ge 16384 ]
	[ "$(gzip -c "$SCRATCH/file" | wc -c)" -gt 8388608 ]
	[ "$(stat -c %a "$SCRATCH/file")" = 600 ]
	"$TOOL" prepare --target "$SCRATCH/second" --make-file 8M
	run -1 cmp -s "$SCRATCH/file" "$SCRATCH/second"
	measure --target "$SCRATCH/file"
	[ "$(stored "SELECT count(*) FROM point_flag WHERE flag = 'unwritten'")" -eq 0 ]
}

@test "prepare leaves alone what is there, and makes nothing below /dev, in memory or where it does not fit" {
	random_file "$SCRATCH/file" 1M
	before=$(sha256sum <"$SCRATCH/file")
	ln -s "$SCRATCH/nosuch" "$SCRATCH/dangling"
	ln -s /dev "$SCRATCH/dev"
	mkdir "$SCRATCH/memory"
	mount -t tmpfs -o size=64m tmpfs "$SCRATCH/memory"
	defer umount "$SCRATCH/memory"
	while read -r path size text; do
		run ! --separate-stderr "$TOOL" prepare --target "$path" --make-file "$size"
		echo "$path: $stderr"
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == "lunsweep: "*"$text"* ]]
		[ ! -f "$path" ] || [ "$path" = "$SCRATCH/file" ]
	done <<-TABLE
		$SCRATCH/file 1M is there already
		$SCRATCH/dangling 1M is there already
		$SCRATCH 1M is there already
		/dev/nosuch0n1 1M below /dev
		/dev/shm/nosuch 1M below /dev
		$SCRATCH/dev/nosuch 1M below /dev
		$SCRATCH/memory/file 1M in memory
		$SCRATCH/new 1000T does not fit
		$SCRATCH/nosuch/file 1M No such file or directory
		$SCRATCH/new 0 multiple of 4096
		$SCRATCH/new 1000 multiple of 4096
		$SCRATCH/new 1q 1q
	TABLE
	[ "$(sha256sum <"$SCRATCH/file")" = "$before" ]
	[ ! -e "$SCRATCH/nosuch" ]
	[ ! -e "$SCRATCH/new" ]
	[ ! -e /dev/nosuch0n1 ]
	run -1 --separate-stderr "$TOOL" prepare --target "$SCRATCH/new"
	[[ $stderr == *"there is no file '$SCRATCH/new'"*"--make-file"* ]]
	run -2 "$TOOL" prepare --make-file 1M
	run -2 "$TOOL" prepare --target "" --make-file 1M
}

@test "run never makes a file: that is an option of its own" {
	run -1 --separate-stderr measure --target "$SCRATCH/new" --rw write --write-to "$SCRATCH/new"
	[[ $stderr == *"there is no file '$SCRATCH/new'"*"prepare --make-file"* ]]
	[ ! -e "$SCRATCH/new" ]
	run -2 measure --target "$SCRATCH/new" --make-file 1M
	[ ! -e "$SCRATCH/new" ]
}

@test "several targets are measured one after the other, each in a run of its own" {
	mkdir "$SCRATCH/a" "$SCRATCH/b"
	random_file "$SCRATCH/a/disk.img" 4M
	random_file "$SCRATCH/b/disk.img" 4M
	run -0 measure --target "$SCRATCH/a/disk.img" --target "$SCRATCH/b/disk.img" --iodepth 1,2
	[ "$(stored "SELECT group_concat(target_resolved, ' ') FROM run WHERE state = 'finished'")" = \
		"$SCRATCH/a/disk.img $SCRATCH/b/disk.img" ]
	[ "$(statuses)" = "ok ok ok ok" ]
	[ "$(stored "SELECT count(DISTINCT target) FROM v_point")" -eq 2 ]
	[[ $output == *"Run 1: "*"Run 2: "* ]]
}

@test "several targets to write need one --write-to each, before any of them is written" {
	loop_up 8M
	random_file "$SCRATCH/file" 8M
	before=$(cat "$LOOP_IMAGE" "$SCRATCH/file" | sha256sum)
	id=$(identity "$LOOP")
	both=(--rw randwrite --yes --target "$LOOP" --target "$SCRATCH/file")
	run -2 --separate-stderr measure "${both[@]}"
	run -2 --separate-stderr measure "${both[@]}" --write-to "$id"
	[[ $stderr == *"add --write-to '$SCRATCH/file'" ]]
	run -2 --separate-stderr measure "${both[@]}" --write-to "$SCRATCH/file"
	[[ $stderr == *"add --write-to '$id'" ]]
	[ "$(cat "$LOOP_IMAGE" "$SCRATCH/file" | sha256sum)" = "$before" ]
	[ ! -e "$LUNSWEEP_DB" ]
	measure "${both[@]}" --write-to "$SCRATCH/file" --write-to "$id"
	[ "$(statuses)" = "ok ok" ]
}

@test "the same target under two names is refused: link, node, second loop device" {
	loop_up 8M
	ln -s "$LOOP" "$SCRATCH/link"
	mknod "$SCRATCH/node" b "$(stat -c '0x%t' "$LOOP")" "$(stat -c '0x%T' "$LOOP")"
	random_file "$SCRATCH/file" 4M
	ln -s file "$SCRATCH/file-link"
	first=$LOOP
	loop_attach "$LOOP_IMAGE"
	for pair in "$first $first" "$first $SCRATCH/link" "$first $SCRATCH/node" "$first $LOOP" \
		"$SCRATCH/file $SCRATCH/file-link"; do
		run -2 --separate-stderr measure --target "${pair% *}" --target "${pair#* }"
		echo "$pair: $stderr"
		[[ $stderr == *"'${pair% *}' and '${pair#* }' are the same target"* ]]
	done
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "when one of several targets fails, the others are measured, and the status tells" {
	random_file "$SCRATCH/file" 4M
	random_file "$SCRATCH/small" 64k
	run -3 measure --target "$SCRATCH/small" --target "$SCRATCH/file" --bs 4k,1m
	[ "$(stored "SELECT run_id || bs_bytes || status FROM point ORDER BY 1")" = \
		"$(printf '%s\n' 11048576skipped 14096ok 21048576ok 24096ok)" ]
}

@test "one name of two is wrong: nothing is measured" {
	random_file "$SCRATCH/file" 4M
	run -1 measure --target "$SCRATCH/file" --target "$SCRATCH/nosuch"
	[ ! -e "$LUNSWEEP_DB" ]
}

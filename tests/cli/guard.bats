#!/usr/bin/env bats
# side by side
#
# The write guard: what is in use is never written, and what is idle only with consent.

load ../lib/common
load ../lib/loop
load ../lib/run
load ../lib/guard

setup() {
	scratch_up
	db_up
}

@test "O-01: a mounted device is not written with any consent, and its files stay whole" {
	need mkfs.ext4 fsck.ext4
	loop_up 64M
	ext4_up "$LOOP"
	id=$(identity "$LOOP")
	mount_up "$LOOP"
	random_file "$MNT/file" 1M
	before=$(hash_of "$MNT/file")
	cell=(--bs 4k --iodepth 1 --span 100% --runtime 2s)
	refused "mounted at $MNT" --target "$LOOP" "${cell[@]}"
	[[ $stderr == *"'$LOOP' is in use"*"no option allows it"* ]]
	refused "mounted at $MNT" --target "$LOOP" "${cell[@]}" --write-to "$id"
	refused "mounted at $MNT" --target "$LOOP" "${cell[@]}" --write-to "$id" --overwrite-signature
	umount "$MNT"
	fsck.ext4 -n -f "$LOOP"
	mount "$LOOP" "$MNT"
	[ "$(hash_of "$MNT/file")" = "$before" ]
}

@test "a mount point with blanks and a swap file with blanks are told as they are" {
	need mkfs.ext4 mkswap swapon swapoff
	loop_up 64M
	ext4_up "$LOOP"
	id=$(identity "$LOOP")
	MNT="$SCRATCH/my data"
	mkdir "$MNT"
	mount -o noatime "$LOOP" "$MNT"
	defer umount "$MNT"
	sync -f "$MNT"
	refused_always "mounted at $MNT" "$LOOP" "$id"
	random_file "$SCRATCH/my swap" 16M
	chmod 600 "$SCRATCH/my swap"
	mkswap "$SCRATCH/my swap" >/dev/null
	swapon "$SCRATCH/my swap"
	defer swapoff "$SCRATCH/my swap"
	refused_always "swap is on $SCRATCH/my swap" "$SCRATCH/my swap" "$SCRATCH/my swap"
}

@test "O-01: a read-only sweep of a mounted device is allowed, and writes nothing" {
	need mkfs.ext4
	loop_up 64M
	ext4_up "$LOOP"
	mount_up "$LOOP"
	# What mkfs discards is no data any more.
	traced "$SCRATCH/trace" "$TOOL" run --target "$LOOP" --rw randread --bs 4k --iodepth 1 --span 100% --runtime 2s \
		--ramp-time 50ms --accept unwritten
	[ "$(statuses)" = ok ]
	[ "$(issued "$SCRATCH/trace" | cut -d ' ' -f 1 | sort -u)" = PREAD ]
}

# o_02 TEXT: without the consents it is refused and said what was found, with them it is written.
o_02() {
	local id before cell=(--bs 4k --iodepth 1)

	id=$(identity "$LOOP")
	before=$(hash_of "$LOOP_IMAGE")
	refused "carries data ($1)" --target "$LOOP" "${cell[@]}"
	refused "carries data ($1)" --target "$LOOP" "${cell[@]}" --write-to "$id"
	[[ $stderr == *"add --overwrite-signature"* ]]
	not_written 2 "add --write-to '$id'" "$LOOP" "${cell[@]}" --overwrite-signature
	[ "$(hash_of "$LOOP_IMAGE")" = "$before" ]
	measure --target "$LOOP" --rw randwrite "${cell[@]}" --write-to "$id" --overwrite-signature --yes
	[ "$(statuses)" = ok ]
	[ "$(hash_of "$LOOP_IMAGE")" != "$before" ]
	rm -f "$LUNSWEEP_DB"*
}

@test "O-02: idle with a file system, swap or a partition table on it takes two consents" {
	need mkfs.ext4 mkswap
	loop_up 16M
	ext4_up "$LOOP"
	mkdir "$SCRATCH/mnt"
	mount "$LOOP" "$SCRATCH/mnt"
	umount "$SCRATCH/mnt"
	o_02 "ext4 signature"
	loop_up 16M
	mkswap "$LOOP" >/dev/null
	o_02 "swap signature"
	loop_up --sparse 16M
	printf '\125\252' | dd of="$LOOP" bs=1 seek=510 conv=notrunc status=none
	printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\100\0\0' |
		dd of="$LOOP" bs=1 seek=446 conv=notrunc status=none
	sync "$LOOP"
	o_02 "dos partition table"
}

@test "O-02: active swap is refused always, a blank device takes one consent" {
	need mkswap swapon swapoff
	loop_up 16M
	mkswap "$LOOP" >/dev/null
	swapon "$LOOP"
	defer swapoff "$LOOP"
	id=$(identity "$LOOP")
	refused "swap is on $LOOP" --target "$LOOP" --bs 4k --iodepth 1
	refused_always "swap is on $LOOP" "$LOOP" "$id"
	loop_up --sparse 16M
	id=$(identity "$LOOP")
	not_written 2 "add --write-to '$id'" "$LOOP" --bs 4k --iodepth 1
	[[ $stderr != *"carries data"* ]]
	measure --target "$LOOP" --rw randwrite --bs 4k --iodepth 1 --write-to "$id" --yes
	[ "$(statuses)" = ok ]
}

@test "a disk is not written while one of its partitions is mounted, nor is that partition" {
	need mkfs.ext4 addpart delpart
	loop_up 64M
	addpart "$LOOP" 1 2048 65536
	defer delpart "$LOOP" 1
	wait_until 5 test -b "${LOOP}p1"
	ext4_up "${LOOP}p1"
	id=$(identity "$LOOP")
	id_p1=$(identity "${LOOP}p1")
	[ "$id" != "$id_p1" ]
	mount_up "${LOOP}p1"
	refused_always "mounted at $MNT" "$LOOP" "$id"
	refused_always "mounted at $MNT" "${LOOP}p1" "$id_p1"
}

@test "a device and a file with active swap are not written" {
	need mkswap swapon swapoff
	loop_up 16M
	mkswap "$LOOP" >/dev/null
	id=$(identity "$LOOP")
	swapon "$LOOP"
	defer swapoff "$LOOP"
	refused_always "swap is on $LOOP" "$LOOP" "$id"
	random_file "$SCRATCH/swap" 16M
	chmod 600 "$SCRATCH/swap"
	mkswap "$SCRATCH/swap" >/dev/null
	swapon "$SCRATCH/swap"
	defer swapoff "$SCRATCH/swap"
	refused_always "swap is on $SCRATCH/swap" "$SCRATCH/swap" "$SCRATCH/swap"
}

@test "what backs an attached loop device is not written: a file, and a device" {
	loop_up 16M
	lower=$LOOP
	refused_always "backs the loop device ${LOOP#/dev/}" "$LOOP_IMAGE" "$LOOP_IMAGE"
	id=$(identity "$lower")
	loop_attach "$lower"
	refused_always "backs the loop device ${LOOP#/dev/}" "$lower" "$id"
}

@test "a disk is not written while a loop device is on one of its partitions" {
	need addpart delpart
	loop_up 16M
	lower=$LOOP
	addpart "$lower" 1 2048 8192
	defer delpart "$lower" 1
	addpart "$lower" 2 16384 8192
	defer delpart "$lower" 2
	wait_until 5 test -b "${lower}p1"
	wait_until 5 test -b "${lower}p2"
	id=$(identity "$lower")
	loop_attach "${lower}p2"
	refused_always "backs the loop device ${LOOP#/dev/}" "$lower" "$id"
	refused_always "backs the loop device ${LOOP#/dev/}" "${lower}p2" "$(identity "${lower}p2")"
	measure --target "${lower}p1" --rw randwrite --write-to "$(identity "${lower}p1")" --yes
	[ "$(statuses)" = ok ]
}

@test "what backs a loop device is not written when the path it was attached by is gone" {
	random_file "$SCRATCH/file" 16M
	ln "$SCRATCH/file" "$SCRATCH/link"
	loop_attach "$SCRATCH/file"
	rm "$SCRATCH/file"
	refused_always "backs the loop device ${LOOP#/dev/}" "$SCRATCH/link" "$SCRATCH/link"
	lower=$LOOP
	id=$(identity "$lower")
	mknod "$SCRATCH/node" b "$(stat -c '0x%t' "$lower")" "$(stat -c '0x%T' "$lower")"
	loop_attach "$SCRATCH/node"
	rm "$SCRATCH/node"
	refused_always "backs the loop device ${LOOP#/dev/}" "$lower" "$id"
}

@test "a device that another program holds exclusively is not written" {
	need python3
	loop_up 16M
	id=$(identity "$LOOP")
	python3 -c 'import os, sys, time
os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
print("held", flush=True)
time.sleep(60)' "$LOOP" >"$SCRATCH/held" 3>&- &
	defer stop_pid $!
	wait_until 5 test -s "$SCRATCH/held"
	before=$(hash_of "$LOOP_IMAGE")
	run -1 --separate-stderr measure --target "$LOOP" --rw randwrite --write-to "$id" --yes
	[[ $stderr == *"'$LOOP' is in use: another program holds it exclusively"* ]]
	[ "$(hash_of "$LOOP_IMAGE")" = "$before" ]
}

# refused_consent CONSENT --target TARGET OPTION...: status 2, and the line says what the consent would be.
refused_consent() {
	not_written 2 "this writes to '$3' and destroys what is on it" "$3" "${@:4}"
	[[ $stderr == *"add --write-to '$1'" ]]
}

@test "a blank device is written with the consent that names its identity, and no other" {
	loop_up 16M
	id=$(identity "$LOOP")
	before=$(hash_of "$LOOP_IMAGE")
	refused_consent "$id" --target "$LOOP"
	refused_consent "$id" --target "$LOOP" --overwrite-signature
	refused_consent "$id" --target "$LOOP" --write-to "$LOOP"
	refused_consent "$id" --target "$LOOP" --write-to "${id}1" --write-to "${id%?}"
	[ "$(hash_of "$LOOP_IMAGE")" = "$before" ]
	measure --target "$LOOP" --rw randwrite --write-to "$id" --yes
	[ "$(statuses)" = ok ]
	[ "$(hash_of "$LOOP_IMAGE")" != "$before" ]
}

@test "a file is written with the consent that is its absolute path, and no other" {
	random_file "$SCRATCH/file" 4M
	ln -s file "$SCRATCH/link"
	before=$(hash_of "$SCRATCH/file")
	cd "$SCRATCH"
	refused_consent "$SCRATCH/file" --target file
	refused_consent "$SCRATCH/file" --target file --write-to file
	refused_consent "$SCRATCH/file" --target link --write-to "$SCRATCH/link"
	[ "$(hash_of file)" = "$before" ]
	measure --target link --rw write --write-to "$SCRATCH/file"
	[ "$(hash_of file)" != "$before" ]
}

@test "without a terminal and without --yes a device is not written" {
	loop_up 16M
	before=$(hash_of "$LOOP_IMAGE")
	run -2 --separate-stderr measure --target "$LOOP" --rw write --write-to "$(identity "$LOOP")" </dev/null
	[[ $stderr == *"--yes"* ]]
	[ "$(hash_of "$LOOP_IMAGE")" = "$before" ]
}

# signed TEXT: the device carries something idle; it takes the second consent to write there.
signed() {
	local before id

	before=$(hash_of "$LOOP_IMAGE")
	id=$(identity "$LOOP")
	refused "carries data ($1)" --target "$LOOP" --write-to "$id"
	[[ $stderr == *--overwrite-signature* ]]
	[ "$(hash_of "$LOOP_IMAGE")" = "$before" ]
	measure --target "$LOOP" --rw write --write-to "$id" --overwrite-signature --yes
	[ "$(hash_of "$LOOP_IMAGE")" != "$before" ]
	rm "$LUNSWEEP_DB"
}

@test "an idle file system is only overwritten with --overwrite-signature" {
	need mkfs.ext4
	loop_up 16M
	ext4_up "$LOOP"
	signed "ext4 signature"
}

@test "idle swap is only overwritten with --overwrite-signature" {
	need mkswap
	loop_up 16M
	mkswap "$LOOP" >/dev/null
	signed "swap signature"
}

@test "a partition table is only overwritten with --overwrite-signature" {
	loop_up --sparse 16M
	# One partition of type 83 from sector 2048 on, and the mark of a DOS label.
	printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\100\0\0' |
		dd of="$LOOP" bs=1 seek=446 conv=notrunc status=none
	printf '\125\252' | dd of="$LOOP" bs=1 seek=510 conv=notrunc status=none
	sync "$LOOP"
	signed "dos partition table"
}

@test "O-04: a read-only sweep opens the target read-only and never writes" {
	loop_up 16M -r
	ro=$LOOP
	loop_up 16M
	before=$(hash_of "$LOOP_IMAGE")
	for target in "$ro" "$LOOP"; do
		strace -f -qq -s 64 -e trace=io_submit,openat,open -o "$SCRATCH/trace" "$TOOL" run \
			--target "$target" --iodepth 1,8 --ramp-time 50ms --runtime 300ms
		run -0 grep -E "\"($target|/proc/self/fd/[0-9]+)\"" "$SCRATCH/trace"
		[[ $output == *O_RDONLY* ]]
		[[ $output != *O_RDWR* && $output != *O_WRONLY* ]]
		[ "$(issued "$SCRATCH/trace" | cut -d ' ' -f 1 | sort -u)" = PREAD ]
	done
	[ "$(statuses)" = "ok ok ok ok" ]
	[ "$(hash_of "$LOOP_IMAGE")" = "$before" ]
}

@test "O-04: the read points of a writing sweep use a read-only descriptor" {
	loop_up 16M
	strace -f -qq -s 64 -e trace=io_submit,openat -o "$SCRATCH/trace" "$TOOL" run --target "$LOOP" \
		--rw randread,randwrite --ramp-time 50ms --runtime 300ms \
		--write-to "$(identity "$LOOP")" --yes
	run -0 grep -E '"/proc/self/fd/[0-9]+", [A-Z_|]*O_DIRECT' "$SCRATCH/trace"
	[[ ${lines[0]} == *O_RDONLY* ]]
	[[ ${lines[1]} == *O_RDWR* ]]
}

@test "O-04: a sweep with writes is refused on a read-only device before any point" {
	loop_up 16M -r
	id=$(identity "$LOOP")
	MODES=randrw refused "is read-only" --target "$LOOP" --rwmixread 100,0 --write-to "$id"
	MODES=randread,randwrite refused "is read-only" --target "$LOOP" --write-to "$id"
}

@test "O-03: a path that is not there never becomes a file" {
	before=$(ls -A /dev)
	refused "there is no such device as '/dev/nosuch0n1'" --target /dev/nosuch0n1 \
		--write-to /dev/nosuch0n1 --span 16m
	refused "there is no file '$SCRATCH/nosuch'" --target "$SCRATCH/nosuch" \
		--write-to "$SCRATCH/nosuch" --span 16m
	[ "$(ls -A /dev)" = "$before" ]
	[ ! -e "$SCRATCH/nosuch" ]
	run -2 --separate-stderr measure --target ""
	[[ $stderr == *"--target is empty"* ]]
	run -2 measure
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "O-03: a link with colons in its name is followed, and node and numbers are stored" {
	loop_up 16M
	mkdir "$SCRATCH/by-path"
	link=$SCRATCH/by-path/pci-0000:06:00.0
	ln -s "$LOOP" "$link"
	measure --target "$link"
	[ "$(stored "SELECT target_given, target_resolved FROM run")" = "$link|$LOOP" ]
	numbers=$(stored "SELECT value FROM run_fact WHERE name = 'device.number'")
	[ "$numbers" = "$(lsblk -dno MAJ:MIN "$LOOP" | tr -d ' ')" ]
}

@test "a link to a mounted device is refused as the device is" {
	need mkfs.ext4
	loop_up 16M
	ext4_up "$LOOP"
	id=$(identity "$LOOP")
	ln -s "$LOOP" "$SCRATCH/link"
	mknod "$SCRATCH/node" b "$(stat -c '0x%t' "$LOOP")" "$(stat -c '0x%T' "$LOOP")"
	mount_up "$LOOP"
	refused_always "mounted at $MNT" "$SCRATCH/link" "$id"
	refused_always "mounted at $MNT" "$SCRATCH/node" "$id"
}

@test "O-49: nonsense targets are refused at once, each with its reason" {
	need mkfifo
	loop_reserve
	unattached=/dev/loop$LOOP_NR
	[ -b "$unattached" ] || mknod "$unattached" b 7 "$LOOP_NR"
	mkdir "$SCRATCH/dir"
	mkfifo "$SCRATCH/fifo"
	python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$SCRATCH/socket"
	: >"$SCRATCH/empty"
	head -c 2048 /dev/urandom >"$SCRATCH/short"
	ln -s "$SCRATCH/nosuch" "$SCRATCH/dangling"
	before=$(ls -A "$SCRATCH")
	while read -r target text; do
		for mode in randread randwrite; do
			run ! timeout 1 "$TOOL" run --target "$target" --rw "$mode" --bs 4k --write-to "$target" --yes
			echo "$target: $status: $output"
			[ "$status" -lt 3 ]
			[ "${#lines[@]}" -eq 1 ]
			[[ $output == "lunsweep: "*"'$target'"*"$text"* ]]
		done
	done <<-TABLE
		$SCRATCH/dir is a directory
		/dev/null is a character device
		/dev/zero is a character device
		$unattached has no size
		$SCRATCH/fifo is a FIFO
		$SCRATCH/socket is a socket
		$SCRATCH/empty is empty
		$SCRATCH/dangling is a symbolic link to nothing
	TABLE
	# A block that is larger than the whole target can never be measured (D23).
	run -2 measure --target "$SCRATCH/short" --bs 4k
	[[ $output == *"less than one block"* ]]
	[ "$(ls -A "$SCRATCH")" = "$before" ]
}

@test "nothing that is printed reaches the target when the standard streams are closed" {
	random_file "$SCRATCH/file" 8M
	cp "$SCRATCH/file" "$SCRATCH/copy"
	strace -f -qq -e trace=openat -o "$SCRATCH/trace" sh -c 'exec "$@" <&- >&- 2>&-' sh \
		"$TOOL" run --target "$SCRATCH/file" --rw randwrite --offset 4m --span 1m \
		--write-to "$SCRATCH/file" --ramp-time 50ms --runtime 300ms || true
	[ "$(statuses)" = ok ]
	unchanged "$SCRATCH/file" "$SCRATCH/copy" $((4 << 20)) $((5 << 20))
	# Whatever is opened, it never gets the number of a stream.
	run -0 grep "\"$SCRATCH/file\"" "$SCRATCH/trace"
	run ! grep -E '= [012]$' <<<"$output"
}

@test "a target that comes into use during the run is not written any more" {
	random_file "$SCRATCH/file" 8M
	measure --target "$SCRATCH/file" --rw randwrite --iodepth 1,2 --runtime 1500ms --order listed \
		--write-to "$SCRATCH/file" >"$SCRATCH/out" 2>&1 3>&- &
	pid=$!
	wait_until 10 grep -q '^run 1' "$SCRATCH/out"
	loop_attach "$SCRATCH/file"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 3 ]
	[ "$(statuses)" = "ok failed" ]
	[[ $(stored "SELECT reason FROM point WHERE status = 'failed'") == *"backs the loop device"* ]]
}

@test "a file system that is made on the second target while the first is measured is not overwritten" {
	need mkfs.ext4
	random_file "$SCRATCH/file" 8M
	loop_up 16M
	id=$(identity "$LOOP")
	measure --target "$SCRATCH/file" --target "$LOOP" --rw randwrite --runtime 4s --write-to "$SCRATCH/file" \
		--write-to "$id" --yes >"$SCRATCH/out" 2>&1 3>&- &
	pid=$!
	defer stop_pid "$pid"
	wait_until 10 grep -q '^run 1' "$SCRATCH/out"
	ext4_up "$LOOP"
	sync "$LOOP"
	before=$(hash_of "$LOOP_IMAGE")
	status=0
	wait "$pid" || status=$?
	cat "$SCRATCH/out"
	[ "$status" -eq 1 ]
	grep -F "'$LOOP' carries data (ext4 signature) and is not written" "$SCRATCH/out"
	[ "$(hash_of "$LOOP_IMAGE")" = "$before" ]
	[ "$(statuses)" = "ok planned" ]
}

@test "a sparse file that its file system has no room for is not written, and a span that fits is" {
	need mkfs.ext4
	loop_up 128M
	ext4_up "$LOOP" -m 0
	mount_up "$LOOP"
	file=$(realpath "$MNT")/file
	truncate -s 1G "$file"
	refused "is sparse: to fill it takes 1.00 GiB more" --target "$file" --write-to "$file"
	[ "$(stat -c %b "$file")" -eq 0 ]
	measure --target "$file" --rw randwrite --span 4m --write-to "$file"
	# Reads take no room.
	measure --target "$file" --rw randread --accept unwritten,host-cache
}

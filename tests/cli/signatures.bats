#!/usr/bin/env bats
# side by side
#
# What lies on an idle device is found, in its first place and in the second ones, and is only overwritten with
# both consents.

load ../lib/common
load ../lib/loop
load ../lib/run
load ../lib/guard

setup() {
	scratch_up
	db_up
	IMAGE=$SCRATCH/image
}

# signed SIZE CMD...: an image that CMD has put something on; its name goes to the end.
signed() {
	rm -f "$IMAGE"
	truncate -s "$1" "$IMAGE"
	"${@:2}" "$IMAGE" >"$SCRATCH/out" 2>&1 || {
		cat "$SCRATCH/out"
		return 1
	}
}

# by_hand KIND SIZE
by_hand() {
	need python3
	signed "$2" python3 "$PROJECT_ROOT/tests/lib/signature.py" "$1"
}

# wipe BYTES: the begin of the image, and so the first place.
wipe() {
	head -c "$1" /dev/zero | dd of="$IMAGE" conv=notrunc bs=1M iflag=fullblock status=none
}

# carries TEXT: refused with the consent that names it, byte for byte the same afterwards.
carries() {
	local before

	before=$(hash_of "$IMAGE")
	loop_attach "$IMAGE"
	refused "carries data ($1)" --target "$LOOP" --write-to "$(identity "$LOOP")"
	[[ $stderr == *"add --overwrite-signature" ]]
	loop_down "$LOOP"
	[ "$(hash_of "$IMAGE")" = "$before" ]
}

# Without that no refusal would say anything.
@test "an image with nothing on it carries nothing, and one consent is enough" {
	signed 160M true
	loop_attach "$IMAGE"
	measure --target "$LOOP" --rw write --span 1m --write-to "$(identity "$LOOP")" --yes
	[ "$(statuses)" = ok ]
	[ "$(stored "SELECT value FROM run_fact WHERE name = 'guard.on_it'")" = nothing ]
}

@test "ext4 is found in its second superblock, for each size of block" {
	need mkfs.ext4
	for block in 1024:8193k 2048:32m 4096:128m; do
		signed 160M mkfs.ext4 -q -b "${block%:*}"
		carries "ext4 signature"
		wipe 65536
		carries "ext4 signature in a copy at ${block#*:}"
	done
}

@test "ext2 is found in a later copy where the first two are gone" {
	need mke2fs
	signed 30M mke2fs -q -b 1024
	head -c 65536 /dev/zero | dd of="$IMAGE" conv=notrunc bs=1k seek=8190 status=none
	wipe 65536
	carries "ext2 signature in a copy at 24577k"
}

@test "xfs is found in its second allocation group, in sizes that divide evenly or not" {
	need mkfs.xfs
	signed 320M mkfs.xfs -q
	carries "xfs signature"
	wipe 65536
	carries "xfs signature in a copy at 160m"
	signed 333333k mkfs.xfs -q
	wipe 65536
	carries "xfs signature in a copy at 83336k"
}

@test "swap is found, and an LVM label, and its metadata without it" {
	need mkswap
	signed 16M mkswap
	carries "swap signature"
	by_hand lvm 16M
	carries "LVM2_member signature"
	wipe 1024
	carries "LVM2_member signature in its metadata at 4100"
	if command -v pvcreate >/dev/null; then
		signed 16M true
		loop_attach "$IMAGE"
		pvcreate -q "$LOOP"
		loop_down "$LOOP"
		carries "LVM2_member signature"
	fi
}

@test "a GPT is found by its copy at the end" {
	need sgdisk
	signed 16M sgdisk -n 1:2048:4096
	carries "gpt partition table"
	wipe 65536
	carries "gpt partition table at the end"
}

@test "a member of an array is found, with its superblock at the begin or at the end" {
	by_hand md-1.2 16M
	carries "linux_raid_member signature"
	for version in 1.0 0.90; do
		by_hand md-$version 16M
		wipe 1048576
		carries "linux_raid_member signature at the end"
	done
}

@test "btrfs is found in its mirror at 64 MiB, LUKS in its second header, ZFS in its last labels" {
	by_hand btrfs 80M
	carries "btrfs signature"
	wipe 1048576
	carries "btrfs signature in a copy at 64m"
	by_hand luks2 16M
	carries "crypto_LUKS signature"
	wipe 4096
	carries "crypto_LUKS signature"
	by_hand zfs 80M
	carries "zfs_member signature"
	wipe 1048576
	carries "zfs_member signature at the end"
}

@test "more than one thing on a device is named, each once" {
	need mkfs.ext4 python3
	signed 16M mkfs.ext4 -q
	python3 "$PROJECT_ROOT/tests/lib/signature.py" md-1.0 "$IMAGE"
	carries "linux_raid_member signature at the end, ext4 signature"
}

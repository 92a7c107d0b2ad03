# SPDX-License-Identifier: MIT
# Writes that must be refused: nothing is issued, nothing is stored, and not a byte of the target changes.
# shellcheck shell=bash

# hash_of TARGET: of a device, what is on its medium: a file system that is mounted makes up bitmaps in the cache
# of its device, a moment after the mount, and writes them only when it changes them.
hash_of() {
	if [ -b "$1" ]; then
		dd if="$1" iflag=direct bs=1M status=none | sha256sum
	else
		sha256sum <"$1"
	fi
}

# not_written STATUS TEXT TARGET OPTION...: a write sweep that ends with that status before its first
# I/O, with TEXT in its one line. Its points are randwrite, or what MODES says.
not_written() {
	local wanted=$1 text=$2 target=$3 before='' after=''
	local -a time=(--runtime 1s)

	shift 3
	[[ " $* " != *" --runtime "* ]] || time=()
	if [ -b "$target" ] || [ -f "$target" ]; then
		ledger guard_tried
		sync "$target"
		before=$(hash_of "$target")
	fi
	run --separate-stderr traced "$SCRATCH/trace" "$TOOL" run --rw "${MODES:-randwrite}" "${time[@]}" --yes \
		--target "$target" "$@"
	echo "$stderr"
	[ "$status" -eq "$wanted" ]
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[[ $stderr == "lunsweep: "*"$text"* ]]
	[ -z "$(issued "$SCRATCH/trace")" ]
	[ ! -e "$LUNSWEEP_DB" ]
	[ -n "$before" ] || return 0
	after=$(hash_of "$target")
	[ "$after" = "$before" ]
	ledger guard_refused
}

# refused TEXT --target TARGET OPTION...: because of what the target is.
refused() {
	not_written 1 "$1" "$3" "${@:4}"
}

# The same with every consent that there is.
refused_always() {
	refused "$1" --target "$2" --write-to "$3" --overwrite-signature
}

# mount_up DEVICE [OPTION]: at MNT. Nothing is left for the file system to write later.
mount_up() {
	MNT=$SCRATCH/mnt
	mkdir "$MNT"
	mount -o "${2:-noatime}" "$1" "$MNT"
	defer umount "$MNT"
	sync -f "$MNT"
}

# ext4_up DEVICE [OPTION...]: a file system that writes nothing by itself.
ext4_up() {
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "${@:2}" "$1"
}

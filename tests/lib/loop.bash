# SPDX-License-Identifier: MIT
# Loop devices, at numbers that no other test uses at the same time.
# shellcheck shell=bash

# The numbers to take from; those below 20 are left to the system.
: "${LUNSWEEP_LOOPS:=20-59}"

# Take a number that is free: an flock keeps it for as long as this process lives. Sets LOOP_NR.
loop_reserve() {
	local nr fd

	for ((nr = ${LUNSWEEP_LOOPS%-*}; nr <= ${LUNSWEEP_LOOPS#*-}; nr++)); do
		[ ! -e "/sys/block/loop$nr/loop/backing_file" ] || continue
		exec {fd}>"/run/lock/lunsweep-test-loop$nr"
		if flock -n "$fd" && [ ! -e "/sys/block/loop$nr/loop/backing_file" ]; then
			LOOP_NR=$nr
			return 0
		fi
		exec {fd}>&-
	done
	echo "all loop devices $LUNSWEEP_LOOPS are in use" >&2
	return 1
}

# loop_attach FILE [LOSETUP-OPTION...]: set LOOP to a loop device on FILE, with direct I/O unless
# --direct-io is among the options, and a queue as long as a fresh one's (the kernel keeps what
# the number's last user had).
loop_attach() {
	local file=$1
	local -a direct=(--direct-io=on)

	shift
	need_root
	[ -e /dev/loop-control ] || skip "there are no loop devices here"
	[[ " $* " != *" --direct-io"* ]] || direct=()
	loop_reserve || return 1
	LOOP=/dev/loop$LOOP_NR
	[ -b "$LOOP" ] || mknod "$LOOP" b 7 "$LOOP_NR" || return 1
	losetup "${direct[@]}" "$@" "$LOOP" "$file" || return 1
	defer loop_down "$LOOP"
	echo 128 >"/sys/block/loop$LOOP_NR/queue/nr_requests" || return 1
	export LOOP LOOP_NR
}

# loop_up SIZE [LOSETUP-OPTION...]: the same on a new image of random data, LOOP_IMAGE. With
# --sparse in front of SIZE the image has only holes.
loop_up() {
	local sparse=

	if [ "$1" = --sparse ]; then
		sparse=1
		shift
	fi
	LOOP_IMAGE=$(mktemp "$SCRATCH/image.XXXXXX")
	export LOOP_IMAGE
	if [ "$sparse" ]; then
		truncate -s "$1" "$LOOP_IMAGE"
	else
		random_file "$LOOP_IMAGE" "$1"
	fi
	shift
	loop_attach "$LOOP_IMAGE" "$@"
}

# random_file PATH SIZE: incompressible data, written to the disk.
random_file() {
	head -c "$2" /dev/urandom >"$1" && sync "$1"
}

# Detach; the kernel does it when the last one closes the device, so wait for that.
loop_down() {
	local sys=/sys/block/${1#/dev/}/loop/backing_file

	[ -e "$sys" ] || return 0
	losetup -d "$1" && wait_until 10 test ! -e "$sys"
}

# SPDX-License-Identifier: MIT
# The simulated array (tests/testbed/array.c) as a target. ARRAY is its lun, ARRAY_DIR its mount
# point; loop_attach "$ARRAY" makes a block device of it.
# shellcheck shell=bash

# array_up [KEY=VALUE...]: mount it. Skips where there is no FUSE.
array_up() {
	local log

	need_root
	need fusermount3 mountpoint
	[ -e /dev/fuse ] || skip "there is no /dev/fuse here"
	[ -x "$TESTBED/array" ] || skip "the simulated array is not built (make testbed)"
	ARRAY_DIR=$(mktemp -d "$SCRATCH/array.XXXXXX")
	log=$ARRAY_DIR.log
	# Descriptor 3 is bats' own: it would wait for whoever holds it. The way from the array to
	# the host and back takes 50 to 350 us where processors are busy or must be woken; early_us hides it.
	"$TESTBED/array" "$ARRAY_DIR" realtime=1 early_us=400 "$@" >"$log" 2>&1 3>&- &
	ARRAY_PID=$!
	ARRAY=$ARRAY_DIR/lun
	defer array_down "$ARRAY_DIR" "$ARRAY_PID"
	export ARRAY ARRAY_DIR ARRAY_PID
	# No load before this is certain: a load on an empty folder would lay out a real file.
	wait_until 10 array_is_up_or_gone "$ARRAY_DIR" "$ARRAY_PID"
	mountpoint -q "$ARRAY_DIR" || {
		cat "$log" >&2
		return 1
	}
}

array_is_up_or_gone() {
	mountpoint -q "$1" || is_gone "$2"
}

# array_ctl COMMAND...: as "array_ctl set svc=4"; fails for a command that the array refuses.
array_ctl() {
	echo "$*" >"$ARRAY_DIR/ctl"
}

# array_stats [NAME]: all that the array saw, or one figure of it.
array_stats() {
	if [ $# -eq 0 ]; then
		cat "$ARRAY_DIR/stats"
	else
		awk -v name="$1" '$1 == name { print $2 }' "$ARRAY_DIR/stats"
	fi
}

# By mountinfo: a mount whose server died answers stat with an error.
array_is_mounted() {
	grep -qF " $1 " /proc/self/mountinfo
}

array_umount() {
	! array_is_mounted "$1" || umount "$1" 2>/dev/null
}

# array_down [DIR PID]: whatever state it is in: hanging, dead, busy.
array_down() {
	local dir=${1:-$ARRAY_DIR} pid=${2:-$ARRAY_PID}

	if array_is_mounted "$dir" && ! is_gone "$pid"; then
		timeout 5 sh -c 'echo unhang >"$1/ctl"' sh "$dir" 2>/dev/null || true
	fi
	wait_until 5 array_umount "$dir" || umount -l "$dir"
	stop_pid "$pid"
	! array_is_mounted "$dir"
}

# SPDX-License-Identifier: MIT
# A known speed: an I/O limit of a cgroup on one device, by blkio (v1) or io (v2). The kernel
# lets I/O through in slices of 100 ms, so IOPS and mean latency are exact over seconds, while
# single latencies are not.
# shellcheck shell=bash

THROTTLE_V1=/sys/fs/cgroup/blkio

# The mount point of cgroup v2, if it has the io controller.
throttle_v2_root() {
	local root

	for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
		if grep -qw io "$root/cgroup.controllers" 2>/dev/null; then
			echo "$root"
			return 0
		fi
	done
	return 1
}

# throttle_up DEVICE: make a cgroup that can limit DEVICE. Skips where there is no controller.
throttle_up() {
	local root name=lunsweep-test-$$-$RANDOM

	need_root
	THROTTLE_DEV=$(lsblk -dno MAJ:MIN "$1" | tr -d ' ')
	if [ -e "$THROTTLE_V1/blkio.throttle.read_iops_device" ] || [ -e "$THROTTLE_V1/tasks" ]; then
		THROTTLE_GROUP=$THROTTLE_V1/$name
	elif root=$(throttle_v2_root); then
		echo +io >"$root/cgroup.subtree_control" || return 1
		THROTTLE_GROUP=$root/$name
	else
		skip "there is no cgroup controller for I/O here"
	fi
	mkdir "$THROTTLE_GROUP" || return 1
	defer throttle_down "$THROTTLE_GROUP"
	export THROTTLE_DEV THROTTLE_GROUP
}

# throttle_set LIMIT N: LIMIT is read_iops, write_iops, read_bps or write_bps; 0 lifts it. It may
# change while something runs.
throttle_set() {
	local file=$THROTTLE_GROUP/blkio.throttle.$1_device key n=$2

	if [ -e "$file" ]; then
		echo "$THROTTLE_DEV $n" >"$file"
		return
	fi
	case $1 in
	read_iops) key=riops ;;
	write_iops) key=wiops ;;
	read_bps) key=rbps ;;
	write_bps) key=wbps ;;
	*) echo "there is no limit $1" >&2 && return 1 ;;
	esac
	[ "$n" != 0 ] || n=max
	echo "$THROTTLE_DEV $key=$n" >"$THROTTLE_GROUP/io.max"
}

# in_throttle CMD...: run CMD inside the cgroup.
in_throttle() {
	sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$THROTTLE_GROUP" "$@"
}

# A process that has just ended may still be in the group for a moment.
throttle_down() {
	[ ! -d "$1" ] || wait_until 10 rmdir "$1" 2>/dev/null
}

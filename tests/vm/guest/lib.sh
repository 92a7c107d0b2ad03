# SPDX-License-Identifier: MIT
# What the scripts in the machine need; busybox's shell.
# shellcheck shell=sh disable=SC3043 # it has local

# null_blk NAME KEY=VALUE...: make /dev/NAME.
null_blk() {
	local name=$1 dir=/sys/kernel/config/nullb/$1 pair

	[ -d /sys/kernel/config/nullb ] || modprobe null_blk nr_devices=0
	mkdir "$dir"
	shift
	for pair; do
		echo "${pair#*=}" >"$dir/${pair%%=*}" || echo "null_blk $name refuses $pair"
	done
	echo 1 >"$dir/power"
}

# scsi_up KEY=VALUE...: the disk of a new scsi_debug is DISK.
scsi_up() {
	modprobe sd_mod
	modprobe scsi_debug "$@"
	DISK=
	while [ -z "$DISK" ]; do
		sleep .2
		DISK=$(cd /sys/block && echo sd?)
		[ -b "/dev/$DISK" ] || DISK=
	done
	DISK=/dev/$DISK
}

scsi_down() {
	rmmod scsi_debug
}

# dm_up NAME TABLE: without udev dmsetup makes the node itself.
dm_up() {
	echo "$2" | dmsetup --noudevsync --noudevrules create "$1"
	dmsetup mknodes
}

# sectors DEVICE
sectors() {
	cat "/sys/block/${1#/dev/}/size"
}

# identity DEVICE: as 'lunsweep devices' prints it.
identity() {
	lunsweep devices --format json | tr -d '\n' | sed 's/}, *{/}\n{/g' |
		grep "\"device\": *\"$1\"" | sed 's/.*"identity": *"\([^"]*\)".*/\1/'
}

# when_busy DEVICE CMD...: when reads of it have been in flight for half a second.
when_busy() {
	local stat=/sys/block/${1#/dev/}/inflight reads=0

	shift
	while [ "$reads" -lt 3 ]; do
		read -r reads _ <"$stat" || return
	done
	sleep .5
	"$@"
}

# measure NAME OPTION...: a run into /out/NAME.db; what it prints, and its status, stand beside it.
measure() {
	local name=$1 status=0

	shift
	lunsweep run --db "/out/$name.db" --new --precision none "$@" >"/out/$name.out" 2>"/out/$name.err" ||
		status=$?
	echo $status >"/out/$name.status"
}

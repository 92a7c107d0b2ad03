# SPDX-License-Identifier: MIT
# Devices that fail, vanish, stall, or are in use.
# shellcheck shell=sh disable=SC1091
. /root/lib.sh

short="--ramp-time 100ms --runtime 500ms"
long="--ramp-time 100ms --runtime 3s"

stall() {
	dmsetup suspend holder
	sleep 3
	dmsetup resume holder
}

remove() {
	echo "$1" >"$2"
}

# shellcheck disable=SC2086 # options
{
	for i in 0 1 2 3 4 5; do
		null_blk nullb$i size=64 irqmode=2 completion_nsec=1000000 hw_queue_depth=32 submit_queues=1 \
			queue_mode=2 memory_backed=1
	done

	# EIO at 4 KiB from 1 MiB on, among 16 blocks. Merged with the block beside it, both would fail.
	echo 2 >/sys/block/nullb0/queue/nomerges
	echo +2048-2055 >/sys/kernel/config/nullb/nullb0/badblocks
	measure badblock --target /dev/nullb0 --iodepth 8 --offset 1015808 --span 64k $short
	measure badblock-twin --target /dev/nullb0 --iodepth 8 --offset 2m --span 2m $short
	echo -2048-2055 >/sys/kernel/config/nullb/nullb0/badblocks

	# In use: dm, md. Idle is the twin.
	measure idle --target /dev/nullb1 --rw randwrite --yes --write-to "$(identity /dev/nullb1)" $short
	modprobe dm-mod
	dm_up holder "0 $(sectors /dev/nullb1) linear /dev/nullb1 0"
	measure dm-holder --target /dev/nullb1 --rw randwrite --yes --write-to "$(identity /dev/nullb1)" \
		--overwrite-signature $short
	measure dm --target /dev/mapper/holder --iodepth 4 $short
	modprobe raid1
	mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 --assume-clean \
		/dev/nullb2 /dev/nullb3 >/out/mdadm 2>&1
	measure md-holder --target /dev/nullb2 --rw randwrite --yes --write-to "$(identity /dev/nullb2)" \
		--overwrite-signature $short
	measure md --target /dev/md0 --iodepth 4 $short

	# One second up, one second down, from when it is made.
	modprobe dm-flakey
	dm_up flakey "0 $(sectors /dev/nullb4) flakey /dev/nullb4 0 1 1"
	measure flakey --target /dev/mapper/flakey --iodepth 4 $long

	# Nothing completes for 3 s.
	when_busy nullb1 stall &
	measure suspend --target /dev/mapper/holder --iodepth 4 --ramp-time 0 --runtime 6s
	wait

	# Gone in the middle of a point.
	when_busy nullb5 remove 0 /sys/kernel/config/nullb/nullb5/power &
	measure removed --target /dev/nullb5 --iodepth 16 $long
	wait

	# A medium error of SCSI disks, at sector 0x1234; a queue of 16.
	scsi_up dev_size_mb=64 ndelay=500000 max_queue=16 opts=2 num_parts=1
	measure medium --target "$DISK" --iodepth 8 --offset 2m --span 1m $short
	measure queue --target "$DISK" --iodepth 8,64 --span 2m $short
	cat "/sys/block/${DISK#/dev/}/device/queue_depth" >/out/queue_depth
	mke2fs -F "${DISK}1" >/out/mke2fs 2>&1
	mount -t ext4 "${DISK}1" /mnt
	measure partition --target "$DISK" --rw randwrite --yes --write-to "$(identity "$DISK")" \
		--overwrite-signature $short
	umount /mnt
	when_busy "$DISK" remove 1 "/sys/block/${DISK#/dev/}/device/delete" &
	measure deleted --target "$DISK" --iodepth 8 --span 2m $long
	wait
	scsi_down

	scsi_up dev_size_mb=64 sector_size=4096 wp=1
	measure 4kn --target "$DISK" --bs 512,4k $short
	measure protected --target "$DISK" --rw randwrite --yes --write-to "$(identity "$DISK")" \
		--overwrite-signature $short
	scsi_down
}

# SPDX-License-Identifier: MIT
# 32 requests at a time of 5 ms each, in a machine whose clock counts instructions.
# shellcheck shell=sh disable=SC1091
. /root/lib.sh

kind="size=1024 irqmode=2 hw_queue_depth=32 submit_queues=1 queue_mode=2"
# shellcheck disable=SC2086 # pairs
{
	null_blk nullb0 $kind completion_nsec=5000000
	null_blk nullb1 $kind completion_nsec=5100000
}
# What the kernel does for an I/O takes its virtual time too: nothing here could be merged.
echo 2 >/sys/block/nullb0/queue/nomerges
echo 0 >/sys/block/nullb0/queue/add_random
measure curve --target /dev/nullb0 --ramp-time 500ms --runtime 3s --iodepth 1,2,4,8,16,32,64,128 --cap mean:10ms
measure slower --target /dev/nullb1 --ramp-time 500ms --runtime 1s --iodepth 8

# The wall clock jumps an hour ahead in the first point, and back in the second.
set-clock 2 3600 3 -3600 &
measure jump --target /dev/nullb0 --ramp-time 500ms --runtime 3s --iodepth 4,8
wait

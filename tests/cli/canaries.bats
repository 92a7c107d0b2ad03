#!/usr/bin/env bats
# side by side
#
# Canaries: what lies before and behind the span of whatever writes is compared byte by byte, on real
# devices. That each I/O lies in the span is in pattern.bats and tests/unit/test_run_span.c.

load ../lib/common
load ../lib/loop
load ../lib/throttle
load ../lib/run

BEGIN=$((5 << 20))

setup() {
	scratch_up
	db_up
}

# canaries_up SIZE [LOSETUP-OPTION...]: a device of random data and a copy of it; sets ID.
canaries_up() {
	loop_up "$@"
	cp "$LOOP_IMAGE" "$SCRATCH/copy"
	ID=$(identity "$LOOP")
}

# sing END: nothing but [BEGIN, END) was written, and that was, to its first and last block.
sing() {
	unchanged "$LOOP_IMAGE" "$SCRATCH/copy" "$BEGIN" "$1"
	run ! cmp -s -n 4096 -i "$BEGIN" "$LOOP_IMAGE" "$SCRATCH/copy"
	run ! cmp -s -n 4096 -i $(($1 - 4096)) "$LOOP_IMAGE" "$SCRATCH/copy"
}

@test "O-05: canaries beside a run of every mode, several blocks and workers stay whole" {
	canaries_up 16M
	measure --rw write,randwrite,rw,randrw --bs 4k,20k --iodepth 32 --workers 1,3 --runtime 200ms \
		--offset 5m --span $((257 * 4096)) --target "$LOOP" --write-to "$ID" --yes
	[ "$(stored "SELECT DISTINCT status FROM point")" = ok ]
	sing $((BEGIN + 257 * 4096))
}

@test "O-05: canaries beside a run on sectors of 4096 bytes, up to the end of the device, stay whole" {
	canaries_up 6M -b 4096
	measure --rw write,randwrite --bs 4k,64k --iodepth 16 --workers 4 --runtime 200ms \
		--offset 5m --span 1m --target "$LOOP" --write-to "$ID" --yes
	sing $((6 << 20))
}

@test "O-05: canaries beside an offered load of writes stay whole" {
	canaries_up 16M
	measure --rw randwrite --bs 4k --rate 2000 --iodepth 16 --workers 2 --runtime 500ms \
		--offset 5m --span 64k --target "$LOOP" --write-to "$ID" --yes
	sing $((BEGIN + 65536))
}

@test "O-05: canaries beside a search on a curve of writes stay whole" {
	canaries_up 16M
	"$TOOL" find --target "$LOOP" --rw randwrite --cap mean:1s --max-depth 8 --runtime 200ms \
		--ramp-time 0 --offset 5m --span 128k --write-to "$ID" --yes >"$SCRATCH/out" 2>&1 || [ $? -le 4 ]
	cat "$SCRATCH/out"
	sing $((BEGIN + 131072))
}

@test "O-05: canaries beside a fill of two passes, killed and gone on with, stay whole" {
	canaries_up 48M
	throttle_up "$LOOP"
	throttle_set write_bps $((6 << 20))
	in_throttle "$TOOL" prepare --target "$LOOP" --write-to "$ID" --yes --passes 2 --offset 5m \
		--span $(((30 << 20) + 4096)) >"$SCRATCH/out" 2>&1 3>&- &
	shell=$!
	defer stop_pid "$shell"
	wait_until 20 some_is_durable
	kill -KILL "$(pgrep -P "$shell" -x lunsweep)"
	wait "$shell" || true
	ledger kills
	unchanged "$LOOP_IMAGE" "$SCRATCH/copy" "$BEGIN" $((BEGIN + (30 << 20) + 4096))
	throttle_set write_bps 0
	"$TOOL" prepare --target "$LOOP" --write-to "$ID" --yes --passes 2 --offset 5m \
		--span $(((30 << 20) + 4096)) 2>"$SCRATCH/err"
	grep -q "going on with preparation" "$SCRATCH/err"
	sing $((BEGIN + (30 << 20) + 4096))
}

some_is_durable() {
	[ "$(stored "SELECT count(*) FROM preparation WHERE pass_bytes > 0" 2>/dev/null)" = 1 ]
}

@test "what compares the canaries sees one byte before the span and one behind it" {
	# What is counted here was changed by this test, and is no finding.
	unset LEDGER
	canaries_up 8M
	for at in 0 $((BEGIN - 1)) $((BEGIN + 4096)) $(((8 << 20) - 1)); do
		cp "$SCRATCH/copy" "$SCRATCH/spoiled"
		byte=$(od -An -tu1 -j "$at" -N 1 "$SCRATCH/copy")
		printf '%b' "\\x$(printf %02x $((255 - byte)))" |
			dd of="$SCRATCH/spoiled" bs=1 seek="$at" conv=notrunc status=none
		run ! unchanged "$SCRATCH/spoiled" "$SCRATCH/copy" "$BEGIN" $((BEGIN + 4096))
		[[ $output == "1 bytes outside of "* ]]
	done
	unchanged "$SCRATCH/copy" "$LOOP_IMAGE" "$BEGIN" $((BEGIN + 4096))
}

#!/usr/bin/env bats
# What the load loop costs, as far as it is the same on every machine: its own instructions. IOPS per
# core follow from them and from the kernel's share, and are printed by `make bench`.

load ../lib/common

setup() {
	need valgrind callgrind_annotate fallocate
	scratch_up
	fallocate -l 4k "$SCRATCH/probe" || skip "no fallocate here"
}

count() {
	"$PROJECT_ROOT/scripts/count-instructions.sh" "$TESTBED/instructions" "$SCRATCH" "$@"
}

# at_most LIMIT VALUE
at_most() {
	echo "$2 instructions for an I/O, at most $1 are allowed"
	awk -v limit="$1" -v value="$2" 'BEGIN { exit !(value > 0 && value <= limit) }'
}

@test "an I/O at depth 64 takes at most 150 instructions of user space, with its latency recorded" {
	at_most 150 "$(count 64)"
}

@test "an I/O at depth 1 takes at most 320 instructions of user space" {
	at_most 320 "$(count 1)"
}

@test "instructions are counted to one in two hundred: 200 more for each I/O are seen as such" {
	plain=$(count 64)
	more=$(count 64 200)
	echo "$plain, and $more with 200 more"
	awk -v a="$plain" -v b="$more" 'BEGIN { exit !(b - a > 199 && b - a < 201) }'
}

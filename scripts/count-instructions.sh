#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# count-instructions.sh PROGRAM SCRATCH DEPTH [EXTRA]: user-space instructions of the load loop for
# each 4 KiB read at this depth, with one decimal. PROGRAM is tests/bench/instructions, SCRATCH a
# folder on a file system with fallocate; EXTRA instructions are wasted for each read.
#
# The slope between two runs of different length under callgrind: whatever happens once cancels. A
# machine's speed has next to no influence, as only the end of an interval (100 ms) is bound to time.
# Not counted: the kernel, the clock (valgrind hides the vdso), and what counts the reads.
set -eu
program=${1:?usage: count-instructions.sh PROGRAM SCRATCH DEPTH [EXTRA]}
depth=$3
extra=${4:-0}
tmp=$(mktemp -d "$2/instructions.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# count NR_IOS: instructions and completed reads of one run.
count() {
	local out=$tmp/callgrind.out

	valgrind --tool=callgrind --callgrind-out-file="$out" "$program" "$tmp/null" "$depth" "$1" \
		"$extra" >"$tmp/ios" 2>"$tmp/log" || {
		cat "$tmp/log" >&2
		return 1
	}
	callgrind_annotate --auto=no --threshold=100 "$out" | tr -d , | awk -v ios="$(cat "$tmp/ios")" '
		/PROGRAM TOTALS/ { total = $1 }
		/:counting_reap / { counting += $1 }
		END {
			# Without it, what is counted is something else.
			if (!counting) exit 1
			printf "%.0f %d\n", total - counting, ios
		}'
}

fallocate -l 64M "$tmp/null"
short=$(count 10000)
long=$(count 30000)
echo "$short $long" | awk '{ printf "%.1f\n", ($3 - $1) / ($4 - $2) }'

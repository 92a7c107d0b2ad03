#!/usr/bin/env bats
# measures
#
# The simulated array with 8 servers, of 2 ms for runs of A and of 2.5 ms for those of B, in turn:
# IOPS of B are 0.8 of those of A at every depth, and its latencies 1.25 times as long. A is
# measured twice as often, so that half of its runs can be compared with the other half.

load ../lib/common
load ../lib/array
load ../lib/measure

# measure_at SVC: one run on servers of this many ms.
measure_at() {
	array_ctl set svc="$1"
	measure "$ARRAY" 200ms 1s --iodepth 4,32
}

# The verdict, ratio and interval of IOPS at a depth.
compare_iops() {
	"$TOOL" compare "$1" "$2" --db "$DB" --cap mean:1s --format json 2>/dev/null |
		jq -r --argjson depth "$3" '.figures[] | select(.figure == "iops" and .iodepth == $depth) |
			"\(.verdict) \(.ratio) \(.ratio_low) \(.ratio_high)"'
}

# Runs 1, 3, 4, 6, 7, 9 are of A; 2, 5, 8 of B.
measure_groups() {
	rm -f "$DB"*
	for _ in 1 2 3; do
		measure_at 2 && measure_at 2.5 && measure_at 2 || return 1
	done
}

# Every figure of the array is late by a few us, which the ratio need not show within a per mille.
holds_the_truth() {
	local verdict ratio low high

	measure_groups || return 1
	for depth in 4 32; do
		read -r verdict ratio low high < <(compare_iops 1,4,7 2,5,8 "$depth")
		tell "iodepth $depth: B/A $ratio, 95 % from $low to $high, $verdict"
		[ "$verdict" = different ] || return 1
		near "$ratio" 0.8 5 || return 1
		awk -v low="$low" -v high="$high" 'BEGIN { exit !(low * 0.995 <= 0.8 && 0.8 <= high * 1.005) }' ||
			return 1
		read -r verdict ratio low high < <(compare_iops 1,4,7 3,6,9 "$depth")
		tell "iodepth $depth: A/A $ratio, 95 % from $low to $high, $verdict"
		[[ $verdict == equivalent || $verdict == inconclusive ]] || return 1
	done
}

@test "a slower array is found different with its ratio, and an array is not different from itself" {
	need jq sqlite3
	array_up model=queue servers=8 svc=2
	export DB=$SCRATCH/db PUNCTUAL=punctual
	holds_the_truth
	run "$TOOL" compare 1,4,7 2,5,8 --db "$DB" --fail-if worse:15%
	[ "$status" -eq 4 ]
	run "$TOOL" compare 1,4,7 3,6,9 --db "$DB" --fail-if worse:5%
	[ "$status" -eq 0 ]
	# In turn, so that no drift is warned of; all of A before all of B is.
	run "$TOOL" compare 1,4,7 2,5,8 --db "$DB"
	[[ $output != *"came before all"* ]]
	run "$TOOL" compare 1,3 5,8 --db "$DB"
	[[ $output == *"came before all"* ]]
	# The two groups differ in nothing that is stored.
	[ "$("$TOOL" compare 1,4,7 3,6,9 --db "$DB" --format json | jq '[.setup[] | select(.varies == 0)] | length')" -eq 0 ]
}

#!/usr/bin/env bats
# measures
#
# The simulated array as it comes behaves as the RAID array of the ULT LUN sizing study: 12 of the
# 72 published points, each within 10 %. `make ult` does them all.

load ../lib/common
load ../lib/array
load ../lib/measure
load ../lib/ult

# ult_table RW SPANS DEPTHS TIME: sets TABLE.
ult_table() {
	local line

	DB=$SCRATCH/db
	rm -f "$DB"*
	ult_run "$DB" "$2" --rw "$1" --iodepth "$3" --runtime "$4" >"$DB.out" 2>"$DB.err" || {
		cat "$DB.err" >&2
		return 1
	}
	TABLE=$(ult_points "$DB")
	tell "$(ult_head)"
	while IFS= read -r line; do
		tell "$line"
	done <<<"$TABLE"
	tell "$(ult_errors <<<"$TABLE")"
}

# ult_is_reproduced RW SPANS
ult_is_reproduced() {
	ult_table "$1" "$2" 1,32,256 4s || return 1
	[ "$(wc -l <<<"$TABLE")" -eq 6 ] && ! grep -q 'off$' <<<"$TABLE"
}

@test "the ULT study's reads: depths 1, 32 and 256 over 1000 and 4000 GB are within 10 %" {
	need sqlite3
	array_up
	twice ult_is_reproduced randread 1000000000000,4000000000000
}

@test "the ULT study's writes: depths 1, 32 and 256 over 500 and 2000 GB are within 10 %" {
	need sqlite3
	array_up
	twice ult_is_reproduced randwrite 500000000000,2000000000000
}

# The twin: a slower disk is not the study's.
@test "an array whose disks turn slower is seen not to be the study's" {
	need sqlite3
	array_up rev=6
	ult_table randread 1000000000000 32 2s
	[ "$(wc -l <<<"$TABLE")" -eq 1 ]
	grep -q 'off$' <<<"$TABLE"
}

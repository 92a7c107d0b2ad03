#!/usr/bin/env bats
# bats file_tags=fast
load store_helper

@test "show of a run prints its set-up, its sweep and a line per point" {
	matches_golden show-run.txt "$TOOL" show 2 --db stored.db
}

@test "show of a point prints workers, directions, percentiles, counters and verdicts" {
	matches_golden show-point.txt "$TOOL" show 2 2 --db stored.db
}

@test "show of a failed point prints its error and no figures" {
	matches_golden show-failed.txt "$TOOL" show 2 3 --db stored.db
}

@test "show of an imported point prints what is known and a dash for the rest" {
	matches_golden show-imported.txt "$TOOL" show 1 4 --db stored.db
}

@test "a percentile is marked where fewer than 10 samples lie beyond it" {
	"$TOOL" show 2 1 --db stored.db >out
	# 1400 reads and 600 writes: 99 % needs 1000, 95 % needs 200
	grep -q '^99 % .*write: only 600 samples$' out
	run grep -c '^99 % .*read: only' out
	[ "$output" = 0 ]
	run grep -c '^95 % .*only' out
	[ "$output" = 0 ]
}

@test "show refuses runs and points that are not there" {
	fails_with 1 "there is no run 9 in" "$TOOL" show 9 --db stored.db
	fails_with 2 "run 2 has no point 77" "$TOOL" show 2 77 --db stored.db
	fails_with 2 "run: 'last' is not a whole number" "$TOOL" show last --db stored.db
	fails_with 2 "point: '0' is out of range" "$TOOL" show 2 0 --db stored.db
	fails_with 2 "show takes the number of a run" "$TOOL" show --db stored.db
}

#!/usr/bin/env bats
# measures
#
# A run that is given its time: what it measures first, when it ends, and what it says of the rest.

load ../lib/common
load ../lib/array
load ../lib/measure

setup() {
	scratch_up
	need jq sqlite3
	export DB=$SCRATCH/db LUNSWEEP_DB=$SCRATCH/db
}

# Points of 0.35 s with all that belongs to them.
SHORT=(--ramp-time 30ms --runtime 220ms)

# budgeted OPTION...: one command of a run that may be gone on with; its time is SPENT_MS, in ms.
budgeted() {
	local begin status=0

	begin=$(date +%s%3N)
	"$TOOL" run "${SHORT[@]}" "$@" >"$DB.out" 2>"$DB.err" || status=$?
	SPENT_MS=$(($(date +%s%3N) - begin))
	[ $status -eq 0 ] || cat "$DB.err" >&2
	return $status
}

# depths CONDITION: of the points that were measured, in the order of time.
depths() {
	db "SELECT group_concat(iodepth, ' ') FROM (SELECT iodepth FROM point
		WHERE status = 'ok' AND $1 ORDER BY start_ns)"
}

json() {
	"$TOOL" report --format json | jq -r ".runs[0]$1"
}

queue_up() {
	array_up model=queue servers=8 svc=2 size=16M data=pattern
}

half_of_two_curves() {
	rm -f "$DB"*
	budgeted --target "$ARRAY" --iodepth 1..256*2 --span 8M,16M --anchors never --budget 3s || return 1
	[ "$SPENT_MS" -lt 5500 ]
}

@test "half of the time gives the ends of all curves and the knees, and the rest when it is given more" {
	queue_up
	twice half_of_two_curves
	[ "$(depths "span_bytes = 8 << 20" | cut -d' ' -f1,2)" = "1 256" ]
	[ "$(depths "span_bytes = 16 << 20" | cut -d' ' -f1,2)" = "1 256" ]
	# Where the asymptotes cross comes third: 8 servers of 2 ms.
	[ "$(depths "span_bytes = 8 << 20" | cut -d' ' -f3)" = 8 ]
	local left before
	left=$(db "SELECT count(*) FROM point WHERE status = 'planned'")
	[ "$left" -ge 6 ] && [ "$left" -le 14 ]
	grep -F "$left of 18 points were left out: the budget of 3s was used up; the same command goes on" "$DB.err"
	[ "$(db "SELECT state FROM run")" = interrupted ]
	# What the report, the list and show say of it.
	tr -s ' \n' ' ' <"$DB.out" | grep -F "The budget of 3s was used up and left $left points out"
	tr -s ' \n' ' ' <"$DB.out" | grep -E "Not measured: iodepth [0-9, ]+\. The answers are of the [0-9] of 9 depths that were"
	[ "$(json .budget) $(json .nr_left_out)" = "budget of 3s $left" ]
	[ "$(json '.curves | map(.missing_iodepths | length) | add')" = "$left" ]
	[ "$(json '.curves | map(.missing_iodepths | index([1]), index([256])) | map(select(. != null)) | length')" = 0 ]
	[ "$("$TOOL" list --format json | jq .runs[0].planned)" = "$left" ]
	"$TOOL" list | grep -E " $left\$"
	"$TOOL" show 1 | grep -E "budget.left_out +$left\$"

	before=$(db "SELECT group_concat(id || ':' || start_ns) FROM point WHERE status = 'ok'")
	budgeted --target "$ARRAY" --iodepth 1..256*2 --span 8M,16M --anchors never --budget 1m
	grep -F "going on with run 1" "$DB.err"
	run ! grep -F "left out" "$DB.err"
	[ "$(db "SELECT state || ' ' || (SELECT count(*) FROM point WHERE status = 'ok') FROM run")" = "finished 18" ]
	for point in ${before//,/ }; do
		[ "$(db "SELECT id || ':' || start_ns FROM point WHERE id = ${point%:*}")" = "$point" ]
	done
	[ "$(json .nr_left_out)" = 0 ]
	run ! grep -F "was used up" "$DB.out"
}

@test "reads leave their share of the time to writes, which have their ends and anchors" {
	queue_up
	array_write_to() { realpath "$ARRAY"; }
	budgeted --target "$ARRAY" --rw randread,randwrite --iodepth 1..128*2 --write-to "$(array_write_to)" \
		--budget 4s
	none "SELECT * FROM point w JOIN point r ON w.rwmixread_pct = 0 AND r.rwmixread_pct = 100
		AND NOT r.is_anchor AND r.start_ns > w.start_ns AND r.status = 'ok' AND w.status = 'ok'"
	[[ " $(depths "rwmixread_pct = 0 AND NOT is_anchor") " == *" 1 "* ]]
	[[ " $(depths "rwmixread_pct = 0 AND NOT is_anchor") " == *" 128 "* ]]
	[ "$(depths "rwmixread_pct = 100" | wc -w)" -ge 3 ]
	# A writing curve of three depths has been measured again at its end.
	[ "$(depths "rwmixread_pct = 0 AND NOT is_anchor" | wc -w)" -lt 3 ] ||
		[ "$(depths "rwmixread_pct = 0 AND is_anchor" | wc -w)" -ge 1 ]
}

@test "closed loops come before the loads that are per cents of them" {
	queue_up
	budgeted --target "$ARRAY" --iodepth 1..64*2 --rate 20%,50%,80% --anchors never --budget 2800ms
	[ "$(db "SELECT min(start_ns) > (SELECT max(start_ns) FROM point WHERE rate_e4 = 0 AND status = 'ok')
		FROM point WHERE rate_e4 > 0 AND status = 'ok'")" = 1 ]
	[ "$(db "SELECT count(*) FROM point WHERE rate_e4 > 0 AND status = 'ok'")" -ge 2 ]
	[ "$(db "SELECT count(*) FROM point WHERE status = 'planned'")" -ge 1 ]
}

# An hour forward at every second look at it, and back at the next.
@test "O-35: --until ends at that time, however the wall clock jumps" {
	need cc
	queue_up
	cat >"$SCRATCH/jump.c" <<-'C'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <time.h>
		int clock_gettime(clockid_t id, struct timespec *ts)
		{
			static int (*real)(clockid_t, struct timespec *);
			static _Thread_local unsigned n;
			int rc;

			if (!real)
				real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
			rc = real(id, ts);
			if (id == CLOCK_REALTIME && ++n > 1 && n % 2)
				ts->tv_sec += 3600;
			return rc;
		}
	C
	cc -shared -fPIC -o "$SCRATCH/jump.so" "$SCRATCH/jump.c" -ldl
	LD_PRELOAD=$SCRATCH/jump.so "$TOOL" run "${SHORT[@]}" --target "$ARRAY" --iodepth 1..256 --anchors never \
		--until "$(date -d '+3 seconds' +%H:%M:%S)" >"$DB.out" 2>"$DB.err"
	[ "$(db "SELECT count(*) FROM point WHERE status = 'ok'")" -ge 3 ]
	[ "$(db "SELECT count(*) FROM point WHERE status = 'ok'")" -le 9 ]
	grep -E "2[0-9]{2} of 256 points were left out: the time until [0-9:]+ was used up" "$DB.err"
	# It did jump: the stamps are as they were taken.
	[ "$(db "SELECT count(*) FROM point WHERE abs(end_ns - start_ns) > 3000e9")" -ge 1 ]
}

@test "several targets share the time, and what one leaves goes to the next" {
	"$TOOL" prepare --target "$SCRATCH/a" --make-file 8M >/dev/null 2>&1
	"$TOOL" prepare --target "$SCRATCH/b" --make-file 8M >/dev/null 2>&1
	budgeted --target "$SCRATCH/a" --target "$SCRATCH/b" --iodepth 1..32 --anchors never --budget 3s
	[ "$SPENT_MS" -lt 5500 ]
	for run in 1 2; do
		[ "$(db "SELECT count(*) FROM point WHERE status = 'ok' AND run_id = $run")" -ge 2 ]
		# Half of the time, and less than a point that the first may leave: 1750 ms of 250 ms each.
		[ "$(db "SELECT count(*) FROM point WHERE status = 'ok' AND run_id = $run")" -le 6 ]
	done
	# The first has little to do.
	rm -f "$DB"*
	budgeted --target "$SCRATCH/a" --target "$SCRATCH/b" --iodepth 1,2 --anchors never --budget 10s
	run ! grep -F "left out" "$DB.err"
}

@test "a signal ends a run with a budget as any other, and says nothing of the budget" {
	"$TOOL" prepare --target "$SCRATCH/a" --make-file 8M >/dev/null 2>&1
	"$TOOL" run "${SHORT[@]}" --target "$SCRATCH/a" --iodepth 1..32 --budget 1m >"$DB.out" 2>"$DB.err" 3>&- &
	local pid=$! status=0
	wait_until 20 grep -q "^\[2/" "$DB.err"
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	run ! grep -F "was used up" "$DB.err" "$DB.out"
	grep -F "the same command goes on with the rest" "$DB.err"
}

# bats test_tags=fast
@test "a time that is none, or too short, is refused before anything is made" {
	truncate -s 1M "$SCRATCH/a"
	refused() {
		run -2 "$TOOL" run --target "$SCRATCH/a" --iodepth 1,2 "${@:2}"
		[[ $output == *"$1"* ]] || return 1
		[ ! -e "$DB" ]
	}
	refused "'0' is no time to measure anything" --budget 0
	refused "'-1h' is not a duration" --budget -1h
	refused "it needs a unit" --budget 8
	refused "'25:00' is no time of day" --until 25:00
	refused "'2020-01-01T00:00' is past" --until 2020-01-01T00:00
	refused "leave out one of them" --until 06:00 --budget 8h
	refused "the budget of 1m is too short for the ends of one curve: give it 251s or more" --budget 1m
	truncate -s 1M "$SCRATCH/b"
	refused "of each target: give it 501s or more" --target "$SCRATCH/b" --budget 5m
	run -2 "$TOOL" plan --target-size 1G --budget 1m --iodepth 1,2
	[[ $output == *"too short for the ends of one curve"* ]]
}

# bats test_tags=fast
@test "plan says how many points fit for certain, and how many at best" {
	within() {
		"$TOOL" plan --target-size 4T --bs 4k --iodepth 1..256*2 --span 25%,50%,100% --format json "$@" |
			jq -c '.totals | [.points, .budget_points_min, .budget_points_max]'
	}
	# 125.1 s a point, or 25.1 s: 28 of them an hour, or 143. Three curves may have anchors.
	[ "$(within --budget 1h)" = "[27,22,27]" ]
	[ "$(within --budget 1h --anchors never)" = "[27,27,27]" ]
	# Six ends.
	[ "$(within --budget 10m)" = "[27,4,23]" ]
	[ "$(within)" = "[27,null,null]" ]
	run -0 "$TOOL" plan --target-size 4T --iodepth 1..256*2 --span 25%,50%,100% --budget 1h
	[[ $output == *"budget     1:00:00: 22 of 27 points for certain, 27 if each takes its shortest time;"* ]]
	[[ $output == *"first both ends of 3 curves, then the depths that tell most"* ]]
	run -0 "$TOOL" plan --target-size 4T --iodepth 1..256*2 --budget 10m --span 25%,50%,100%
	[[ $output == *"first both ends of each curve; all 3 curves have 6"* ]]
}

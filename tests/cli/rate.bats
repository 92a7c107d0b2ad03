#!/usr/bin/env bats
# measures
#
# Offered load: I/Os that start at a rate, on targets whose queue is known. Queueing theory itself is
# held to in virtual time by tests/unit/test_run_open.c; here are the clock, the kernel and the store.

load ../lib/common
load ../lib/loop
load ../lib/array
load ../lib/throttle
load ../lib/measure

# queue_up SERVERS SVC
queue_up() {
	need jq sqlite3
	array_up model=queue servers="$1" svc="$2"
	export DB=$SCRATCH/db PUNCTUAL=punctual
}

file_up() {
	need jq sqlite3
	export DB=$SCRATCH/db FILE=$SCRATCH/file
	"$TOOL" prepare --target "$FILE" --make-file 16M >/dev/null 2>&1
}

plan_jq() {
	"$TOOL" plan --format json "${@:2}" 2>/dev/null | jq -c "$1"
}

# has_rates N: whether so many of them are measured.
has_rates() {
	[ "$(db "SELECT count(*) FROM point WHERE status = 'ok' AND rate_e4 > 0" 2>/dev/null || echo 0)" -ge "$1" ]
}

# has FLAG CONDITION: whether the last point that fits is flagged so.
has() {
	[[ " $(figure flags "$2") " == *" $1 "* ]]
}

# ---- the axis ----

@test "a rate in per cent plans the closed loops of its axes before it, in every order" {
	for order in listed interleaved random; do
		[ "$(plan_jq '[.points[] | [.iodepth, .rate_pct]]' --target-size 1G --order $order \
			--seed 3 --iodepth 1,8 --rate 50%,100% | jq -c '.[:2] | sort')" = '[[1,null],[8,null]]' ]
		[ "$(plan_jq '[.points[2:][] | [.iodepth, .rate_pct]] | sort' --target-size 1G --order $order \
			--seed 3 --iodepth 1,8 --rate 50%,100%)" = '[[8,50],[8,100]]' ]
	done
	[ "$(plan_jq '[.points[] | [.iodepth, .rate_iops]]' --target-size 1G --rate 500,1000)" = \
		'[[256,500],[256,1000]]' ]
}

@test "what no rate can be is refused before any I/O" {
	run -2 "$TOOL" plan --target-size 1G --rate 0
	run -2 "$TOOL" plan --target-size 1G --rate 121%
	run -2 "$TOOL" plan --target-size 1G --rate 10k
	run -2 "$TOOL" plan --target-size 1G --rate 500 --arrivals bursts
	run -2 "$TOOL" plan --target-size 1G --rate 500 --iodepth 1,8
	[[ $output == *"limit of I/Os in flight"* ]]
}

@test "response-curve offers 10 to 100 % of the maximum" {
	[ "$(plan_jq '[.points[].rate_pct | select(.)]' "$PROJECT_ROOT/sweeps/response-curve.yaml" \
		--target-size 1T)" = '[10,20,30,40,50,60,70,80,90,100]' ]
}

# ---- a queue of known service time ----

# D/D/c: nothing waits below the ceiling; the median, since a late machine shows in the mean.
truth_of_constant() {
	rm -f "$DB"*
	measure "$ARRAY" 500ms 2s --iodepth 16,64 --rate 25%,75%,120% --arrivals constant || return 1
	near "$(figure iops rate_pct=25)" "$(figure rate_iops rate_pct=25)" 1 &&
		near "$(figure iops rate_pct=75)" "$(figure rate_iops rate_pct=75)" 1 &&
		near "$(figure rate_iops rate_pct=25)" 1000 3 &&
		near "$(figure lat_p50_ms rate_pct=25)" 2 5 &&
		near "$(figure lat_p50_ms rate_pct=75)" 2 10 &&
		near "$(figure iops rate_pct=120)" 4000 2
}

@test "8 servers of 2 ms sustain 25 and 75 % of their maximum at 2 ms, and miss 120 %" {
	queue_up 8 2
	twice truth_of_constant
	run ! has rate-missed rate_pct=25
	run ! has rate-missed rate_pct=75
	has rate-missed rate_pct=120
	# The per cents are of the highest closed loop, to the digit.
	[ "$(db "SELECT count(*) FROM point WHERE rate_e4 > 0 AND abs(rate_iops - rate_e4 / 1e6 *
		(SELECT max(iops) FROM point WHERE rate_e4 = 0)) > 1e-6")" -eq 0 ]
	# The limit of 64 in flight was met, and the rest waited for it.
	[ "$(figure depth_max rate_pct=120)" -eq 64 ]
	[ "$(figure backlog rate_pct=120)" -gt 500 ]
	none "SELECT seq, little_rel FROM point WHERE abs(little_rel) > 0.0001"
	[ "$(db 'SELECT count(*) FROM v_curve')" -eq 1 ]
	answer=$("$TOOL" report --db "$DB" --format json | jq -c '.runs[0]')
	[ "$(jq '.curves[0].points | length' <<<"$answer")" -eq 2 ]
	near "$(jq '.responses[0].sustained_rate_iops' <<<"$answer")" 3000 3
	near "$(jq '.responses[0].missed_rate_iops' <<<"$answer")" 4800 3
	"$TOOL" report --db "$DB" | tr -s ' \n' ' ' | grep -E 'The highest load sustained is [23][0-9]+ IOPS \(75%\)'
	"$TOOL" show 1 5 --db "$DB" | grep -E 'offered +rate .* left to submit at the end'
}

# M/D/1 at 60 %: mean = 40 + 0.6 x 40 / (2 x 0.4) = 70 ms. 180 I/Os are too few for that, but a seed
# always gives the same starts: by the recursion over those of this one the mean is 69.7 ms. A queue
# as slow as this one hardly notices a machine that is late.
truth_of_poisson() {
	rm -f "$DB"*
	measure "$ARRAY" 1s 12s --rate 15 --seed 11 || return 1
	near "$(figure iops)" 15 3 && near "$(figure lat_mean_ms)" 69.7 8
}

@test "one server of 40 ms under random arrivals has the mean of Pollaczek and Khinchine" {
	queue_up 1 40
	twice truth_of_poisson
	run ! has rate-missed 1
	# Constant arrivals at the same rate do not wait: it is no matter of the rate alone.
	measure "$ARRAY" 500ms 2s --rate 15 --arrivals constant
	near "$(figure lat_p50_ms)" 40 5
}

# 200 ms without a completion in 4 s.
stalled() {
	rm -f "$DB"*
	(sleep 2 && array_ctl stall 200) 3>&- &
	measure "$ARRAY" 500ms 4s "$@" || return 1
	wait $!
	echo "p99 $(figure lat_p99_ms), max $(figure lat_max_ms)"
	awk -v max="$(figure lat_max_ms)" 'BEGIN { exit !(max > 150) }'
}

offered_load_sees_the_stall() {
	stalled --rate 1000 && awk -v p99="$(figure lat_p99_ms)" 'BEGIN { exit !(p99 > 100) }'
}

closed_loop_does_not() {
	stalled --iodepth 1 && awk -v p99="$(figure lat_p99_ms)" 'BEGIN { exit !(p99 < 50) }'
}

@test "a stall of 200 ms in 4 s is in the p99 of an offered load, and not in that of a closed loop" {
	queue_up 8 2
	twice offered_load_sees_the_stall
	twice closed_loop_does_not
}

# ---- a limit of the kernel ----

truth_of_throttle() {
	rm -f "$DB"*
	in_throttle "$TOOL" run --target "$LOOP" --db "$DB" --new --precision none --ramp-time 1s \
		--runtime 5s --rate 300,600 --arrivals constant >/dev/null 2>"$DB.err" || return 1
	near "$(figure iops rate_iops=300)" 300 2.5 && near "$(figure iops rate_iops=600)" 500 2.5
}

@test "of a device that does 500 IOPS, 300 are sustained and 600 are missed" {
	need jq sqlite3
	loop_up 64M
	throttle_up "$LOOP"
	throttle_set read_iops 500
	export DB=$SCRATCH/db
	twice truth_of_throttle
	run ! has rate-missed rate_iops=300
	has rate-missed rate_iops=600
	# 100 of 600 are left behind for 6 s: in flight, up to 256, and the rest to submit.
	near "$(figure "depth_mean + 0" rate_iops=600)" 256 30
	run ! has depth-not-held rate_iops=300
}

# ---- what is stored ----

@test "several workers share the rate, and a seed repeats the starts" {
	file_up
	measure "$FILE" 100ms 1s --rate 800 --workers 4 --arrivals constant
	[ "$(figure arrivals)" -ge 799 ]
	[ "$(figure arrivals)" -le 801 ]
	measure "$FILE" 100ms 1s --rate 800 --workers 2 --seed 5
	first=$(figure arrivals)
	measure "$FILE" 100ms 1s --rate 800 --workers 2 --seed 5
	[ "$(figure arrivals)" = "$first" ]
	measure "$FILE" 100ms 1s --rate 800 --workers 2 --seed 6
	[ "$(figure arrivals)" != "$first" ]
}

@test "a rate of nothing is skipped with the reason, and the run is not valid" {
	need jq sqlite3
	export DB=$SCRATCH/db
	file=$(mktemp -p /dev/shm)
	defer rm -f "$file"
	head -c 4M /dev/urandom >"$file"
	run -3 measure "$file" 50ms 200ms --allow-ram --iodepth 4 --rate 50%
	[ "$(db "SELECT status, reason FROM point WHERE rate_e4 > 0")" = \
		"skipped|no closed loop of these axes gave a valid maximum for the rate to be a per cent of" ]
	[[ $("$TOOL" report --db "$DB" | tr -s ' \n' ' ') == *"skipped: no closed loop of these axes"* ]]
	# The same maximum counts when its flag is accepted.
	measure "$file" 50ms 200ms --allow-ram --iodepth 4 --rate 50% --accept host-cache
	[ "$(figure status rate_pct=50)" = ok ]
}

@test "a run that was ended among its rates goes on with the maximum that it found" {
	file_up
	sweep=(--precision none --ramp-time 50ms --runtime 1s --iodepth "2,8" --rate "10%..60%+10%")
	"$TOOL" run --target "$FILE" --db "$DB" "${sweep[@]}" >/dev/null 2>&1 3>&- &
	wait_until 30 has_rates 1
	kill -TERM $!
	wait $! || [ $? -eq 143 ]
	"$TOOL" run --target "$FILE" --db "$DB" "${sweep[@]}" >/dev/null 2>&1 || [ $? -eq 3 ]
	[ "$(db 'SELECT count(*) FROM run')" -eq 1 ]
	[ "$(db "SELECT count(*) FROM point WHERE status = 'ok'")" -eq 8 ]
	[ "$(db "SELECT count(*) FROM point WHERE rate_e4 > 0 AND abs(rate_iops / rate_e4 * 1e6 /
		(SELECT max(iops) FROM point WHERE rate_e4 = 0) - 1) > 1e-9")" -eq 0 ]
}

@test "a report draws the response curve, and every form of it has the load" {
	file_up
	need gnuplot
	measure "$FILE" 50ms 300ms --iodepth 2,4 --rate 20%,40%
	"$TOOL" report --db "$DB" -o "$SCRATCH/out" >/dev/null 2>&1
	[ -s "$SCRATCH/out/load-randread-4k.png" ]
	[ -s "$SCRATCH/out/load-randread-4k.svg" ]
	grep -F 'offered load (IOPS)' "$SCRATCH/out/load-randread-4k.gp"
	grep -E '^load-cap,' "$SCRATCH/out/report.csv"
	head -n 1 "$SCRATCH/out/report.csv" | grep -F ',rate_iops,arrivals,backlog,late_p50_ms,'
	[ "$("$TOOL" export 1 --db "$DB" --format json | jq -c '[.points[].rate_pct | select(.)] | unique')" = \
		'[20,40]' ]
}

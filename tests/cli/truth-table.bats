#!/usr/bin/env bats
# measures
#
# The truth table: what was measured on targets whose ceiling and latency are known, beside the
# truth. c servers of s ms give X = N / R and R(N) = max(s, N x s / c): the ceiling within 1 %,
# latency from depth 2c on within 1.5 %. Where servers are free latency is as good as the target:
# the time that the way to the array and back adds, of which early_us hides the most (see
# tests/README.md). Depth 256 goes to the array's file, since a loop device holds 128 in flight.

load ../lib/common
load ../lib/loop
load ../lib/throttle
load ../lib/array
load ../lib/measure

setup_file() {
	trials_up
	file_setup throttled_trial
}

throttled_trial() {
	need jq sqlite3
	loop_up 64M && throttle_up "$LOOP" && throttle_set read_iops 500 && trial throttled
}

# model_up SERVERS SERVICE-MS
model_up() {
	need jq sqlite3
	C=$1 SVC=$2
	array_up model=queue servers="$C" svc="$SVC"
}

# ---- rows ----

# The rows of DB, the newest of each depth: depth, IOPS, mean latency in ms.
rows() {
	sqlite3 -separator ' ' "$DB" "SELECT iodepth, iops, lat_mean_ms FROM v_point v
		WHERE dir = 'total' AND run = (SELECT max(run) FROM v_point w WHERE w.iodepth = v.iodepth)
		ORDER BY iodepth"
}

# judged C SERVICE-MS FREE-US: rows with truth, error and, where it is too large, "off". FREE-US is
# what the way may add while servers are free.
judged() {
	awk -v c="$1" -v s="$2" -v free_us="$3" '{
		iops = 1e3 * ($1 < c ? $1 : c) / s
		ms = $1 < c ? s : $1 * s / c
		off_us = 1e3 * ($3 - ms)
		if ($1 <= c)
			bad = off_us > free_us || off_us < -free_us
		else
			bad = off_us > 15 * ms || off_us < -15 * ms
		printf "%5d %8.1f %8.1f %+6.2f %% %10.4f %10.4f %+6.2f %% %+8.1f us%s\n",
			$1, $2, iops, 100 * ($2 / iops - 1), $3, ms, 100 * ($3 / ms - 1), off_us, bad ? "  off" : ""
	}'
}

# told TITLE: what comes in, as a table.
told() {
	local line

	tell "$1"
	tell "depth     IOPS    truth     error    mean ms      truth     error"
	while IFS= read -r line; do
		tell "$line"
	done
}

ceiling_is() {
	near "$(db "SELECT max(iops) FROM point")" "$(awk -v c="$C" -v s="$SVC" 'BEGIN { print 1e3 * c / s }')" 1
}

# machine_was_late DEPTH...: what was stored is what the array itself counted, give or take what came
# back behind the window, the array kept its own service time, and the books balance: then the way
# to the array took the time, since others had the processors.
machine_was_late() {
	local depth beyond DB=$SCRATCH/late

	for depth; do
		array_ctl reset
		measure "$ARRAY" 0s 2s --iodepth "$depth" || return 1
		beyond=$(($(array_stats reads) - $(db "SELECT ios FROM point ORDER BY id DESC LIMIT 1")))
		tell "depth $depth: $beyond beyond those stored, own mean $(array_stats read_mean_ms) ms"
		# Before its first I/O the program reads a block or two.
		[ $beyond -ge 0 ] && [ $beyond -le $((depth + 4)) ] || return 1
		[ "$depth" -gt "$C" ] || near "$(array_stats read_mean_ms)" "$SVC" 2 || return 1
	done
	none "SELECT * FROM point WHERE NOT abs(little_rel) < .005 OR window_ns <> 2000000000"
	none "SELECT * FROM v_point WHERE dir = 'total' AND NOT iops * lat_mean_ms / 1e3 / iodepth
		BETWEEN .95 AND 1.05"
}

# model_is_true FREE-US DEPTHS: measure, and once more the depths that are off. Skips where the
# machine is too busy for such a target.
model_is_true() {
	local free_us=$1 table again

	measure "$ARRAY" 1s 3s --iodepth "$2" || return 1
	table=$(rows | judged "$C" "$SVC" "$free_us")
	again=$(awk '/off$/ { printf "%s%s", sep, $1; sep = "," }' <<<"$table")
	[ -n "$again" ] || ceiling_is || again=${2##*,}
	if [ -n "$again" ]; then
		told "$C x $SVC ms, off and measured once more: $again" <<<"$table"
		measure "$ARRAY" 1s 3s --iodepth "$again" || return 1
		table=$(rows | judged "$C" "$SVC" "$free_us")
	fi
	told "$C x $SVC ms, fixed time" <<<"$table"
	ceiling_is && ! grep -q 'off$' <<<"$table" && return
	# shellcheck disable=SC2046 # numbers
	machine_was_late $(tr , ' ' <<<"$2") || return 1
	skip "this machine is too busy for an array that is exact"
}

# ---- the saturation depth ----

# R in ms at this depth as the array itself has it.
own_latency() {
	local DB=$SCRATCH/own

	array_ctl reset
	measure "$ARRAY" 0s 1s --iodepth "$1" || return 1
	array_stats read_mean_ms
}

# D41: N* is the peak times R(1), by the array's own figures; in a closed loop X = N / R.
# knee_is_true CLASS PERCENT
knee_is_true() {
	local knee own

	own=$(awk -v one="$(own_latency 1)" -v deep="$(own_latency 64)" 'BEGIN { print 64 / deep * one }')
	knee=$("$TOOL" report 1 --db "$DB" --format json | jq -c '.runs[0].curves[0].knee')
	tell "$C x $SVC ms, N* $(jq -r .nstar <<<"$knee") of $own by the array, $(jq -r .class <<<"$knee")"
	[ "$(jq -r .class <<<"$knee")" = "$1" ] && near "$(jq .nstar <<<"$knee")" "$own" "$2" &&
		near "$own" "$C" "$2"
}

@test "truth table: 1 server of 0.5 ms" {
	model_up 1 .5
	PUNCTUAL=punctual
	model_is_true 50 1,2,4,64,256
	twice knee_is_true flat 15
}

@test "truth table: 4 servers of 0.5 ms" {
	model_up 4 .5
	PUNCTUAL=punctual
	model_is_true 50 1,2,4,8,64,256
	twice knee_is_true knee 15
}

@test "truth table: 8 servers of 2 ms" {
	model_up 8 2
	PUNCTUAL=punctual
	model_is_true 65 1,4,8,16,32,64,256
	twice knee_is_true knee 5
	# 10 ms are met up to depth 32; what 40 would give lies between.
	"$TOOL" report 1 --db "$DB" | grep -F "Saturates at iodepth 8: "
	cap=$("$TOOL" report 1 --db "$DB" --cap mean:10ms --format json | jq -c '.runs[0].curves[0].caps[0]')
	[ "$(jq -r .status <<<"$cap")" = ok ]
	near "$(jq .iops <<<"$cap")" 4000 2
	[ "$(jq '.iodepth >= 8 and .iodepth <= 32' <<<"$cap")" = true ]
}

@test "truth table: 16 servers of 5 ms" {
	model_up 16 5
	PUNCTUAL=punctual
	model_is_true 150 1,8,16,32,64,256
	twice knee_is_true knee 5
}

# Its twin: the judge sees an array that is 2 % slower than the truth it is held to.
@test "truth table: a target that is 2 % off is seen to be off" {
	model_up 8 2.04
	PUNCTUAL=punctual
	measure "$ARRAY" 500ms 2s --iodepth 64
	SVC=2
	[ "$(rows | judged 8 2 65 | grep -c 'off$')" -eq 1 ]
	run ! ceiling_is
}

# ---- the stopping rule ----

# stopped ARRAY-FILE: one point at the default precision of 2 %, into DB.
stopped() {
	${PUNCTUAL:-} "$TOOL" run --target "$1" --db "$DB" --new --iodepth "${2:-64}" --ramp-time 1s \
		--max-time 60s >"$DB.out" 2>"$DB.err"
}

# stopped_is_true NAME IOPS MS: what the point of DB came to.
stopped_is_true() {
	local flags

	flags=$(figure flags)
	tell "$(printf '%-14s %8.1f %8.1f %+6.2f %% +- %s %%  %10.4f %10.4f %+6.2f %% +- %s %%  %5.1f s' \
		"$1" "$(figure iops)" "$2" "$(figure "100 * (iops / $2 - 1)")" "$(figure "round(iops_ci_pct, 2)")" \
		"$(figure lat_mean_ms)" "$3" "$(figure "100 * (lat_mean_ms / $3 - 1)")" \
		"$(figure "round(lat_ci_pct, 2)")" "$(db "SELECT max(window_ns) / 1e9 FROM point")") ${flags}"
	near "$(figure iops)" "$2" 1 && near "$(figure lat_mean_ms)" "$3" 1.5 &&
		[[ " $flags " != *" unsteady "* && " $flags " != *" imprecise "* ]] &&
		[ "$(figure "iops_ci_pct <= 2 AND lat_ci_pct <= 2")" -eq 1 ] || return 1
	# Precise at once, so it ends at min_time, long before max_time; and its books balance.
	none "SELECT * FROM point WHERE NOT window_ns / 1e9 BETWEEN 20 AND 30
		OR abs(ios * 1e9 / window_ns / iops - 1) > 1e-5
		OR abs(1.0 * (SELECT sum(read_ios) FROM point_series WHERE point_id = id) / ios - 1) > 1e-6"
}

# Side by side: at a depth of 4c and more nobody notices who comes late.
all_stop() {
	local model name pids=() names=()

	for model in "1 .5" "4 .5" "8 2" "16 5"; do
		# shellcheck disable=SC2086 # two words
		model_up $model
		name=${C}x$SVC
		DB=$SCRATCH/stop-$name stopped "$ARRAY" 3>&- &
		pids+=($!)
		names+=("$name")
	done
	for name in "${!pids[@]}"; do
		wait "${pids[name]}" || {
			cat "$SCRATCH/stop-${names[name]}.err" >&2
			return 1
		}
	done
}

stopping_is_true() {
	all_stop || return 1
	tell "stopping rule, depth 64, 2 %"
	DB=$SCRATCH/stop-1x.5 stopped_is_true "1 x 0.5 ms" 2000 32 &&
		DB=$SCRATCH/stop-4x.5 stopped_is_true "4 x 0.5 ms" 8000 8 &&
		DB=$SCRATCH/stop-8x2 stopped_is_true "8 x 2 ms" 4000 16 &&
		DB=$SCRATCH/stop-16x5 stopped_is_true "16 x 5 ms" 3200 20
}

@test "truth table: points that end by the stopping rule are as true" {
	PUNCTUAL=punctual
	twice stopping_is_true
}

# ---- a throttled loop device ----

do_throttled() {
	measure "$LOOP" 1s 10s --iodepth 1,16,128 || return 1
	DB=$TRIAL/stop
	rm -f "$DB"*
	stopped "$LOOP" 16
}

# 500 IOPS at every depth, as one server of 2 ms; 1 % over 10 s (D3).
truth_of_throttle() {
	local table

	result throttled || return 1
	C=1 SVC=2
	table=$(rows | judged $C $SVC 30)
	told "throttled loop device, fixed time" <<<"$table"
	[ "$(wc -l <<<"$table")" -eq 3 ] && ! grep -q 'off$' <<<"$table" && ceiling_is || return 1
	tell "throttled loop device, stopping rule, depth 16, 2 %"
	DB=$TRIAL/stop stopped_is_true "500 IOPS" 500 32
}

@test "truth table: a loop device throttled to 500 IOPS" {
	file_skip
	twice truth_of_throttle
}

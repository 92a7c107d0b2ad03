#!/usr/bin/env bats
# measures
#
# Acceptance of what was really measured, on the simulated array with 8 servers of 2 ms: at depth 64
# it does 4000 IOPS at 16 ms. check.bats has all that needs no measuring.

load ../lib/common
load ../lib/array
load ../lib/measure

queue_up() {
	array_up model=queue servers=8 svc=2
	WRITE_TO=$(realpath "$ARRAY")
	export DB=$SCRATCH/db PUNCTUAL=punctual
}

# check STATUS FILE OPTION...: of the newest run, into out.json.
check() {
	local want=$1 got=0

	"$TOOL" check --db "$DB" --require "$2" --format json "${@:3}" >"$SCRATCH/out.json" || got=$?
	[ "$got" -eq "$want" ] || {
		echo "status $got, not $want" >&2
		cat "$SCRATCH/out.json" >&2
		return 1
	}
}

# of REQUIREMENT KEY: what check said of it.
of() {
	jq -r --arg r "$1" --arg k "$2" '.runs[0].classes[0].requirements[] |
		select(.requirement == $r) | .[$k]' "$SCRATCH/out.json"
}

# ---- the shipped sweep and the shipped standard ----

shipped() {
	local standard=$PROJECT_ROOT/sweeps/standards/cloud-disk.yaml

	measure "$ARRAY" 500ms 4s "$PROJECT_ROOT/sweeps/cloud-disk-acceptance.yaml" \
		--write-to "$WRITE_TO" || return 1
	check 0 "$standard" --class silver && near "$(of iops value)" 4000 3 &&
		near "$(of 'lat mean' value)" 16 3 && [ "$(of iops repeats)" = 3 ] &&
		[ "$(of iops low)" != null ] && [ "$(of guaranteed_iops intervals)" = 12 ] &&
		check 4 "$standard" --class gold && [ "$(of iops verdict)" = fail ] &&
		[ "$(of 'lat mean' verdict)" = fail ] && [ "$(of 'lat p99' verdict)" = pass ]
}

@test "the shipped acceptance sweep and standard: silver is met, gold is not" {
	need jq
	queue_up
	twice shipped
}

# ---- a guarantee ----

# 3 of 12 seconds at half the speed, in the background.
slow_down() {
	sleep 5
	array_ctl set svc=4
	sleep 3
	array_ctl set svc=2
}

# The mean is about 3500, which hides what the guarantee shows; its interval is wide, and says so.
dip() {
	local pid

	slow_down 3>&- &
	pid=$!
	measure "$ARRAY" 500ms 12s --rw randrw --bs 8k --iodepth 64 --write-to "$WRITE_TO" || return 1
	wait "$pid"
	cat >"$SCRATCH/s.yaml" <<-'END'
	classes:
	  mean: {iops: 2300}
	  near: {iops: 3400}
	  most: {guaranteed_iops: 3400, guaranteed_share: 60%}
	  always: {guaranteed_iops: 2300}
	END
	check 0 "$SCRATCH/s.yaml" --class mean && check 3 "$SCRATCH/s.yaml" --class near &&
		check 0 "$SCRATCH/s.yaml" --class most && check 4 "$SCRATCH/s.yaml" --class always &&
		near "$(of guaranteed_iops value)" 2000 10
}

@test "a disk that is slow for some seconds keeps its mean and breaks its guarantee" {
	need jq
	queue_up
	twice dip
}

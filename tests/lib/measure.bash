# SPDX-License-Identifier: MIT
# Running lunsweep and reading what it stored. DB is the database of the last measure or trial.
# shellcheck shell=bash

# measure TARGET RAMP WINDOW OPTION...: points of one fixed time into DB, $SCRATCH/db unless it is
# set. What it prints goes to $DB.out and $DB.err; returns its status. With PUNCTUAL=punctual it
# runs ahead of ordinary programs, for truths that a late program would spoil.
measure() {
	local target=$1 ramp=$2 window=$3 status=0
	local -a anchors=()

	shift 3
	# What a loaded machine makes of a short curve may fall enough to ask for anchors (D24).
	[[ " $* " == *" --anchors "* ]] || anchors=(--anchors never)
	: "${DB:=$SCRATCH/db}"
	${PUNCTUAL:-} "$TOOL" run --target "$target" --db "$DB" --new --precision none --ramp-time "$ramp" \
		--runtime "$window" "${anchors[@]}" "$@" >"$DB.out" 2>"$DB.err" || status=$?
	[ $status -eq 0 ] || {
		echo "status $status of: run --target $target $*" >&2
		cat "$DB.err" >&2
	}
	return $status
}

# What consents to a write to this block device.
identity_of() {
	"$TOOL" devices --format json |
		jq -re --arg path "$1" '.devices[] | select(.device == $path) | .identity'
}

# db SQL: the answer of DB, columns separated by |.
db() {
	sqlite3 "$DB" "$1"
}

# figure COLUMN [CONDITION]: of the one line of v_point, direction total unless the condition
# names another, of the last run that fits.
figure() {
	local where=${2:-1}

	[[ $where == *dir* ]] || where="$where AND dir = 'total'"
	db "SELECT $1 FROM v_point WHERE $where ORDER BY run DESC LIMIT 1"
}

# none SQL...: fail and show the rows if the query finds any; for what must hold in every row.
none() {
	local rows

	rows=$(db "$1") || return 1
	[ -z "$rows" ] || {
		echo "rows that should not be: $1" >&2
		echo "$rows" >&2
		return 1
	}
}

# ---- trials: measurements of slow targets, side by side in the background ----
# setup_file makes a target and calls `trial NAME`, which begins the function do_NAME. A test
# calls `result NAME`: DB and TRIAL are then those of the trial, and what do_NAME made stays in
# the folder TRIAL. A test that asks twice, as by `twice`, has the trial done again.

# trial NAME: on the current LOOP or ARRAY, and in the current THROTTLE_GROUP.
trial() {
	TRIAL=$SCRATCH/trial-$1
	mkdir -p "$TRIAL"
	trial_remember >"$TRIAL/env"
	trial_do "$1" 3>&- &
	defer trial_end "$!" "${THROTTLE_GROUP:-}" "${THROTTLE_DEV:-}"
}

trial_remember() {
	local name

	for name in TRIAL LOOP LOOP_NR LOOP_IMAGE ARRAY THROTTLE_DEV THROTTLE_GROUP; do
		printf '%s=%q\n' "$name" "${!name:-}"
	done
}

trial_do() (
	DB=$TRIAL/db
	SCRATCH=$TRIAL
	rm -f "$DB"* "$TRIAL/status"
	[ -z "$THROTTLE_GROUP" ] || echo "$BASHPID" >"$THROTTLE_GROUP/cgroup.procs"
	PUNCTUAL=punctual
	status=0
	"do_$1" >"$TRIAL/out" 2>"$TRIAL/err" || status=$?
	echo $status >"$TRIAL/status.new"
	mv "$TRIAL/status.new" "$TRIAL/status"
)

# Whatever of it still runs is in its cgroup, perhaps with I/Os that wait for their turn.
trial_end() {
	local THROTTLE_GROUP=$2 THROTTLE_DEV=$3 limit pid

	stop_pid "$1"
	[ ! -d "$2" ] || for limit in read_iops write_iops read_bps write_bps; do
		throttle_set $limit 0
	done
	[ ! -e "$2/cgroup.procs" ] || while read -r pid; do
		stop_pid "$pid"
	done <"$2/cgroup.procs"
}

result() {
	TRIAL=$FILE_SCRATCH/trial-$1
	# shellcheck source=/dev/null
	. "$TRIAL/env"
	DB=$TRIAL/db
	export TRIAL LOOP LOOP_IMAGE ARRAY THROTTLE_DEV THROTTLE_GROUP
	if [ -e "$TRIAL/seen-$BATS_TEST_NUMBER" ]; then
		trial_do "$1"
	else
		wait_until 150 test -e "$TRIAL/status" || return 1
		touch "$TRIAL/seen-$BATS_TEST_NUMBER"
	fi
	[ "$(cat "$TRIAL/status")" -eq 0 ] || {
		cat "$TRIAL/err" >&2
		return 1
	}
}

# trials_up: at the begin of setup_file.
trials_up() {
	scratch_up
	FILE_SCRATCH=$SCRATCH
	export FILE_SCRATCH
}

# file_setup CMD...: for setup_file, where this bats takes a skip for a failure. What CMD skips for,
# the tests skip for that call file_skip.
file_setup() {
	(
		skip() {
			printf '%s\n' "$*" >"$FILE_SCRATCH/skip"
			exit 77
		}
		"$@"
	) || [ $? -eq 77 ]
}

file_skip() {
	[ ! -e "$FILE_SCRATCH/skip" ] || skip "$(cat "$FILE_SCRATCH/skip")"
}

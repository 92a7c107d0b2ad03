# SPDX-License-Identifier: MIT
# Runs of the program: short points, what was stored, and what was really issued.
# shellcheck shell=bash

# measure OPTION...: points of 0.3 s after 50 ms of ramp, unless the options say otherwise; the
# database is LUNSWEEP_DB.
measure() {
	local -a times=()

	# What a loaded machine makes of a short curve may fall enough to ask for anchors (D24).
	[[ " $* " == *" --anchors "* ]] || times+=(--anchors never)
	[[ " $* " == *" --ramp-time "* ]] || times+=(--ramp-time 50ms)
	[[ " $* " == *" --runtime "* ]] || times+=(--runtime 300ms)
	"$TOOL" run "${times[@]}" "$@"
}

# db_up: an empty database of this test.
db_up() {
	export LUNSWEEP_DB=$SCRATCH/test.db
}

# stored SQL: what the database answers, columns with |.
stored() {
	sqlite3 "$LUNSWEEP_DB" "$1"
}

# statuses: of all points in the order of the plan, on one line.
statuses() {
	stored "SELECT group_concat(status, ' ') FROM (SELECT status FROM point ORDER BY run_id, seq)"
}

# identity DEVICE: as 'lunsweep devices' prints it.
identity() {
	"$TOOL" devices --format json | jq -er --arg d "$1" '.devices[] | select(.device == $d) | .identity'
}

# traced FILE CMD...: with each io_submit in FILE.
traced() {
	local file=$1

	shift
	# -s also bounds arrays: no io_submit carries more than 64 I/Os.
	strace -f -qq -s 64 -e trace=io_submit -o "$file" "$@"
}

# issued FILE: what a trace holds, one I/O a line: PREAD or PWRITE, bytes, offset.
issued() {
	grep -oE 'IOCB_CMD_P(READ|WRITE)|aio_nbytes=[0-9]+, aio_offset=[0-9]+' "$1" |
		sed 's/.*=\([0-9]*\), .*=/\1 /; s/IOCB_CMD_//' | paste -d ' ' - -
}

# all_inside FILE BEGIN END: whether all that a trace holds lies in [BEGIN, END), and it holds some.
all_inside() {
	issued "$1" | awk -v begin="$2" -v end="$3" '
		$3 < begin || $3 + $2 > end { print "outside: " $0; bad = 1 }
		END { exit bad || !NR }'
}

# unchanged IMAGE COPY BEGIN END: whether IMAGE is what COPY is, outside of [BEGIN, END); each byte there
# is compared and counted.
unchanged() {
	local size changed

	size=$(stat -c %s "$2")
	[ "$(stat -c %s "$1")" -eq "$size" ] || return 1
	changed=$({
		[ "$3" -eq 0 ] || cmp -l -n "$3" "$1" "$2"
		[ "$4" -ge "$size" ] || cmp -l -i "$4" "$1" "$2"
	} | wc -l)
	ledger outside_checked $(($3 + size - $4))
	ledger outside_changed "$changed"
	[ "$changed" -eq 0 ] || {
		echo "$changed bytes outside of [$3, $4) were changed" >&2
		return 1
	}
}

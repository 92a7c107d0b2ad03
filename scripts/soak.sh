#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# soak.sh TOOL [SECONDS [KILLS]]: a night in short. One run of thousands of short points for SECONDS
# (1800), reads and writes of a scratch file, with its memory and descriptors looked at all the time;
# then a sweep that is killed at KILLS (1000) random moments. Status 0 if memory stays flat, no
# descriptor is left open, the database is whole, and no finished point is lost. Prints what it saw.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
TOOL=${1:?usage: soak.sh TOOL [SECONDS [KILLS]]}
seconds=${2:-1800}
kills=${3:-1000}
export TOOL

bats_require_minimum_version() { :; }
skip() {
	echo "soak: $*" >&2
	exit 1
}
for lib in common loop run kills; do
	# shellcheck source=/dev/null
	. "$root/tests/lib/$lib.bash"
done
trap undo_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

need sqlite3
scratch_up
db_up
file=$SCRATCH/file
samples=$SCRATCH/samples
failed=0

say() {
	printf '%s\n' "$*"
}

# must WHAT CMD...: say whether it holds.
must() {
	local what=$1

	shift
	if "$@"; then
		say "  ok      $what"
	else
		say "  FAILED  $what"
		failed=1
	fi
}

# sample PID: seconds, points done, resident KiB, open descriptors, threads.
sample() {
	local rss fds threads

	rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$1/status" 2>/dev/null) || return 0
	threads=$(awk '/^Threads/ { print $2 }' "/proc/$1/status" 2>/dev/null) || return 0
	fds=$(find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l)
	[ -z "$rss" ] || printf '%s %s %s %s %s\n' "$SECONDS" \
		"$(stored "SELECT count(*) FROM point WHERE status = 'ok'" 2>/dev/null || echo 0)" \
		"$rss" "$fds" "$threads" >>"$samples"
}

# long_run: one process; each point takes about 100 ms with what lies between two of them.
long_run() {
	local repeats=$((seconds * 10 / 240 + 1)) pid

	(exec "$TOOL" run --target "$file" --rw randread,randwrite --bs 4k,16k,64k,256k --span 25%,50%,100% \
		--iodepth 1,4,16,64,128 --workers 1,2 --repeats "$repeats" --runtime 40ms \
		--ramp-time 5ms --anchors never --write-to "$file" --yes --quiet) \
		>"$SCRATCH/out" 2>&1 &
	pid=$!
	defer kill_quietly "$pid"
	while [ $SECONDS -lt "$seconds" ] && kill -0 "$pid" 2>/dev/null; do
		sleep 2
		sample "$pid"
	done
	kill -TERM "$pid" 2>/dev/null || true
	wait "$pid" || status=$?
}

kill_quietly() {
	kill "$1" 2>/dev/null || true
}

# between COLUMN FROM TO: the largest value in this part of the samples.
between() {
	awk -v c="$1" -v from="$2" -v to="$3" '
		{ v[NR] = $c }
		END {
			for (i = 1 + int(NR * from); i <= NR * to; i++)
				max = v[i] > max ? v[i] : max
			print max + 0
		}' "$samples"
}

# The first third is left out: SQLite's cache of pages has to fill. A leak of 100 bytes a point shows in
# half an hour.
stays() {
	local early late

	early=$(between "$1" 0.33 0.67)
	late=$(between "$1" 0.67 1)
	say "          at most $early, then $late$3"
	[ "$late" -le $((early + $2)) ]
}

status=0
SECONDS=0
random_file "$file" 64M
say "One run for $seconds s:"
long_run
done=$(stored "SELECT count(*) FROM point WHERE status = 'ok'")
say "  $done points, $(wc -l <"$samples") looks, status $status"
must 'it was ended by the signal, or came to its end' [ "$status" -eq 143 -o "$status" -eq 0 -o "$status" -eq 3 ]
must 'no point failed' [ "$(stored "SELECT count(*) FROM point WHERE status = 'failed'")" = 0 ]
must 'memory is flat' stays 3 256 ' KiB resident'
must 'no descriptor is left open' stays 4 0 ''
must 'no thread is left' stays 5 0 ''
must 'the database is whole' nothing_is_half

say "A sweep that is killed $kills times:"
export LUNSWEEP_DB=$SCRATCH/kills.db
KILLS_SEED=${KILLS_SEED:-$RANDOM}
must "nothing is lost (seed $KILLS_SEED)" survives_kills "$kills"
say "  $(stored "SELECT count(*) FROM point WHERE status = 'ok'") points finished in $(stored "SELECT count(*) FROM run") runs, $SECONDS s in all"
exit $failed

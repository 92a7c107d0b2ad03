#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-tsan.sh: build what has threads with the thread sanitizer, run its unit tests and short runs of four
# workers, and count into $TALLY. Nothing is suppressed: any report is a failure. The unit tests in virtual time
# (test_run_open) have one thread, and stay out.
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=scripts/tally.bash
. scripts/tally.bash
units=(test_run_fill test_run_load test_run_pool test_io_engines)
tool=$PWD/build/tsan/lunsweep

make "-j$(nproc)" --no-print-directory WERROR=1 BUILD=tsan all "${units[@]/#/build/tsan/unit/}" || {
	tally_add fail 'build with the thread sanitizer'
	exit 1
}
failed=0
UNIT_TIMEOUT=100 scripts/run-unit.sh "${units[@]/#/build/tsan/unit/}" || failed=1

scratch=${LUNSWEEP_SCRATCH:-$PWD/build/scratch}
mkdir -p "$scratch"
dir=$(mktemp -d "$scratch/tsan.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
export LUNSWEEP_DB=$dir/t.db
head -c 16M /dev/urandom >"$dir/file"

# try NAME ARGUMENT...: the program ends with 0, or with 3 when the sanitizer's slowness has spoiled a point.
try() {
	local name=$1 status=0

	shift
	timeout 60 "$tool" "$@" >"$dir/out" 2>&1 || status=$?
	if { [ $status -eq 0 ] || [ $status -eq 3 ]; } && ! grep -q 'ThreadSanitizer' "$dir/out"; then
		tally_add pass "$name"
		printf 'ok      %s\n' "$name"
		return
	fi
	tally_add fail "$name"
	printf 'FAILED  %s (status %s)\n' "$name" $status
	sed 's/^/        /' "$dir/out"
	failed=1
}

times=(--ramp-time 50ms --runtime 300ms --anchors never)
for engine in libaio io_uring; do
	try "four workers read with $engine" run --target "$dir/file" --workers 4 --iodepth 4,16 \
		--engine "$engine" "${times[@]}"
done
try 'the filling of a file' prepare --target "$dir/file" --write-to "$dir/file" --yes
try 'four workers write beside reads' run --target "$dir/file" --write-to "$dir/file" --yes --rw randrw \
	--workers 4 --iodepth 8 "${times[@]}"
# Each of them measured, or nothing was looked at.
nr=$(sqlite3 "$LUNSWEEP_DB" "SELECT count(*) FROM point WHERE status = 'ok'")
if [ "$nr" != 5 ]; then
	echo "FAILED  $nr of 5 points were measured"
	tally_add fail 'points under the thread sanitizer'
	failed=1
fi
exit $failed

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run-unit.sh PROGRAM...: run unit test programs, UNIT_JOBS at a time, say what failed, count into $TALLY. A
# program that crashes or takes more than UNIT_TIMEOUT seconds counts as one failed test.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=scripts/tally.bash
. "$root/scripts/tally.bash"
export TEST_DATA=${TEST_DATA:-$root/tests/data}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# Passes and skips are taken from the lines of the run, failures from the list behind it, as the
# message of a failure may end without a newline.
tally_cmocka() {
	local program=$1 line failed=0 listing=0

	while IFS= read -r line; do
		case $listing$line in
		?"[==========] Running "* | ?"[==========] "*": Running "*) listing=0 ;;
		?"[==========] "*" run.") listing=1 ;;
		0"[       OK ] "*) tally_add pass "$program: ${line#*\] }" ;;
		0"[  SKIPPED ] "*) tally_add skip "$program: ${line#*\] }" ;;
		1"[  FAILED  ] "*" test(s), listed below:") ;;
		1"[  FAILED  ] "*)
			tally_add fail "$program: ${line#*\] }"
			failed=1
			;;
		esac
	done <"$out"
	return $failed
}

# One program, told and counted.
run_one() {
	local program=$1 name=${1##*/} status

	timeout -k 10 "${UNIT_TIMEOUT:-600}" "$program" >"$out" 2>&1
	status=$?
	if tally_cmocka "$name" && [ $status -ne 0 ]; then
		tally_add fail "$name: ended with status $status"
	fi
	if [ $status -eq 0 ]; then
		printf 'ok      %s (%s tests)\n' "$name" "$(grep -c '^\[       OK \]' "$out")"
		return 0
	fi
	printf 'FAILED  %s (status %s)\n' "$name" $status
	grep -vE '^\[ (RUN  |      OK) ' "$out" | cut -c 1-500 | sed 's/^/        /'
	return 1
}

if [ $# -eq 1 ]; then
	# In one piece, as others are at work beside it.
	report=$(run_one "$1")
	status=$?
	printf '%s\n' "$report"
	exit $status
fi
printf '%s\0' "$@" | xargs -r0 -n 1 -P "${UNIT_JOBS:-$(nproc)}" "$0" || exit 1

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run-unit.sh PROGRAM...: run unit test programs, say what failed, count into $TALLY. A program
# that crashes or takes more than UNIT_TIMEOUT seconds counts as one failed test.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=scripts/tally.bash
. "$root/scripts/tally.bash"
export TEST_DATA=${TEST_DATA:-$root/tests/data}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
rc=0

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

for program in "$@"; do
	name=${program##*/}
	timeout -k 10 "${UNIT_TIMEOUT:-300}" "$program" >"$out" 2>&1
	status=$?
	if tally_cmocka "$name" && [ $status -ne 0 ]; then
		tally_add fail "$name: ended with status $status"
	fi
	if [ $status -eq 0 ]; then
		printf 'ok      %s (%s tests)\n' "$name" "$(grep -c '^\[       OK \]' "$out")"
	else
		printf 'FAILED  %s (status %s)\n' "$name" $status
		grep -vE '^\[ (RUN  |      OK) ' "$out" | cut -c 1-500 | sed 's/^/        /'
		rc=1
	fi
done
exit $rc

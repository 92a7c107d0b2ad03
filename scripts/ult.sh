#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ult.sh TOOL: the whole ULT LUN sizing study on the simulated array, in about nine minutes: 72 points
# of 6 s beside the published ones, then the knee and the maximum under 10 ms of each curve beside
# those of the published figures. Status 0 if all points are within 10 % and all answers equal; the
# database stays in build/ult.db. Wants a quiet machine, and root.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
TOOL=${1:?usage: ult.sh TOOL}
export TOOL

bats_require_minimum_version() { :; }
skip() {
	echo "ult: $*" >&2
	exit 1
}
for lib in common array ult; do
	# shellcheck source=/dev/null
	. "$root/tests/lib/$lib.bash"
done
trap undo_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

need jq sqlite3
scratch_up
db=$root/build/ult.db
rm -f "$db"*
exec 3>&1
array_up
ult_run "$db" "$ULT_SPANS" --runtime 6s >"$SCRATCH/out"
points=$(ult_points "$db")
answers=$(ult_answers "$db")
ult_head
printf '%s\n\n' "$points"
ult_errors <<<"$points"
printf '\nmeasured / published:\n'
ult_answers_head
printf '%s\n' "$answers"
rc=0
[ "$(wc -l <<<"$points")" -eq 72 ] && ! grep -q 'off$' <<<"$points" || rc=1
if [ "$(wc -l <<<"$answers")" -eq 8 ] && ! grep -q 'off$' <<<"$answers"; then
	echo "All answers are equal."
else
	echo "Answers differ where it says off."
	rc=1
fi
exit $rc

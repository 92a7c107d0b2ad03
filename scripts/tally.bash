# SPDX-License-Identifier: MIT
# Counting what tests came to. A tally is a file with one line per test that passed, failed or was
# skipped: "pass NAME", "fail NAME", "skip NAME: REASON". It is written if TALLY names one;
# TALLY_SUITE, if set, comes in front of each name.
# shellcheck shell=bash

tally_add() {
	local outcome=$1

	shift
	[ -z "${TALLY:-}" ] || printf '%s %s%s\n' "$outcome" "${TALLY_SUITE:+$TALLY_SUITE: }" "$*" >>"$TALLY"
}

# tally_count WORD: how many lines begin with it.
tally_count() {
	grep -c "^$1 " "$TALLY" || true
}

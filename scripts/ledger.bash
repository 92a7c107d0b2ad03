# SPDX-License-Identifier: MIT
# What the tests tried to destroy, and what came of it. A ledger is a file with lines "KEY N", which
# tests append to where LEDGER names one (tests/unit/ledger.h does so too); the check prints its sums.
# shellcheck shell=bash

LEDGER_ROWS='guard_tried     writes to something in use or with data on it, tried
guard_refused   ... refused with nothing written
kills           kill -9 at a random moment, survived
power_failures  power failures imitated, survived
faults          faults injected
bad_inputs      bad inputs tried, refused
fuzzed          inputs made by fuzzers, survived
outside_checked bytes outside the span compared
outside_changed ... changed
points_checked  finished points looked for after a kill or fault
points_lost     ... lost or changed'

# ledger KEY [N]: N (1) more of what a row above counts.
ledger() {
	grep -q "^$1 " <<<"$LEDGER_ROWS" || {
		echo "ledger: there is no row '$1'" >&2
		return 1
	}
	[ -z "${LEDGER:-}" ] || printf '%s %s\n' "$1" "${2:-1}" >>"$LEDGER"
}

# ledger_table: every row with its sum. Status 1 when a row has no entry, since then its tests did
# not run, when something was changed or lost, or when a refusal is missing.
ledger_table() {
	awk -v rows="$LEDGER_ROWS" '
		{ sum[$1] += $2 }
		END {
			nr = split(rows, row, "\n")
			for (i = 1; i <= nr; i++) {
				key = text = row[i]
				sub(/ .*/, "", key)
				sub(/^[a-z_]+ +/, "", text)
				printf "%15s  %s\n", (key in sum) ? sprintf("%d", sum[key]) : "none", text
				bad += !(key in sum)
			}
			bad += sum["outside_changed"] > 0 || sum["points_lost"] > 0
			bad += sum["guard_tried"] != sum["guard_refused"]
			exit bad > 0
		}' "${LEDGER:?}"
}

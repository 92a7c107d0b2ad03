#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-docs.sh TOOL: the manual names each command and option that the program has, and none
# that it has not. The program is asked (--complete); in the manual a command stands as
# ".It Cm NAME" or ".Nm Cm NAME", an option as "Fl -NAME".
set -u
tool=${1:?usage: check-docs.sh TOOL}
manual=$(dirname "$0")/../src/lunsweep.1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$tool" --complete | sort -u >"$tmp/commands"
{
	printf '%s\n' --help --version
	while IFS= read -r command; do
		"$tool" --complete "$command"
	done <"$tmp/commands"
} | sort -u >"$tmp/options"
grep -oE '^\.(It|Nm|Ss)( Nm)?( lunsweep)? Cm [a-z][a-z-]*' "$manual" | sed 's/.* //' | sort -u >"$tmp/manual-commands"
grep -oE '\bFl -[a-z][a-z0-9-]*' "$manual" | sed 's/^Fl -/--/' | sort -u >"$tmp/manual-options"

rc=0
# compare WHAT PROGRAM-LIST MANUAL-LIST
compare() {
	local name

	for name in $(comm -23 "$2" "$3"); do
		echo "src/lunsweep.1: $1 $name is not described"
		rc=1
	done
	for name in $(comm -13 "$2" "$3"); do
		echo "src/lunsweep.1: there is no $1 $name"
		rc=1
	done
}
compare command "$tmp/commands" "$tmp/manual-commands"
compare option "$tmp/options" "$tmp/manual-options"
exit $rc

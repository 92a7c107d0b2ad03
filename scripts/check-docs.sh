#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-docs.sh TOOL [MANUAL]: the manual and the program agree on commands, each command's options with
# letter and value, the keys of sweep files, and the verdicts with their effect; and the manual
# names those verdicts that nothing raises yet. The program is asked (--complete, --help, its
# message about an unknown key), verdicts are read from the sources. How the manual marks each is
# said at its top.
set -u
tool=${1:?usage: check-docs.sh TOOL [MANUAL]}
src=$(cd "$(dirname "$0")/../src" && pwd) || exit 2
manual=${2:-$src/lunsweep.1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# "-t, --target PATH" for each option of command $1, and the bare name of one without help.
options() {
	"$tool" "$1" --help >"$tmp/help"
	"$tool" --complete "$1" >"$tmp/names"
	awk '
	NR == FNR { names[$1]; next }
	match($0, /^  (-[a-z], |    )--[a-z0-9-]+( [^ ]+)?(  |$)/) {
		option = substr($0, RSTART, RLENGTH)
		gsub(/^ +| +$/, "", option)
		name = option
		sub(/^-[a-z], /, "", name)
		sub(/ .*/, "", name)
		if (name in names)
			names[name] = option
	}
	END { for (name in names) print names[name] ? names[name] : name }' "$tmp/names" "$tmp/help"
}

# keys SECTION YAML: the program names all keys when it meets one that it does not know.
keys() {
	printf '%s\n' "$2" >"$tmp/sweep.yaml"
	"$tool" plan "$tmp/sweep.yaml" 2>&1 | sed -n 's/.* are //p' | tr -d ' ' | tr ',' '\n' |
		sed "s/^/key of $1: /"
}

# Each verdict: the constant, its name, and the manual's word for its effect.
verdicts() {
	sed -nE 's/^\t\[(FLAG_[A-Z_]+)\] = \{"([a-z-]+)", EFFECT_([A-Z_]+),$/\1 \2 \3/p' \
		"$src/model/verdict.c" |
		sed 's/ FAILED$/ Failed/; s/ SPOILED$/ Spoiled/; s/ LOWER_BOUND$/ Lower bounds/
			s/ NOTED$/ Noted/'
}

raised() {
	cat "$src"/*/*.c | tr '\n\t' '  ' |
		grep -oE '(measurement_flag\( *[^,]+, *|flags \|= FLAG_BIT\()FLAG_[A-Z_]+' |
		grep -oE 'FLAG_[A-Z_]+$' | sort -u
}

in_program() {
	local command constant name effect

	for command in $("$tool" --complete); do
		echo "command $command"
		options "$command" | sed "s/^/option of $command: /"
	done
	keys 'the top level' 'zzz: 1'
	keys axes 'axes: {zzz: 1}'
	keys measure 'measure: {zzz: 1}'
	raised >"$tmp/raised"
	verdicts | while read -r constant name effect; do
		echo "verdict below $effect: $name"
		grep -qx "$constant" "$tmp/raised" || echo "verdict not raised: $name"
	done
}

in_manual() {
	awk '
	/^\.Sh / { section = substr($0, 5); sub_title = command = "" }
	/^\.Ss / { sub_title = substr($0, 5); command = "" }
	/^\.Ss Cm / { command = $3; print "command " command }
	/^\.Sx Options of a sweep/ && command { takes[++nr_takes] = command }
	/^\.\\" without / && command { for (i = 3; i <= NF; i++) without[command, $i] }
	/^\.It Fl / && section == "COMMANDS" {
		option = $0
		sub(/^\.It Fl /, "-", option)
		gsub(/ , Fl /, ", -", option)
		gsub(/ Ar /, " ", option)
		if (command)
			print "option of " command ": " option
		else
			shared[++nr_shared] = option
	}
	/^\.It Va / && section == "SWEEP FILES" {
		where = sub_title
		sub(/^Keys of /, "", where)
		print "key of " where ": " $3
	}
	/^\.It Sy / && section == "VERDICTS" { print "verdict below " sub_title ": " $3 }
	/^\.Sy / && section == "BUGS" { print "verdict not raised: " $2 }
	END {
		for (i = 1; i <= nr_takes; i++)
			for (k = 1; k <= nr_shared; k++) {
				split(shared[k], word, " ")
				if (!((takes[i], word[1]) in without))
					print "option of " takes[i] ": " shared[k]
			}
	}' "$manual"
}

in_program | sort -u >"$tmp/program"
in_manual | sort >"$tmp/manual"
for pattern in command option 'key of axes' verdict; do
	grep -q "^$pattern" "$tmp/program" || {
		echo "check-docs: the program names no $pattern" >&2
		exit 2
	}
done
comm -23 "$tmp/program" "$tmp/manual" | sed 's|^|lunsweep.1: is missing: |'
comm -13 "$tmp/program" "$tmp/manual" | sed 's|^|lunsweep.1: is not so, or said twice: |'
cmp -s "$tmp/program" "$tmp/manual"

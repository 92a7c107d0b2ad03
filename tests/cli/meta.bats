#!/usr/bin/env bats
# What holds for every command, and for the program as it is installed.
# bats file_tags=fast

load ../lib/common

# Each command by name, as the program lists them.
commands() {
	"$TOOL" --complete
}

@test "--help describes each command in a line of at most 80 columns" {
	run -0 --separate-stderr "$TOOL" --help
	[ -z "$stderr" ]
	[ "${lines[0]}" = "Usage: lunsweep COMMAND [OPTION...] [ARGUMENT...]" ]
	for command in $(commands); do
		grep -qE "^  $command +[^ ]" <<<"$output"
	done
	run -1 grep -E '.{81}' <<<"$output"
}

@test "each command's --help names it and each of its options" {
	for command in $(commands); do
		run -0 "$TOOL" "$command" --help
		[[ $output == "Usage: lunsweep $command"* ]]
		for option in $("$TOOL" --complete "$command"); do
			grep -qE -- "(^|[ ,])$option([ ,=]|\$)" <<<"$output"
		done
	done
}

@test "--version prints name, version and revision" {
	run -0 --separate-stderr "$TOOL" --version
	[ -z "$stderr" ]
	[[ ${lines[0]} =~ ^lunsweep\ [0-9]+\.[0-9]+\.[0-9]+\ \([0-9a-z]+\) ]]
}

@test "no command, an unknown command and a beginning of one are usage errors" {
	for argument in "" frobnicate pla --frobnicate; do
		run -2 --separate-stderr "$TOOL" ${argument:+"$argument"}
		[ -z "$output" ]
		[[ $stderr == lunsweep:*"lunsweep --help"* ]]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
}

@test "an unknown option of a command is a usage error that names it" {
	for command in $(commands); do
		run -2 --separate-stderr "$TOOL" "$command" --frobnicate
		[ -z "$output" ]
		[[ $stderr == *--frobnicate* ]]
		[[ $stderr == *"lunsweep $command --help"* ]]
	done
}

@test "output that cannot be written ends with status 1 and says so" {
	for arguments in --help --version --complete; do
		run -1 sh -c '"$1" "$2" >/dev/full' sh "$TOOL" "$arguments"
		[[ $output == *"No space left on device"* ]]
	done
	for command in $(commands); do
		run -1 sh -c '"$1" "$2" --help >/dev/full' sh "$TOOL" "$command"
		[[ $output == *"No space left on device"* ]]
	done
}

@test "output to a closed pipe ends with status 1, not by a signal" {
	run -1 sh -c '{ "$1" --help; echo $? >"$2"; } | true; sleep 0.2; exit "$(cat "$2")"' \
		sh "$TOOL" "$SCRATCH/status"
}

@test "completion offers commands, then options of the command" {
	# shellcheck source=scripts/completion.bash
	source "$PROJECT_ROOT/scripts/completion.bash"
	complete_words() {
		COMP_WORDS=("$TOOL" "$@")
		COMP_CWORD=$#
		_lunsweep
	}
	complete_words ""
	for command in $(commands); do
		[[ " ${COMPREPLY[*]} " == *" $command "* ]]
		complete_words "$command" --
		[ "${COMPREPLY[*]}" = "$({ "$TOOL" --complete "$command"; printf "%s\n" --help --color; } | paste -sd ' ')" ]
		complete_words ""
	done
	complete_words --v
	[ "${COMPREPLY[*]}" = --version ]
}

@test "make install puts everything below DESTDIR and PREFIX, and make uninstall takes it away" {
	need make
	dest=$SCRATCH/dest
	# BUILD is that of the program under test, so that installing does not build another one.
	make_in_tree() {
		make -s -C "$PROJECT_ROOT" BUILD="$(basename "$(dirname "$TOOL")")" DESTDIR="$dest" PREFIX=/opt "$@"
	}
	run -0 make_in_tree install
	run -0 "$dest/opt/bin/lunsweep" --version
	cmp "$dest/opt/share/man/man1/lunsweep.1" "$PROJECT_ROOT/src/lunsweep.1"
	cmp "$dest/opt/share/bash-completion/completions/lunsweep" "$PROJECT_ROOT/scripts/completion.bash"
	diff -r "$dest/opt/share/lunsweep/sweeps" "$PROJECT_ROOT/sweeps"
	diff -r "$dest/opt/share/lunsweep/schemas" "$PROJECT_ROOT/schemas/json"
	[ "$(ls "$dest")" = opt ]
	run -0 make_in_tree uninstall
	[ -z "$(find "$dest" -type f)" ]
}

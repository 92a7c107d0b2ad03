# SPDX-License-Identifier: MIT
# Bash completion of lunsweep: commands, the options of a command, and sweep files where the
# command takes one. The program is asked for all of it, so that this file never has to be
# changed.
# shellcheck shell=bash

_lunsweep() {
	local tool=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
	local previous=${COMP_WORDS[COMP_CWORD - 1]} words=

	if [ "$COMP_CWORD" -eq 1 ]; then
		words="$("$tool" --complete 2>/dev/null) --help --version --color"
	elif [[ $current == -* ]]; then
		words="$("$tool" --complete "$command" 2>/dev/null) --help --color"
	elif [[ $previous != -* ]] && _lunsweep_takes_sweep "$tool" "$command"; then
		mapfile -t COMPREPLY < <(
			compgen -f -X '!*.yaml' -- "$current"
			compgen -d -- "$current"
		)
		# Only known while bash completes: quote blanks, and put a slash behind folders.
		compopt -o filenames 2>/dev/null || :
		return 0
	fi
	# Where no word fits, the names of files do (complete -o default).
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

_lunsweep_takes_sweep() {
	local usage

	read -r usage < <("$1" "$2" --help 2>/dev/null)
	[[ $usage == *SWEEP* ]]
}
complete -o bashdefault -o default -F _lunsweep lunsweep

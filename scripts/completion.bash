# SPDX-License-Identifier: MIT
# Bash completion of lunsweep. The program is asked for its commands and options, so that this
# file never has to be changed.
# shellcheck shell=bash

_lunsweep() {
	local tool=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
	local words=

	if [ "$COMP_CWORD" -eq 1 ]; then
		words="$("$tool" --complete 2>/dev/null) --help --version"
	elif [[ $current == -* ]]; then
		words="$("$tool" --complete "$command" 2>/dev/null) --help"
	fi
	# Where no word fits, the names of files do (complete -o default).
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _lunsweep lunsweep

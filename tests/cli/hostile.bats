#!/usr/bin/env bats
# Bad input: what others put into databases, names, directories and the environment does nothing (O-43, O-45).
# shellcheck disable=SC2154 # bats sets stderr

# bats file_tags=fast
load ../lib/common

DATA=$BATS_TEST_DIRNAME/../data

# A name that would do something in a terminal, a spreadsheet, HTML, gnuplot and a shell.
EVIL=$'=cmd|\'/C calc\'!A0 \e]0;title\a\e[2J\xc2\x9b2J\xff\nrun 9: forged <script>x()</script> `touch pwned` $(touch pwned) %n%s {/Symbol a}\xe2\x80\xae"'

setup() {
	scratch_up
	cd "$SCRATCH" || return 1
	export LUNSWEEP_DB=$SCRATCH/t.db
}

teardown() {
	cd /
	undo_all
}

# plain FILE...: nothing in it that a terminal obeys.
plain() {
	run ! grep -lP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' "$@"
}

# survived STATUS: refused or done, never ended by a signal; counted.
survived() {
	[ "$1" -lt 128 ] || return 1
	ledger bad_inputs
}

a_database() {
	rm -f "$LUNSWEEP_DB"*
	"$TOOL" import csv "$DATA/o47-a.csv" >/dev/null 2>&1
}

@test "error messages and arguments do not command the terminal, nor forge a line" {
	a_database
	while read -r command option; do
		status=0
		"$TOOL" $command ${option:+"$option"} "$EVIL" >out 2>err || status=$?
		[ "$status" -ne 0 ]
		plain err
		[ "$(wc -l <err)" -eq 1 ]
		survived "$status"
	done <<-'END'
	nosuch
	list --db
	list --format
	plan
	run --target
	devices
	report --db
	report --table
	report 1 --image
	size 1 --vm-iops
	check 1 --require
	import csv
	import xml
	export 1 --format
	show 1
	END
	run -2 "$TOOL" "$(head -c 100000 /dev/zero | tr '\0' x)"
	ledger bad_inputs
}

@test "no arguments at all, not even a name" {
	need python3
	# The kernel may put an empty name there.
	run -2 python3 -c 'import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.execve(sys.argv[1].encode(), (ctypes.c_char_p * 1)(None), (ctypes.c_char_p * 2)(b"A=1", None))' "$TOOL"
	[[ $output == *"no command is given"* ]]
	ledger bad_inputs
}

@test "O-43: a hostile name reaches no output as it is" {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --name "$EVIL" --target-label "$EVIL" >import.txt 2>import.err
	[ "$(sqlite3 "$LUNSWEEP_DB" "SELECT target_label FROM run" 2>/dev/null || echo "$EVIL")" = "$EVIL" ]
	"$TOOL" list >list.txt
	"$TOOL" show 1 >show.txt
	"$TOOL" show 1 1 >point.txt
	"$TOOL" report 1 -o out >report.txt 2>report.err
	for format in csv json markdown; do
		"$TOOL" report 1 --format "$format" >"report.$format"
	done
	for format in csv json; do
		"$TOOL" list --format "$format" >"list.$format"
		"$TOOL" export 1 --format "$format" >"export.$format"
	done
	# All of them, without the pictures that are no text.
	plain ./*.txt ./*.err report.markdown ./*.csv ./*.json out/*.txt out/*.gp out/*.dat out/*.html out/*.svg
	for file in report.json list.json export.json out/*.json; do
		jq -e . "$file" >/dev/null
	done
	for file in list.csv export.csv report.csv; do
		python3 - "$file" <<-'PY'
		import csv, sys
		for row in csv.reader(open(sys.argv[1], newline="")):
		    assert not any(cell[:1] in "=+@" and len(cell) > 1 for cell in row if cell), row
		PY
	done
	run ! grep -l '<script>x' out/*.html out/*.svg
	[ ! -e pwned ] && [ ! -e out/pwned ]
	ledger bad_inputs 20
}

@test "what somebody put into a database runs neither on opening nor on writing" {
	while IFS= read -r sql; do
		a_database
		sqlite3 "$LUNSWEEP_DB" "CREATE TABLE loot (x); $sql"
		status=0
		"$TOOL" list >out 2>err || status=$?
		survived "$status"
		"$TOOL" import csv "$DATA/o47-b.csv" >out 2>err || survived $?
		[ "$(sqlite3 "$LUNSWEEP_DB" "SELECT count(*) FROM loot")" = 0 ]
		"$TOOL" report 1 >out 2>err || survived $?
	done <<-'END'
	CREATE TRIGGER t AFTER INSERT ON run BEGIN INSERT INTO loot VALUES (1); END;
	CREATE TRIGGER t BEFORE INSERT ON point BEGIN INSERT INTO loot VALUES (1); DELETE FROM run; END;
	CREATE TRIGGER t AFTER INSERT ON run_fact BEGIN INSERT INTO loot SELECT randomblob(100000000); END;
	END
}

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
	# It is stored as it was given: what is shown is made harmless where it is shown.
	stored=$(sqlite3 "$LUNSWEEP_DB" 'SELECT hex(label) FROM target UNION SELECT hex(sweep_name) FROM run')
	[ "$stored" = "$(printf %s "$EVIL" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F)" ]
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
	ledger bad_inputs
}

@test "what somebody put into a database runs neither on opening nor on writing" {
	while IFS= read -r sql; do
		a_database
		sqlite3 "$LUNSWEEP_DB" "CREATE TABLE loot (x); $sql"
		"$TOOL" list >out 2>err
		"$TOOL" import csv "$DATA/o47-b.csv" >out 2>err
		"$TOOL" report 1 >out 2>err
		[ "$(sqlite3 "$LUNSWEEP_DB" "SELECT count(*) FROM loot")" = 0 ]
		# The run that was there, and the one that was added.
		[ "$(sqlite3 "$LUNSWEEP_DB" "SELECT count(*) FROM run")" = 2 ]
		ledger bad_inputs
	done <<-'END'
	CREATE TRIGGER t AFTER INSERT ON run BEGIN INSERT INTO loot VALUES (1); END;
	CREATE TRIGGER t BEFORE INSERT ON point BEGIN INSERT INTO loot VALUES (1); DELETE FROM run; END;
	CREATE TRIGGER t AFTER INSERT ON run_fact BEGIN INSERT INTO loot SELECT randomblob(100000000); END;
	END
}

@test "a view in the place of a table, virtual tables and other people's databases are refused" {
	while IFS='|' read -r words sql; do
		a_database
		sqlite3 "$LUNSWEEP_DB" "PRAGMA foreign_keys=OFF; $sql"
		run -1 "$TOOL" list
		[[ $output == *"$words"* ]]
		ledger bad_inputs
	done <<-'END'
	prohibited|ALTER TABLE run RENAME TO was; CREATE VIEW run AS SELECT * FROM was;
	virtual tables|CREATE VIRTUAL TABLE extra USING fts5(x);
	not a lunsweep database|PRAGMA application_id = 7;
	newer lunsweep|PRAGMA user_version = 99;
	END
	a_database
	for size in 1 99 100 512 4096 20000; do
		head -c "$size" "$LUNSWEEP_DB" >cut.db
		run -1 "$TOOL" list --db cut.db
		ledger bad_inputs
	done
}

@test "nothing is written through a link that another user could have put there" {
	need_root
	a_database
	mkdir -m 1777 public
	mkdir victim theirs
	ln -s ../victim public/out
	ln -s ../victim theirs/out
	chown -h 65534 theirs/out
	for dir in public/out theirs/out public/out/deeper; do
		run -1 "$TOOL" report 1 -o "$dir"
		[[ $output == *"symbolic link '${dir%/deeper}'"* ]]
		run -1 "$TOOL" export 1 -o "$dir/file.csv"
		run -1 "$TOOL" import csv "$DATA/o47-a.csv" --db "$dir/new.db"
		run -1 env TMPDIR="$dir" "$TOOL" report 1 -o fine
		[ -z "$(ls victim)" ]
		ledger bad_inputs 4
	done
	# The user's own link, in a directory of his own, is followed.
	ln -s victim mine
	"$TOOL" export 1 -o mine/file.csv
	[ -s victim/file.csv ]
	# A link in the place of the file is replaced.
	: >other
	ln -s "$PWD/other" public/file.csv
	"$TOOL" export 1 -o public/file.csv
	[ ! -L public/file.csv ] && [ ! -s other ]
}

@test "files of another user beside a database in a public place are not taken for its own" {
	need_root
	a_database
	mkdir -m 1777 public
	for suffix in -wal -shm -journal; do
		rm -f public/*
		cp "$LUNSWEEP_DB" public/t.db
		: >"public/t.db$suffix"
		chown 65534 "public/t.db$suffix"
		run -1 "$TOOL" list --db public/t.db
		[[ $output == *"t.db$suffix' belongs to another user"* ]]
		rm "public/t.db$suffix"
		ln -s ../t.db "public/t.db$suffix"
		run -1 "$TOOL" list --db public/t.db
		[[ $output == *"is no regular file"* ]]
		ledger bad_inputs 2
	done
	rm -f public/*
	cp "$LUNSWEEP_DB" public/t.db
	chown 65534 public/t.db
	run -1 "$TOOL" import csv "$DATA/o47-a.csv" --db public/t.db
	[[ $output == *"t.db' belongs to another user"* ]]
	ledger bad_inputs
}

@test "database and reports are not for others to write, whatever the umask" {
	umask 000
	a_database
	"$TOOL" report 1 -o out >/dev/null 2>&1
	[ -z "$(find out "$LUNSWEEP_DB" -perm /022)" ]
	[ "$(stat -c %a "$LUNSWEEP_DB")" = 600 ]
	umask 077
	"$TOOL" report 1 -o private >/dev/null 2>&1
	[ -z "$(find private -perm /077)" ]
}

@test "a locale with a decimal comma changes no figure" {
	need localedef
	localedef -i de_DE -f UTF-8 "$PWD/de_DE.UTF-8" 2>/dev/null || [ -d de_DE.UTF-8 ]
	LOCPATH=$PWD LC_ALL=de_DE.UTF-8 bash -c 'printf %.1f 0,5' | grep -qx 0,5
	# What newlocale of glibc makes of LOCPATH it never frees.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" >/dev/null 2>&1
	for command in "report 1" "report 1 --format csv" "report 1 --format json" "export 1" "show 1 1"; do
		# shellcheck disable=SC2086 # words of the command line
		cmp <(LC_ALL=C.UTF-8 "$TOOL" $command) <(LOCPATH=$PWD LC_ALL=de_DE.UTF-8 "$TOOL" $command)
	done
	LC_ALL=C.UTF-8 "$TOOL" report 1 -o point >/dev/null 2>&1
	LOCPATH=$PWD LC_ALL=de_DE.UTF-8 "$TOOL" report 1 -o comma >/dev/null 2>&1
	for file in point/*.gp point/*.dat point/*.svg; do
		cmp "$file" "comma/${file##*/}"
	done
}

@test "an environment of nonsense changes nothing" {
	a_database
	"$TOOL" report 1 >want
	while IFS= read -r variable; do
		env "$variable" "$TOOL" report 1 >got
		cmp want got
		ledger bad_inputs
	done <<-'END'
	COLUMNS=-1
	COLUMNS=99999999999999999999
	TERM=%n%n
	TERM=
	HOME=
	TMPDIR=/nonexistent
	GNUTERM=x"; system "touch pwned
	SQLITE_TMPDIR=/nonexistent
	XDG_RUNTIME_DIR=/nonexistent
	NO_COLOR=%s
	END
	[ ! -e pwned ]
}

#!/usr/bin/env bats
# What a terminal gets, and what a pipe or a log gets: widths, colours, plots (O-45, O-46).
# shellcheck disable=SC2154 # bats sets stderr

# bats file_tags=fast
bats_require_minimum_version 1.5.0

setup_file() {
	DIR=$(mktemp -d)
	export DIR LUNSWEEP_DB="$DIR/t.db"
	cd "$DIR" || return
	"$TOOL" import csv "$BATS_TEST_DIRNAME/../data/ult-lun-sizing.csv" --name ult \
		--target-label "ULT array" >/dev/null 2>import.err
}

setup() {
	cd "$DIR" || return
	unset COLUMNS NO_COLOR LC_ALL
}

teardown_file() {
	rm -rf "$DIR"
}

# widest FILE: columns of its longest line.
widest() {
	python3 -c 'import sys; print(max(map(len, open(sys.argv[1], encoding="utf-8").read().split("\n"))))' "$1"
}

# on_terminal COLUMNS COMMAND: what the command writes on a terminal of this width, into the file typescript.
on_terminal() {
	TERM=${TERM_TYPE:-xterm} script -qec "stty cols $1; $2" typescript </dev/null >/dev/null
}

@test "the answers stand in the first twenty lines, with the span that is worth it" {
	"$TOOL" report >out
	head -20 out >top
	grep -q '72 of 72 points with figures, all valid' top
	[ "$(grep -c ' at iodepth ' top)" -eq 8 ]
	grep -q 'LUN size: 1000GB loses 11 % of the IOPS of 500GB, 2000GB loses 19 %' top
	run -0 "$TOOL" size 1 --vm-iops 50 --vm-capacity 40G --vm-read 70%
	[[ $output == *"LUNs of 1000GB"* ]]
}

@test "many curves: a line for each kind of them comes first" {
	python3 - >many.csv <<-'END'
	print("rw,bs,span,iodepth,iops,lat_mean_ms")
	for rw in "randread", "randwrite":
	    for bs in 4, 8, 16, 32, 64:
	        for span in "100G", "200G":
	            for depth in 1, 2, 4, 8, 16, 32:
	                iops = min(depth, 8) * 4000 / bs
	                print(f"{rw},{bs}k,{span},{depth},{iops},{depth / iops * 1000}")
	END
	"$TOOL" import csv many.csv --db many.db >/dev/null 2>&1
	"$TOOL" report --db many.db >out
	sed -n '/^Answers/,/^$/p' out >top
	[ "$(wc -l <top)" -le 14 ]
	grep -q 'randread (10 curves): 10 saturate at iodepth 8 with 500 to 8000 IOPS; max' top
	[ "$(grep -c '^  rand.* span [12]00G .*iodepth 8 ' out)" -eq 20 ]
}

@test "text fits the width that is there, and says what it left out" {
	for width in 40 60 80 200; do
		COLUMNS=$width "$TOOL" report >out
		# Names of files are not broken.
		sed -i "\|$BATS_TEST_DIRNAME|d" out
		[ "$(widest out)" -le "$width" ]
	done
	run -1 grep -q 'have no room for' out
	COLUMNS=40 "$TOOL" report | tr '\n' ' ' | tr -s ' ' >out
	grep -q "Columns that 40 columns of text have no room for: .*MiB/s.* 'lunsweep report 1 --format csv'" out
	# Unknown and nonsense are 80.
	"$TOOL" report >default
	for width in 0 -3 x 99999999999999999999; do
		COLUMNS=$width "$TOOL" report >out
		cmp out default
	done
	COLUMNS=20 "$TOOL" report --plot >out
	COLUMNS=1 "$TOOL" report --plot >out
	[ -s out ]
}

@test "answers and tables fit 20 to 39 columns: rows are folded where there is no room" {
	export LUNSWEEP_DB="$DIR/narrow.db"
	cp t.db narrow.db
	"$TOOL" import csv "$BATS_TEST_DIRNAME/../data/ult-lun-sizing.csv" --name ult2 >/dev/null 2>&1
	for width in 20 27 39; do
		for command in 'report 1 --explain' 'report 1 --table span,iodepth' 'show 1 3' 'compare 1 2' \
			'size 1 --vm-iops 50 --vm-capacity 40G --vm-read 70%'; do
			# shellcheck disable=SC2086 # options
			COLUMNS=$width "$TOOL" $command >out
			[ -s out ]
			# Facts of the set-up and single words, such as names of files, are not broken.
			sed -Ei '/^ *[^ ]+$/d; /^  (tool|identity) /d' out
			run -1 grep -nE "^.{$((width + 1)),}" out
		done
	done
	# Nothing of the answers is lost.
	COLUMNS=20 "$TOOL" report 1 | tr '\n' ' ' | tr -s ' ' >out
	grep -q 'randread 4k span 1000GB max at mean <= 10 ms 3905 at iodepth 32 randread' out
}

@test "the terminal's own width goes before COLUMNS" {
	command -v script >/dev/null || skip "script is not installed"
	COLUMNS=200 on_terminal 66 "'$TOOL' report --color never | cat >piped; '$TOOL' report --color never"
	sed -i '/^Script /d; s/\r$//' typescript
	sed -i "\|$BATS_TEST_DIRNAME|d" typescript
	[ "$(widest typescript)" -le 66 ]
	grep -q '  iodepth  bs  IOPS  mean ms .* status$' typescript
}

@test "colours only on a terminal that can, not with NO_COLOR, and as --color says" {
	command -v script >/dev/null || skip "script is not installed"
	has_color() {
		grep -q $'\033\\[' typescript
	}
	on_terminal 80 "'$TOOL' report"
	has_color
	grep -q $'\033\\[1mAnswers\033\\[0m' typescript
	NO_COLOR=1 on_terminal 80 "'$TOOL' report"
	run ! has_color
	NO_COLOR='' on_terminal 80 "'$TOOL' report"
	has_color
	TERM_TYPE=dumb on_terminal 80 "'$TOOL' report"
	run ! has_color
	on_terminal 80 "'$TOOL' --color=never report"
	run ! has_color
	NO_COLOR=1 TERM_TYPE=dumb on_terminal 80 "'$TOOL' report --color always"
	has_color
	"$TOOL" report >out
	run ! grep -q $'\033' out
	"$TOOL" report --color always >out
	grep -q $'\033\\[1mAnswers\033\\[0m' out
	# Nothing else is different.
	"$TOOL" report >plain
	sed 's/\x1b\[[0-9;]*m//g' out | cmp - plain
}

@test "machine formats have no colour, whatever is said" {
	for format in csv json; do
		"$TOOL" report --color always --format $format >out
		run ! grep -q $'\033' out
	done
	"$TOOL" status --color always --format json | jq -e '.format == "lunsweep-status"' >/dev/null
	"$TOOL" list --color always --format csv >out
	run ! grep -q $'\033' out
}

@test "errors and warnings stand out on a terminal only" {
	run -1 --separate-stderr "$TOOL" show 99
	[[ $stderr == "lunsweep: there is no run 99"* ]]
	run -1 --separate-stderr "$TOOL" show 99 --color always
	[[ $stderr == $'\033[1;31mlunsweep: \033[0mthere is no run 99'* ]]
}

@test "--color takes three words" {
	run -2 --separate-stderr "$TOOL" report --color sometimes
	[[ $stderr == *"--color is auto, always or never, not 'sometimes'"* ]]
	run -2 --separate-stderr "$TOOL" report --color
	[[ $stderr == *"--color needs a value"* ]]
	run -0 "$TOOL" --color never list
	# Behind -- it is an argument.
	run -2 --separate-stderr "$TOOL" list -- --color
	[[ $stderr == *"list takes no arguments"* ]]
}

@test "--plot is ASCII in the C locale and braille in UTF-8, 80 columns and 24 lines a plot" {
	LC_ALL=C "$TOOL" report --plot >ascii
	LC_ALL=C.UTF-8 "$TOOL" report --plot >utf8
	run ! grep -q '[^ -~]' ascii
	python3 - <<-'END'
	for name in "ascii", "utf8":
	    text = open(name, encoding="utf-8").read()
	    plots = text.split("\nPlots\n")[1].split("\n\nrandread 4k span")[0]
	    assert max(map(len, plots.split("\n"))) <= 80
	    parts = [p.strip("\n") for p in plots.split("\n\n") if "iodepth" in p]
	    assert len(parts) == 2 and all(len(p.split("\n")) <= 24 for p in parts), parts
	    assert any("\u2800" < c <= "\u28ff" for c in plots) == (name == "utf8")
	    assert parts[0].count("mean latency, ms") == 1
	END
	"$TOOL" report >plain
	run -1 grep -q '^Plots' plain
}

@test "status tells of stored runs, and ends with 1 where there is none" {
	run -0 "$TOOL" status
	[ "${lines[0]}" = "Run 1: ult on ULT array" ]
	[[ $output == *"finished"*"72 of 72 done"*"lunsweep report 1"* ]]
	run -1 --separate-stderr "$TOOL" status 7
	[[ $stderr == *"there is no run 7"* ]]
	run -1 --separate-stderr "$TOOL" status --db nosuch.db
	[[ $stderr == *"there is no database 'nosuch.db'"* ]]
	[ ! -e nosuch.db ]
	run -2 --separate-stderr "$TOOL" status x
	run -2 --separate-stderr "$TOOL" status 1 2
	[[ $stderr == *"the number of one run"* ]]
	run -2 --separate-stderr "$TOOL" status 1..2
	run -2 --separate-stderr "$TOOL" status --format yaml
	[[ $stderr == *"--format is text or json, not 'yaml'"* ]]
}

@test "status --follow ends with a run that has ended, and as the pipe does" {
	run -0 "$TOOL" status --follow
	[ "$output" = "run 1: finished. Points: 72 of 72 done: 72 ok; 0 left." ]
	run -0 sh -c '"$1" status --follow --format json <&- | jq -s length' sh "$TOOL"
	[ "$output" = 1 ]
	run -1 --separate-stderr sh -c '"$1" status >/dev/full' sh "$TOOL"
	[[ $stderr == *"standard output"* ]]
}

@test "status says of a run that another host began that it cannot be seen from here" {
	cp t.db other.db
	python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("other.db")
	db.execute("UPDATE run SET state = 'running', end_ns = NULL, target_resolved = '/no/such'")
	db.commit()
	END
	# Nothing tells whether it runs: its target is not here.
	run -0 "$TOOL" status --db other.db
	[[ $output == *"marked as running; whether it is cannot be told"* ]]
	python3 -c 'import sqlite3; db = sqlite3.connect("other.db"); db.execute("INSERT INTO run_fact (run_id, place, name, value) VALUES (1, 999, \"host.name\", \"no-such-host\")"); db.commit()'
	run -0 "$TOOL" status --db other.db
	[[ $output == *"running, as far as the database says, on no-such-host"* ]]
	[ "$("$TOOL" status --db other.db --format json | jq -r .state)" = running-elsewhere ]
}

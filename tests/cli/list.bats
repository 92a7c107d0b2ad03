#!/usr/bin/env bats
# bats file_tags=fast
load store_helper

@test "list prints a line per run with its points by outcome" {
	matches_golden list.txt "$TOOL" list --db stored.db
}

@test "list as CSV and JSON is read by strict parsers and says the same" {
	matches_golden list.csv "$TOOL" list --db stored.db --format csv
	matches_golden list.json "$TOOL" list --db stored.db --format json
	"$TOOL" list --db stored.db --format csv >l.csv
	python3 - l.csv out <<-'PY'
	import csv, json, sys
	rows = list(csv.DictReader(open(sys.argv[1]), strict=True))
	runs = json.load(open(sys.argv[2]))
	assert [{k: str(v) if v is not None else "" for k, v in r.items()} for r in runs["runs"]] == rows
	PY
}

@test "list of a missing, an empty and a foreign database says what is wrong and makes no file" {
	fails_with 1 "there is no database" "$TOOL" list --db none.db
	[ ! -e none.db ]
	: >empty.db
	fails_with 1 "nothing was stored in it yet" "$TOOL" list --db empty.db
	echo "this is no database, but it is long enough to be looked at" >text.db
	fails_with 1 "is not a lunsweep database" "$TOOL" list --db text.db
}

@test "list of no runs is a header only" {
	printf 'qd,iops\n1,1\n' >t.csv
	"$TOOL" import csv t.csv 2>/dev/null
	python3 -c 'import sqlite3; c = sqlite3.connect("lunsweep.db"); c.execute("PRAGMA foreign_keys=ON"); c.execute("DELETE FROM run"); c.commit()'
	run "$TOOL" list --format csv
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
	[ "$("$TOOL" list --format json)" = '{"format":"lunsweep-list","version":1,
"runs":[]}' ]
}

@test "list and report count the same points as spoiled" {
	printf 'iodepth,iops\n1,100\n2,200\n4,300\n' >t.csv
	"$TOOL" import csv t.csv --set rw=randread,bs=4k,span=1G 2>/dev/null
	python3 -c 'import sqlite3; c = sqlite3.connect("lunsweep.db"); c.executescript("""
		INSERT INTO point_flag VALUES (1, "stall", NULL), (2, "little", NULL), (3, "unsteady", NULL);
		INSERT INTO run_accept VALUES (1, "stall");"""); c.commit()'
	[ "$("$TOOL" list --format json | jq '.runs[0].spoiled')" -eq 1 ]
	[ "$("$TOOL" report --format json | jq -c '[.runs[0].curves[0].points[].valid]')" = "[true,false,true]" ]
	"$TOOL" report >text
	grep -q 'spoiled: little' text
	grep -q 'Needs more depths.*2; 1 spoiled' <(tr -s '\n ' ' ' <text)
}

@test "list refuses what it does not know" {
	fails_with 2 "--format is text, json or csv, not 'xml'" "$TOOL" list --format xml
	fails_with 2 "list takes no arguments, not '3'" "$TOOL" list 3
}

@test "list, show and export tell when standard output is full" {
	local command got
	for command in list "show 2" "show 2 2" "export 2"; do
		got=0
		# shellcheck disable=SC2086
		"$TOOL" $command --db stored.db >/dev/full 2>err || got=$?
		[ "$got" -eq 1 ]
		grep -q "standard output" err
	done
}

@test "list, show and export work while another connection is writing" {
	"$TOOL" import csv "$DATA/o47-a.csv" 2>/dev/null
	python3 - "$TOOL" <<-'PY'
	import os, sqlite3, subprocess, sys
	db = sqlite3.connect(os.environ["LUNSWEEP_DB"], isolation_level=None)
	db.execute("BEGIN EXCLUSIVE")
	db.execute("UPDATE point SET status = 'failed', iops = NULL")
	for args in (["list"], ["show", "1"], ["show", "1", "2"], ["export", "1"]):
	    out = subprocess.run([sys.argv[1]] + args, capture_output=True, timeout=5, check=True)
	    assert b"failed" not in out.stdout.split(b"\n", 1)[1]
	db.execute("ROLLBACK")
	PY
}

@test "a database of schema 1 is still opened, read and written to" {
	export LUNSWEEP_DB=$BATS_TEST_TMPDIR/stored.db
	"$TOOL" import csv "$DATA/o47-b.csv" 2>/dev/null
	[ "$(sql "SELECT count(*) FROM run")" = 3 ]
	[ "$(sql "SELECT integrity_check FROM pragma_integrity_check")" = ok ]
	"$TOOL" show 2 1 >out
	grep -q "^  9 nines" out
}

# An escape sequence in a label could set the title of a terminal or hide lines; a newline could forge one.
@test "list, show and captions print no control characters of names" {
	local label=$'ev\e]0;gotcha\ail\nrun 9: forged'
	"$TOOL" import csv "$DATA/o47-a.csv" --target-label "$label" 2>/dev/null
	"$TOOL" list >out
	"$TOOL" show 1 >>out
	"$TOOL" report 1 -o charts >>out
	"$TOOL" report 1 --x iodepth -o free >>out
	run -1 grep -rn '[[:cntrl:]]' out charts/*.txt free/*.txt
	run -1 grep -rn '^run 9' out charts/*.txt free/*.txt
	grep -q 'ev ]0;gotcha il run 9: forged' out
	grep -q 'ev ]0;gotcha il run 9: forged' charts/*.txt
}

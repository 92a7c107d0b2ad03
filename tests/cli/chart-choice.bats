#!/usr/bin/env bats
# Charts that compare: axes that the user chooses, LUN sizes, targets over each other, ratios (O-40 to
# O-43). Pictures of the usual case are drawn once for all tests.

# bats file_tags=fast
load store_helper
bats_require_minimum_version 1.5.0

VM=(--vm-iops 50 --vm-capacity 40G --vm-read 70%)

setup_file() {
	DATA=$BATS_TEST_DIRNAME/../data
	export LUNSWEEP_DB=$BATS_FILE_TMPDIR/all.db OUT=$BATS_FILE_TMPDIR/out
	{
		"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --name ult --target-label "ULT array"
		for i in 1 2 3; do
			import_one "a$i" "array A"
			import_one "b$i" "array B"
		done
		"$TOOL" report 1 -o "$OUT/ult" --x span --series iodepth --panel rw
		"$TOOL" report 2 3 -o "$OUT/two"
		"$TOOL" size 1 "${VM[@]}" --lun-size 512G,1T,2T,4T -o "$OUT/size"
		"$TOOL" compare 2,4,6 3,5,7 -o "$OUT/ratios"
		"$TOOL" compare --table 2..7 -o "$OUT/table"
	} >"$BATS_FILE_TMPDIR/stdout" 2>"$BATS_FILE_TMPDIR/stderr"
}

# Each test may spoil its copy.
copy_all() {
	cp "$BATS_FILE_TMPDIR/all.db" "$BATS_TEST_TMPDIR/mine.db"
	export LUNSWEEP_DB=$BATS_TEST_TMPDIR/mine.db
}

import_one() {
	"$TOOL" import csv "$DATA/compare/$1.csv" --set span=1G --name study --target-label "$2"
}

# import_rows LABEL LINE...: rows of pattern, span, depth, IOPS, mean ms.
import_rows() {
	printf '%s\n' rw,span,iodepth,iops,lat_mean_ms "${@:2}" >rows.csv
	"$TOOL" import csv rows.csv --set bs=4k --target-label "$1" >/dev/null 2>&1
}

fail_points() {
	sqlite3 "$LUNSWEEP_DB" "DELETE FROM point_dir WHERE point_id IN (SELECT id FROM point WHERE $1);
		UPDATE point SET status = 'failed', reason = 'Input/output error', iops = NULL,
		  ios = NULL, util_pct = NULL WHERE $1"
}

# made DIR NAME...: these charts are there with all their files, and their captions begin with how to read them.
made() {
	local dir=$1 name

	for name in "${@:2}"; do
		[ -s "$dir/$name.gp" ]
		[ -s "$dir/$name.dat" ]
		[ "$(head -c 4 "$dir/$name.svg")" = "<?xm" ]
		grep -qE '^(Read|Each) ' <(sed -n 2p "$dir/$name.txt")
	done
}

@test "everything is drawn without a complaint of gnuplot" {
	made "$OUT/ult" x-span-series-iodepth-panel-rw-1 x-span-series-iodepth-panel-rw-2 lun-size-4k-d16
	made "$OUT/two" targets-depth-rw-randread targets-response-rw-randread
	made "$OUT/size" lun-size vms-per-lun
	made "$OUT/ratios" ratios targets-depth-rw-randread
	made "$OUT/table" targets
	[ -z "$(grep -vE '^(lunsweep: |no charts of single latencies )' "$BATS_FILE_TMPDIR/stderr" | grep -v "^$OUT/" || true)" ]
	[ "$(grep -ic warn "$BATS_FILE_TMPDIR/stderr")" -eq 0 ]
}

@test "nothing leaves a picture or lies on other text, and titles are whole" {
	for kind in ult two size ratios table; do
		"$BATS_TEST_DIRNAME/../lib/check_charts.py" "$OUT/$kind"
	done
}

@test "the data of the charts are the figures of the study" {
	# Test 10 of the study: reads at depth 16 over 500 to 4000 GB.
	for iops in 2835 2586 2373 2129; do
		grep -q " $iops " "$OUT/ult/x-span-series-iodepth-panel-rw-2.dat"
		grep -q " $iops " "$OUT/ult/lun-size-4k-d16.dat"
	done
	grep -q "at iodepth 16 up to 1000GB; under mean <= 10 ms up to 1000GB" "$OUT/ult/lun-size-4k-d16.txt"
	grep -q "^1024G: 20 VMs, by capacity; recommended" "$OUT/size/vms-per-lun.txt"
	grep -q "^2048G: 32 VMs, by the queue of the LUN; reads lose 19.4 %" "$OUT/size/vms-per-lun.txt"
	grep -q "B is slower at 7 of 7 points" "$OUT/ratios/ratios.txt"
}

@test "the files have what the terminal shows" {
	"$TOOL" size 1 "${VM[@]}" --lun-size 512G,1T,2T,4T --db "$BATS_FILE_TMPDIR/all.db" >size.txt
	cmp size.txt "$OUT/size/size.txt"
	jq -e '.format == "lunsweep-size"' "$OUT/size/size.json"
	"$TOOL" compare 2,4,6 3,5,7 --db "$BATS_FILE_TMPDIR/all.db" >compare.txt
	cmp compare.txt "$OUT/ratios/compare.txt"
	jq -e '.format == "lunsweep-compare"' "$OUT/ratios/compare.json"
	jq -e '.format == "lunsweep-table"' "$OUT/table/table.json"
	[ "$(wc -l <"$OUT/table/table.csv")" -gt 6 ]
}

@test "the same scripts, data and pictures again" {
	"$TOOL" size 1 "${VM[@]}" --lun-size 512G,1T,2T,4T -o again --db "$BATS_FILE_TMPDIR/all.db" \
		>/dev/null 2>&1
	for file in again/*; do
		cmp "$file" "$OUT/size/${file#again/}"
	done
}

@test "one point is a chart of any axes" {
	import_rows lun randread,1G,4,100,40
	"$TOOL" report 1 -o out --x bs --series rw --panel workers --y iops,mib,lat-mean >/dev/null 2>err
	"$BATS_TEST_DIRNAME/../lib/check_charts.py" out
	made out x-bs-series-rw-panel-workers-y-iops-mib-lat-mean
	"$TOOL" size 1 --vm-iops 5 --vm-capacity 64m --vm-read 100% --cap mean:50ms -o size --image svg \
		>/dev/null 2>&1
	made size lun-size vms-per-lun
	[ ! -e size/lun-size.png ]
}

@test "failed points are gaps, and a chart of nothing else is a message" {
	copy_all
	fail_points "run_id = 3 AND iodepth = 4"
	"$TOOL" compare 2 3 -o out --image svg >/dev/null 2>err
	made out ratios targets-depth-rw-randread
	grep -q "^  run 3, randread 4k iodepth 4 span 1G: failed: Input/output error" \
		out/targets-depth-rw-randread.txt
	[ "$(awk '/^# array B/ { on = 1 } on && $1 == 4 && $2 == "NaN"' out/targets-depth-rw-randread.dat |
		wc -l)" -ge 1 ]
	fail_points "run_id = 2"
	"$TOOL" report 2 -o none --image svg --x iodepth --y iops >/dev/null 2>err
	grep -q "no valid points for 'randread 4k: IOPS against iodepth': no picture" err
	[ ! -e none/x-iodepth-y-iops-rw-randread.svg ]
	[ -s none/x-iodepth-y-iops-rw-randread.txt ]
}

@test "names with any letters, quotes and signs of gnuplot do nothing" {
	import_rows $'sd_b1 r\xc3\xa9sum\xc3\xa9 `touch pwned` {x}' randread,1G,4,100,40
	import_rows "x'\"; system(\"touch pwned\")" randread,1G,4,110,36
	for locale in C C.UTF-8; do
		LC_ALL=$locale "$TOOL" report 1 2 -o $'out dir_\xc3\xa4' --image svg --x target >/dev/null 2>err
		made $'out dir_\xc3\xa4' x-target targets-depth
		rm -r $'out dir_\xc3\xa4'
	done
	"$TOOL" compare 1 2 -o out --image svg >/dev/null 2>&1
	"$TOOL" compare --table 1 2 -o out --image svg >/dev/null 2>&1
	made out ratios targets
	grep -qF $'sd_b1 r\xc3\xa9sum\xc3\xa9 `touch pwned` {x}' out/targets.txt
	[ -z "$(find . -name pwned)" ]
}

@test "targets of one label are told apart by their paths, runs of one target by their numbers" {
	grep -q "run 2: array A" "$OUT/ratios/targets-depth-rw-randread.dat"
	grep -q "^# array A" "$OUT/two/targets-depth-rw-randread.dat"
}

@test "axes and figures that there are not, or twice, are usage errors before any work" {
	fails_with 2 "--x: 'size' is no axis: use rw, bs, iodepth," "$TOOL" report -o dir --x size
	fails_with 2 "--x and --series are both 'bs'" "$TOOL" report -o dir --x bs --series bs
	fails_with 2 "--y: 'speed' is no figure" "$TOOL" report -o dir --x bs --y speed
	fails_with 2 "give -o DIR too" "$TOOL" report --x bs
	fails_with 2 "say what goes to the right" "$TOOL" report -o dir --series bs
	fails_with 2 "--image is of charts, which need -o DIR" "$TOOL" size "${VM[@]}" --image svg
	fails_with 2 "--image" "$TOOL" compare 1 2 -o dir --image gif
	[ ! -e dir ]
}

@test "an axis on which no point has a place is an error, and all else is there" {
	local got=0

	import_rows lun randread,1G,4,100,40
	"$TOOL" report 1 -o out --image svg --x rate >/dev/null 2>err || got=$?
	[ "$got" -eq 1 ]
	grep -q "no point of these runs has a place on the axis 'rate'" err
	[ -s out/report.json ]
	[ -s out/iops-depth-randread-4k.svg ]
}

@test "without gnuplot text, data and scripts are there, and the status is 1" {
	local got=0

	copy_all
	mkdir bin
	ln -s "$(command -v env)" bin/env
	PATH=$PWD/bin "$TOOL" size 1 "${VM[@]}" -o out >text 2>err || got=$?
	[ "$got" -eq 1 ]
	grep -q "install the package gnuplot-nox" err
	grep -q "^Recommended" text
	[ -s out/size.json ]
	[ -s out/vms-per-lun.gp ]
	got=0
	PATH=$PWD/bin "$TOOL" compare 2 3 -o out >text 2>err || got=$?
	[ "$got" -eq 1 ]
	[ -s out/compare.csv ]
	[ -s out/ratios.gp ]
}

@test "a directory that cannot be made is an error, and the answer is printed" {
	local got=0

	copy_all
	: >file
	"$TOOL" compare --table 2 3 -o file/out >text 2>err || got=$?
	[ "$got" -eq 1 ]
	grep -q "file/out" err
	[ -s text ]
}

#!/usr/bin/env bats
# What holds of every kind of chart, also of those that are added: all that a report draws is looked at (O-41, O-42,
# O-43).

# bats file_tags=fast
bats_require_minimum_version 1.5.0

# use NAME: the database of this name.
use() {
	export LUNSWEEP_DB=$BATS_FILE_TMPDIR/$1.db
}

# import NAME HEADER OPTION...: rows from standard input.
import() {
	local name=$1

	use "$name"
	{ echo "$2"; cat; } >"$BATS_FILE_TMPDIR/$name.csv"
	"$TOOL" import csv "$BATS_FILE_TMPDIR/$name.csv" "${@:3}" >"$BATS_FILE_TMPDIR/$name.out" 2>&1
}

# fail_points NAME WHERE: as if the points had been measured and failed
fail_points() {
	sqlite3 "$BATS_FILE_TMPDIR/$1.db" "
		DELETE FROM point_dir WHERE point_id IN (SELECT id FROM point WHERE $2);
		UPDATE point SET status = 'failed', reason = 'Input/output error', iops = NULL, ios = NULL,
		  util_pct = NULL WHERE $2;"
}

# rows MODES SPANS SIZES DEPTHS: of a target that saturates at some 24 I/Os in flight.
rows() {
	awk -v modes="$1" -v spans="$2" -v sizes="$3" -v depths="$4" 'BEGIN {
		nm = split(modes, m); ns = split(spans, s); nb = split(sizes, b); nd = split(depths, d)
		for (i = 1; i <= nm; i++) for (j = 1; j <= ns; j++) for (k = 1; k <= nb; k++)
			for (l = 1; l <= nd; l++) {
				iops = 90000 * d[l] / (d[l] + 24) / (k + 1) / (1 + 0.1 * j) / i
				ms = 1000 * d[l] / iops
				printf "%s,%s,%s,%d,%.1f,%.4f,%.4f\n", m[i], s[j], b[k], d[l], iops, ms, 2.5 * ms
			}
	}'
}

FIGURES=iodepth,iops,lat_mean_ms,lat_p99_ms
LONG=$(printf 'array-%.0s' {1..20})
NAME='résumé über_lv_1 (copy)^{2}.img'

import_all() {
	echo 4,30000,0.13,0.3 | import one $FIGURES --set rw=randread,bs=4k,span=1G
	rows randread 10G "4k 8k 64k" "1 4 16" | import middle rw,span,bs,$FIGURES
	fail_points middle "bs_bytes = 8192 AND iodepth = 4"
	rows "randread randwrite" "10G 20G" 4k "1 4 16" | import failed rw,span,bs,$FIGURES
	fail_points failed 1
	rows "randread randwrite" "10G 20G" "4k 64k" 1 | import shallow rw,span,bs,$FIGURES
	rows randread "1T 2T 4T" "512 1k 2k 4k 8k 16k 32k 64k 256k 1M" \
		"1 2 4 8 16 32 64 128 256 512 1024 2048" | import many rw,span,bs,$FIGURES --target-label "$LONG"
	rows "randread randwrite read write" "10G 20G" 4k "1 2 4 8 16 32 64" |
		import names rw,span,bs,$FIGURES --target-label "$NAME"
	use ult
	"$TOOL" import csv "$BATS_TEST_DIRNAME/../data/ult-lun-sizing.csv" >/dev/null 2>&1
	cp "$BATS_TEST_DIRNAME/../data/schema-1.db" "$BATS_FILE_TMPDIR/stored.db"
}

draw() {
	use "$1"
	"$TOOL" report --util -o "$BATS_FILE_TMPDIR/$1" >/dev/null 2>"$BATS_FILE_TMPDIR/$1.err"
}

setup_file() {
	local name

	import_all
	for name in one middle failed shallow many ult stored; do
		draw "$name"
	done
}

# charts_are_fine NAME
charts_are_fine() {
	"$BATS_TEST_DIRNAME/../lib/check_charts.py" "$BATS_FILE_TMPDIR/$1"
	run ! grep -iE "warning|nan" "$BATS_FILE_TMPDIR/$1.err"
}

@test "one point gives charts in which it is seen (O-41)" {
	charts_are_fine one
	[ -s "$BATS_FILE_TMPDIR/one/iops-depth-randread-4k.svg" ]
}

@test "a failed point in the middle is a gap (O-41)" {
	charts_are_fine middle
	grep -q '^4 NaN NaN NaN$' "$BATS_FILE_TMPDIR/middle/iops-depth-randread-8k.dat"
}

@test "depth 1 only gives charts (O-41)" {
	charts_are_fine shallow
}

@test "of failed points there are captions and messages, and no pictures (O-41)" {
	cd "$BATS_FILE_TMPDIR/failed"
	[ -s iops-depth-randread-4k.txt ]
	grep -q "no valid points for 'randread 4k" ../failed.err
	run ! ls ./*.gp ./*.svg ./*.png
}

@test "twelve depths, ten block sizes, three spans and a long name are readable (O-42)" {
	charts_are_fine many
	cd "$BATS_FILE_TMPDIR/many"
	# Every depth has its tick, and the whole name is in the caption.
	for depth in 1 2 4 8 16 32 64 128 256 512 1024 2048; do
		grep -qE "^set xtics .*'[0-9]*' $depth( 1)?[,)]" iops-depth-randread-4k.gp
	done
	grep -qF "$LONG" iops-depth-randread-4k.txt
	run ! grep -qF "$LONG" iops-depth-randread-4k.gp
}

@test "the ULT study and a stored run with all figures are readable" {
	charts_are_fine ult
	charts_are_fine stored
}

@test "names of any letters stay as they are, in any locale and directory (O-43)" {
	use names
	for locale in C.UTF-8 C; do
		dir="$BATS_TEST_TMPDIR/out dir_ä/$locale"
		LC_ALL=$locale "$TOOL" report -o "$dir" >/dev/null 2>"$BATS_TEST_TMPDIR/err"
		"$BATS_TEST_DIRNAME/../lib/check_charts.py" "$dir"
		for chart in "$dir"/*.gp; do
			grep -qF "$NAME" "${chart%.gp}.svg" "${chart%.gp}.txt"
		done
	done
}

@test "images come in the formats asked for, and those of earlier reports go" {
	use one
	cd "$BATS_TEST_TMPDIR"
	"$TOOL" report -o out --image pdf,png >/dev/null 2>&1
	head -c 5 out/iops-depth-randread-4k.pdf | grep -q '^%PDF-'
	[ -s out/iops-depth-randread-4k.png ]
	[ ! -e out/iops-depth-randread-4k.svg ]
	"$TOOL" report -o out --image svg >/dev/null 2>&1
	[ -s out/iops-depth-randread-4k.svg ]
	run ! ls out/*.pdf out/*.png
	run -2 "$TOOL" report -o out2 --image svg,gif
	[[ $output == *"--image: 'gif' is no image format: use svg, png or pdf"* ]]
	run -2 "$TOOL" report --image ''
	[ ! -e out2 ]
}

@test "a gnuplot that fails on one chart leaves all others, and the message names it" {
	use ult
	cd "$BATS_TEST_TMPDIR"
	mkdir bin
	# As gnuplot, but for one script.
	cat >bin/gnuplot <<-END
		#!/bin/bash
		args=("\${@/modes-4k.gp/none.gp}")
		exec $(command -v gnuplot) "\${args[@]}"
	END
	chmod +x bin/gnuplot
	run -1 --separate-stderr env PATH="$PWD/bin:$PATH" "$TOOL" report -o out
	[[ $stderr == *"pictures are missing: gnuplot failed on 'modes-4k.gp'"* ]]
	[[ $output == *"Saturates at iodepth 32"* ]]
	[ -s out/report.json ]
	[ ! -e out/modes-4k.svg ]
	for chart in out/*.gp; do
		[ "$chart" = out/modes-4k.gp ] || [ -s "${chart%.gp}.svg" ]
	done
}

# fake_gnuplot: as gnuplot, but first it does what standard input says, in bash.
fake_gnuplot() {
	mkdir -p bin tmp
	{
		echo '#!/bin/bash'
		cat
		echo "exec $(command -v gnuplot) \"\$@\""
	} >bin/gnuplot
	chmod +x bin/gnuplot
}

# ended_by_term ARGUMENT...: a report that is ended while it draws leaves nothing behind.
ended_by_term() {
	local pid ended=0

	rm -f begun
	TMPDIR=$PWD/tmp PATH="$PWD/bin:$PATH" "$TOOL" report "$@" >/dev/null 2>&1 3>&- &
	pid=$!
	for _ in {1..200}; do
		[ ! -e begun ] || break
		sleep 0.02
	done
	[ -n "$(ls tmp)" ]
	kill -TERM "$pid"
	wait "$pid" || ended=$?
	[ "$ended" -eq 143 ]
	[ -z "$(ls tmp)" ]
}

@test "a signal while charts are drawn ends the report, and its temporary files go" {
	use one
	cd "$BATS_TEST_TMPDIR"
	fake_gnuplot <<-END
		: >$PWD/begun
		exec sleep 30
	END
	ended_by_term -o out
	ended_by_term --format html
}

@test "scripts are drawn where nobody else may write, and no link says where a picture goes" {
	use one
	cd "$BATS_TEST_TMPDIR"
	fake_gnuplot <<-END
		{ pwd; stat -c %a .; } >$PWD/where
		echo 'system "touch $PWD/pwned"' >$PWD/out/iops-depth-randread-4k.gp
		ln -s $PWD/victim $PWD/out/iops-depth-randread-4k.svg
	END
	TMPDIR=$PWD/tmp PATH="$PWD/bin:$PATH" "$TOOL" report -o out >/dev/null 2>&1
	[[ $(head -n 1 where) == "$PWD"/tmp/* ]]
	[ "$(tail -n 1 where)" -eq 700 ]
	[ ! -e pwned ]
	[ ! -e victim ]
	[ ! -L out/iops-depth-randread-4k.svg ]
	[ -s out/iops-depth-randread-4k.svg ]
	[ -z "$(ls tmp)" ]
	# Between two file systems pictures are copied.
	TMPDIR=/dev/shm "$TOOL" report -o out2 >/dev/null 2>&1
	cmp out/iops-depth-randread-4k.svg out2/iops-depth-randread-4k.svg
	cmp out/iops-depth-randread-4k.png out2/iops-depth-randread-4k.png
}

#!/usr/bin/env bats
# The report as a page of HTML: opened in a browser without a screen, used, printed, and given hostile names (O-41, O-43).
# shellcheck disable=SC2154 # bats sets stderr

# bats file_tags=fast
load ../lib/common
load ../lib/browser

EVIL='</title></script><script src=http://page.invalid/s.js>x()</script><img src=http://page.invalid/i.png onerror=x()>"'"'"' &amp;'

# A study with a failed point, a spoiled one and bad names, its report, what a browser finds in it when it is used at the
# width of a phone, and what it prints. Made once: a browser takes seconds to start.
setup_file() {
	scratch_up
	export LUNSWEEP_DB=$SCRATCH/t.db PAGE=$SCRATCH/out/report.html
	"$TOOL" import csv "$PROJECT_ROOT/tests/data/ult-lun-sizing.csv" --name "$EVIL" \
		--target-label "$EVIL" >/dev/null 2>&1
	sqlite3 "$LUNSWEEP_DB" "
		DELETE FROM point_dir WHERE point_id = 3;
		UPDATE point SET status = 'failed', reason = '<b>bad & \"block\"</b>', iops = NULL,
			ios = NULL, util_pct = NULL WHERE id = 3;
		INSERT INTO point_flag VALUES (12, 'stall', 'none for 2 s');
		INSERT INTO run_fact VALUES (1, '<i>fact</i>', '<script>x()</script>', 1);
		UPDATE run SET question = '<b>Why?</b>' || char(8238) || x'ff';"
	"$TOOL" report -o "$SCRATCH/out" >/dev/null 2>"$SCRATCH/report.err"
	export SMALL=$SCRATCH/small.db
	printf '%s\n' iodepth,iops,lat_mean_ms 1,1000,1 2,1900,1.05 4,3000,1.33 >"$SCRATCH/small.csv"
	"$TOOL" import csv "$SCRATCH/small.csv" --db "$SMALL" --set rw=randread,bs=4k,span=1G >/dev/null 2>&1
	find_browser || return 0
	with_script "$PAGE" "$PROJECT_ROOT/tests/lib/page-tests.js" "$SCRATCH/used.html"
	browse "$SCRATCH/used.html" --window-size=400,800 --virtual-time-budget=3000 --dump-dom \
		>"$SCRATCH/used.dump" 2>"$SCRATCH/used.err"
	told "$SCRATCH/used.dump" >"$SCRATCH/used.json"
	browse "$PAGE" --no-pdf-header-footer --print-to-pdf="$SCRATCH/page.pdf" 2>"$SCRATCH/print.err"
	cp "$SCRATCH/net.json" "$SCRATCH/print.net"
}

setup() {
	:
}

# found FILTER: what the browser found, by jq; fails where it is false or null.
found() {
	need_browser
	[ -s "$SCRATCH/used.json" ] && jq -e "$1" "$SCRATCH/used.json" || {
		cat "$SCRATCH/used.json" "$SCRATCH/used.err"
		return 1
	}
}

@test "the page is written beside the other files, and printed by --format html" {
	[ -s "$PAGE" ]
	grep -q "^$PAGE\$\|$PAGE" "$SCRATCH/report.err"
	"$TOOL" report --db "$SMALL" -o "$SCRATCH/out2" --format html >"$SCRATCH/printed.html" 2>/dev/null
	grep -q '<svg' "$SCRATCH/printed.html"
	cmp "$SCRATCH/printed.html" "$SCRATCH/out2/report.html"
	TMPDIR=$SCRATCH "$TOOL" report --db "$SMALL" --format html >"$SCRATCH/alone.html" \
		2>"$SCRATCH/alone.err"
	cmp "$SCRATCH/printed.html" "$SCRATCH/alone.html"
	[ ! -s "$SCRATCH/alone.err" ]
	run ! compgen -G "$SCRATCH/lunsweep-??????"
}

@test "the answers come first, and every section is there" {
	found '.sections == ["answers", "charts", "tables", "warnings", "setup", "method", "again"]'
	grep -q 'LUNs of up to 1000GB lose no more than 15 % of the IOPS' "$PAGE"
	grep -q 'Saturates at iodepth 32: 4368 IOPS' "$PAGE"
	grep -q '<b>72</b> points' "$PAGE"
	grep -q '<b>70</b> valid' "$PAGE"
	grep -q '<b>1</b> spoiled' "$PAGE"
	grep -q '<b>1</b> failed' "$PAGE"
}

@test "nothing is refused by the page's own policy, nothing fails, and nothing is asked of the network" {
	found '.errors == [] and .refused == []'
	found '.outside == [] and .requests == 0 and .dangling == [] and .ids == []'
	run ! grep CONSOLE "$SCRATCH/print.err"
	[ -s "$SCRATCH/print.net" ]
	run ! grep -qE '"url":"(https?|wss?|ftp):' "$SCRATCH/print.net"
}

@test "the same is noticed where it is not so" {
	need_browser
	sed "s|default-src 'none'|&; img-src *|; s|<h1>|<h1 style=\"color:red\" onclick=\"x()\"><img src=\"http://page.invalid/i.png\">|" \
		"$PAGE" >"$SCRATCH/bad.html"
	browse "$SCRATCH/bad.html" --dump-dom >/dev/null 2>"$SCRATCH/bad.err"
	grep -q 'CONSOLE.*inline style' "$SCRATCH/bad.err"
	grep -q 'CONSOLE.*event handler' "$SCRATCH/bad.err"
	grep -qE '"url":"http://page.invalid/i.png"' "$SCRATCH/net.json"
}

@test "hostile names do nothing" {
	found '.scripts == 2 and .bold == 0 and .handlers == 0'
	[ "$(grep -c '<script' "$PAGE")" -eq 1 ]
	run ! grep -q '<img' "$PAGE"
	grep -q '&lt;img src=http://page.invalid/i.png onerror=x()&gt;&quot;&#39; &amp;amp;' "$PAGE"
	grep -q 'failed: &lt;b&gt;bad &amp; &quot;block&quot;&lt;/b&gt;' "$PAGE"
	grep -q '<td class="l">&lt;script&gt;x()&lt;/script&gt;</td>' "$PAGE"
	iconv -f UTF-8 -t UTF-8 "$PAGE" >/dev/null
	run ! grep -qP '\x{202e}|[\x00-\x08\x0b-\x1f]' "$PAGE"
}

@test "each chart is drawn into the page, with a caption that says how to read it" {
	found '.figures >= 3 and .drawn == .figures and .captions == .figures'
}

@test "values show on hover and on tap, and without scripts as titles" {
	found '.hover.spots >= 72 * 2'
	found '.hover.title == .hover.text and (.hover.text | test("IOPS")) and .hover.inside'
	found '.hover.titleLeft == false and .hover.behind == null'
	found '(.hover.tapped | length) > 0 and .hover.escaped == null'
}

@test "tables are sorted by a click, sizes by what they mean, gaps last" {
	found '.iops.sort == "descending"'
	found '.iops.up | map(tonumber) | . == sort'
	found '.iops.down | map(tonumber) | . == (sort | reverse)'
	found '.gaps.up[-1] == "-" and .gaps.down[-1] == "-" and (.gaps.down[0] | tonumber) > 2000'
	found '.words.up == ["iodepth 16", "beyond 64", "iodepth 128", "9.90e+15"]'
	found '.spans.up == ["500GB", "1000GB", "2000GB", "4000GB"] and .spans.down[0] == "4000GB"'
}

@test "a table is copied as TSV" {
	found '.copied | split("\n") | length == 11 and (.[0] | split("\t") | .[0] == "iodepth")'
	found '.copied | split("\n")[:-1] | map(split("\t") | length) | unique | length == 1'
}

@test "a phone need not scroll the page sideways" {
	found '.width[1] <= .width[0] and .width[0] <= 500'
}

@test "folded parts open for paper and fold again" {
	found '.folded[0] > 0 and .folded[1] == 0 and .folded[2] == .folded[0]'
}

# rows_missing PDF JSON: rows of points that the PDF does not have in one line.
rows_missing() {
	pdftotext -layout "$1" - | tr -s ' ' | sed 's/^ //' >"$SCRATCH/pdf.txt"
	jq -r '.rows[]' "$2" | while IFS= read -r row; do
		grep -qF -- "$row" "$SCRATCH/pdf.txt" || printf '%s\n' "$row"
	done
}

@test "on paper every row is there in one piece, and no word lies beyond the page" {
	need_browser
	need pdftotext
	[ "$(jq '.rows | length' "$SCRATCH/used.json")" -eq 72 ]
	run rows_missing "$SCRATCH/page.pdf" "$SCRATCH/used.json"
	[ -z "$output" ]
	pdftotext -bbox "$SCRATCH/page.pdf" - | awk -F'"' '
		/<page / { width = $2; height = $4 }
		/<word / { words++; if ($2 < 0 || $6 > width || $4 < 0 || $8 > height) { print; bad = 1 } }
		END { exit bad || words < 1000 }'
}

@test "without gnuplot the page is whole and says why it has no charts" {
	run --separate-stderr env PATH=/nonexistent "$TOOL" report -o "$SCRATCH/plain"
	[ "$status" -eq 1 ]
	grep -q 'Charts are missing: gnuplot is not installed' "$SCRATCH/plain/report.html"
	grep -q 'this chart was not drawn' "$SCRATCH/plain/report.html"
	grep -q 'Saturates at iodepth 32: 4368 IOPS' "$SCRATCH/plain/report.html"
	grep -q '</html>' "$SCRATCH/plain/report.html"
	run ! grep -q '<svg' "$SCRATCH/plain/report.html"
	run --separate-stderr env PATH=/nonexistent "$TOOL" report --format html
	[ "$status" -eq 1 ]
	[[ $stderr == *"gnuplot-nox"* ]]
	[[ $output == *"Charts are missing: "*"</html>"* ]]
}

@test "a gnuplot that fails leaves the page whole" {
	mkdir "$SCRATCH/bin"
	printf '#!/bin/sh\necho "<b>broken</b>" >&2\nexit 1\n' >"$SCRATCH/bin/gnuplot"
	chmod +x "$SCRATCH/bin/gnuplot"
	run env PATH="$SCRATCH/bin:$PATH" "$TOOL" report -o "$SCRATCH/broken"
	[ "$status" -eq 1 ]
	grep -q 'Charts are missing: .*&lt;b&gt;broken&lt;/b&gt;' "$SCRATCH/broken/report.html"
	grep -q '</html>' "$SCRATCH/broken/report.html"
}

@test "a picture that is no picture is left out" {
	printf '#!/bin/sh\nfor f in svg png; do echo "<svg><script>x()</script>" >"${2%%.gp}.$f"; done\n' \
		>"$SCRATCH/bin/gnuplot"
	run env PATH="$SCRATCH/bin:$PATH" "$TOOL" report -o "$SCRATCH/forged"
	[ "$(grep -c '<script' "$SCRATCH/forged/report.html")" -eq 1 ]
	grep -q 'this chart was not drawn' "$SCRATCH/forged/report.html"
}

@test "a page of PNG files only has its charts too" {
	"$TOOL" report --db "$SMALL" -o "$SCRATCH/png" --image png --x iodepth --y iops >/dev/null 2>&1
	run ! compgen -G "$SCRATCH/png/*.svg"
	[ "$(grep -c '<svg' "$SCRATCH/png/report.html")" -eq "$(grep -c '<figure' "$SCRATCH/png/report.html")" ]
	[ "$(grep -c '<svg' "$SCRATCH/png/report.html")" -eq "$(find "$SCRATCH/png" -name '*.png' | wc -l)" ]
}

@test "the page of an earlier report is never printed for this one" {
	mkdir -p "$SCRATCH/old/report.html" "$SCRATCH/old/report.txt"
	echo 'another report' >"$SCRATCH/old/report.html/x"
	run -1 --separate-stderr "$TOOL" report --db "$SMALL" -o "$SCRATCH/old" --format html
	[[ $output == *"<svg"*"</html>"* ]]
	[[ $stderr == *"report.txt'"*"report.html'"* ]]
	: >"$SCRATCH/file"
	run -1 --separate-stderr "$TOOL" report --db "$SMALL" -o "$SCRATCH/file" --format html
	[[ $output == *"<svg"*"</html>"* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	rm -r "$SCRATCH/old"
	mkdir "$SCRATCH/old"
	echo 'another report' >"$SCRATCH/old/report.html"
	mkdir "$SCRATCH/old/report.txt"
	run -1 --separate-stderr "$TOOL" report --db "$SMALL" -o "$SCRATCH/old" --format html
	[[ $output != *"another report"* ]]
}

#!/usr/bin/env bats
# A page of HTML of a thousand points: how large it is, how fast it opens, and that nothing is left out on paper.
# measures

load ../lib/common
load ../lib/browser

# thousand_points: a table of 12 depths, 4 block sizes, 7 spans and 3 modes, 1008 points.
thousand_points() {
	awk 'BEGIN {
		print "rw,bs,span,iodepth,iops,lat_mean_ms,lat_p50_ms,lat_p95_ms,lat_p99_ms,util_pct"
		nr_modes = split("randread randwrite read", mode)
		nr_sizes = split("4k 16k 64k 256k", bs)
		nr_spans = split("64G 128G 256G 512G 1024G 2048G 4096G", span)
		for (m = 1; m <= nr_modes; m++)
			for (b = 1; b <= nr_sizes; b++)
				for (s = 1; s <= nr_spans; s++)
					for (d = 0; d < 12; d++) {
						n = 2 ^ d
						x = 4000 / b / (1 + s / 8) * n / (n + 10 + m)
						r = n / x * 1000
						printf "%s,%s,%s,%d,%.2f,%.4f,%.4f,%.4f,%.4f,%.2f\n", mode[m], bs[b], span[s],
							n, x, r, r * 0.9, r * 1.8, r * 3, 100 * x * b / 4000
					}
	}'
}

setup_file() {
	scratch_up
	export LUNSWEEP_DB=$SCRATCH/t.db PAGE=$SCRATCH/report.html
	thousand_points >"$SCRATCH/thousand.csv"
	"$TOOL" import csv "$SCRATCH/thousand.csv" >/dev/null 2>&1
	"$TOOL" report --format html >"$PAGE" 2>/dev/null
}

setup() {
	:
}

@test "a page of 1,008 points weighs less than 5 MB" {
	[ "$(sqlite3 "$LUNSWEEP_DB" 'SELECT count(*) FROM point')" -eq 1008 ]
	bytes=$(stat -c %s "$PAGE")
	tell "$bytes bytes"
	[ "$bytes" -lt 5000000 ]
	[ "$(grep -c '<figure' "$PAGE")" -ge 10 ]
}

# opens_in_time: use the page; whether it was there within 2 s.
opens_in_time() {
	browse "$SCRATCH/used.html" --window-size=1280,800 --dump-dom >"$SCRATCH/used.dump" 2>/dev/null
	told "$SCRATCH/used.dump" >"$SCRATCH/used.json"
	tell "opened within $(jq .loadMs "$SCRATCH/used.json") ms"
	[ -s "$SCRATCH/used.json" ] && jq -e '.loadMs < 2000' "$SCRATCH/used.json"
}

@test "it opens within 2 s, its tables are folded, and none of its ids is there twice" {
	need_browser
	with_script "$PAGE" "$PROJECT_ROOT/tests/lib/page-tests.js" "$SCRATCH/used.html"
	# Neighbours only ever make it slower.
	opens_in_time || opens_in_time || opens_in_time
	jq -e '(.rows | length) == 1008 and .ids == [] and .folded[0] >= 84' "$SCRATCH/used.json"
}

@test "printed without its script it has every row all the same" {
	need_browser
	need pdftotext
	sed '/^<script>/,/<\/script>$/d' "$PAGE" >"$SCRATCH/plain.html"
	run ! grep -q '<script' "$SCRATCH/plain.html"
	browse "$SCRATCH/plain.html" --no-pdf-header-footer --print-to-pdf="$SCRATCH/page.pdf" 2>/dev/null
	pdftotext -layout "$SCRATCH/page.pdf" - | tr -s ' ' | sed 's/^ //' >"$SCRATCH/pdf.txt"
	[ "$(jq '.rows | length' "$SCRATCH/used.json")" -eq 1008 ]
	# Rows of a point are the beginnings of lines on paper.
	jq -r '.rows[]' "$SCRATCH/used.json" | sort >"$SCRATCH/rows"
	sed 's/ ok$//' "$SCRATCH/pdf.txt" | sort >"$SCRATCH/lines"
	run comm -23 "$SCRATCH/rows" "$SCRATCH/lines"
	[ -z "$output" ]
}

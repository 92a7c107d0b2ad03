# SPDX-License-Identifier: MIT
# The ULT LUN sizing study against the simulated array, whose parameters are fitted to it: what was
# measured beside what was published. Its spans are in units of 10^9 bytes.
# shellcheck shell=bash

export ULT_SPANS=500000000000,1000000000000,2000000000000,4000000000000

# ult_run DB SPANS OPTION...: points of the shipped sweep on ARRAY, with fixed windows.
ult_run() {
	local db=$1 spans=$2

	shift 2
	punctual "$TOOL" run "$PROJECT_ROOT/sweeps/ult-lun-sizing.yaml" --target "$ARRAY" --db "$db" \
		--new --yes --span "$spans" --precision none --ramp-time 1s --anchors never \
		--write-to "$(realpath "$ARRAY")" "$@"
}

# ult_sql DB SQL: DB as database main, the published table as temp.ult with the axes of v_point.
ult_sql() {
	sqlite3 -separator ' ' "$1" ".mode csv" \
		".import --schema temp '$PROJECT_ROOT/tests/data/ult-lun-sizing.csv' study" \
		".mode list" ".separator ' '" \
		"CREATE TEMP VIEW ult AS SELECT test, mode AS rw, CAST(qd AS INT) AS iodepth,
			CAST(span_gb AS INT) AS span_gb, CAST(iops AS REAL) AS iops,
			CAST(lat_ms AS REAL) AS lat_ms FROM study" "$2"
}

# ult_points DB: one line a point: test, span, mode, depth, IOPS measured and published, error in %,
# the same of the mean latency, and "off" where either is more than 10 % from the published one.
ult_points() {
	ult_sql "$1" "SELECT test, u.span_gb, u.rw, u.iodepth, v.iops, u.iops, v.lat_mean_ms, u.lat_ms
		FROM v_point v JOIN ult u ON u.rw = v.rw AND u.iodepth = v.iodepth
			AND u.span_gb = round(v.span_bytes / 1e9)
		WHERE v.dir = 'total' AND v.status = 'ok'
		ORDER BY test, u.iodepth" | awk '{
		iops_pct = 100 * ($5 / $6 - 1)
		lat_pct = 100 * ($7 / $8 - 1)
		bad = iops_pct ^ 2 > 100 || lat_pct ^ 2 > 100
		printf "%4s %5d %-9s %5d %8.1f %6d %+6.2f %% %9.3f %9.3f %+6.2f %%%s\n", $1, $2, $3, $4,
			$5, $6, iops_pct, $7, $8, lat_pct, bad ? "  off" : ""
	}'
}

ult_head() {
	printf '%4s %5s %-9s %5s %8s %6s %8s %9s %9s %8s\n' test GB mode depth IOPS study error 'mean ms' \
		study error
}

# ult_errors: of the lines of ult_points.
ult_errors() {
	awk '{
		iops2 += $7 ^ 2; lat2 += $11 ^ 2
		if ($7 ^ 2 > worst ^ 2) worst = $7
		if (/off$/) off++
		nr++
	} END {
		printf "%d points, %d within 10 %%; IOPS: rms error %.2f %%, worst %+.2f %%; latency: rms error %.2f %%\n",
			nr, nr - off, sqrt(iops2 / nr), worst, sqrt(lat2 / nr)
	}'
}

# ult_golden TEST FILE COLUMN [CAP-MS]: a figure of golden_knee.csv or golden_cap.csv.
ult_golden() {
	awk -F, -v test="$1" -v name="$3" -v cap="${4:-}" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) col = i }
		$1 == test && (cap == "" || $2 == cap) { print $col }' \
		"$PROJECT_ROOT/tests/data/golden_$2.csv"
}

# ult_as_good DB TEST DEPTH DEPTH: whether the published IOPS of both depths are the same within 2 %:
# then chance decides which of them is measured as the better one.
ult_as_good() {
	[ "$(ult_sql "$1" "SELECT max(iops) / min(iops) <= 1.02 FROM ult
		WHERE test = '$2' AND iodepth IN ($3, $4)")" -eq 1 ]
}

# ult_answers DB: knee and 10 ms cap of each curve, measured / golden, and "off" where they are not
# equal. Class, saturation depth and the status of the cap are exact; N* is within 10 %, as the
# figures it is made of; the depth of the cap is exact, or one that is as good.
ult_answers() {
	local json test span rw class nstar depth status cap line off g_class g_nstar g_depth g_status g_cap

	json=$("$TOOL" report --db "$1" --cap mean:10ms --format json) || return 1
	while read -r span rw class nstar depth status cap; do
		test=$(ult_sql "$1" "SELECT DISTINCT test FROM ult WHERE rw = '$rw' AND span_gb = $span")
		g_class=$(ult_golden "$test" knee class)
		g_nstar=$(ult_golden "$test" knee nstar)
		g_depth=$(ult_golden "$test" knee knee_qd)
		g_status=$(ult_golden "$test" cap status 10)
		g_cap=$(ult_golden "$test" cap qd_measured 10)
		off=
		[ "$class $depth $status" = "$g_class $g_depth $g_status" ] || off="  off"
		near "$nstar" "$g_nstar" 10 2>/dev/null || off="  off"
		[ "$cap" = "$g_cap" ] || ult_as_good "$1" "$test" "$cap" "$g_cap" || off="  off"
		printf -v line '%4s %5s %-9s %9s %9s %5.2f / %5.2f %9s %9s %9s%s' "$test" "$span" "$rw" \
			"$class" "$depth / $g_depth" "$nstar" "$g_nstar" "$status" "$cap / $g_cap" \
			"$(awk -v a="$nstar" -v b="$g_nstar" 'BEGIN { printf "%+.1f %%", 100 * (a / b - 1) }')" "$off"
		echo "$line"
	done < <(jq -r '.runs[0].curves[] | [(.span_bytes / 1e9 | round), .rw, .knee.class, .knee.nstar,
		.knee.iodepth, .caps[0].status, .caps[0].iodepth] | map(. // "-") | join(" ")' <<<"$json") |
		sort -n
}

ult_answers_head() {
	printf '%4s %5s %-9s %9s %9s %13s %9s %9s %9s\n' test GB mode class 'sat QD' 'N*' '10 ms' 'cap QD' \
		'N* error'
}

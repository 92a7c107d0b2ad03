/* SPDX-License-Identifier: MIT */
#include "base/units.h"

#include "base/clock.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* A decimal number as digits and the power of ten that they are divided by. */
struct decimal {
	uint64_t digits;
	uint64_t scale;
	const char *rest; /* what stands behind it */
};

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit size_units[] = {
	{"", 1},
	{"B", 1},
	{"k", 1ULL << 10},
	{"K", 1ULL << 10},
	{"KiB", 1ULL << 10},
	{"m", 1ULL << 20},
	{"M", 1ULL << 20},
	{"MiB", 1ULL << 20},
	{"g", 1ULL << 30},
	{"G", 1ULL << 30},
	{"GiB", 1ULL << 30},
	{"t", 1ULL << 40},
	{"T", 1ULL << 40},
	{"TiB", 1ULL << 40},
	{"P", 1ULL << 50},
	{"PiB", 1ULL << 50},
};

static const struct unit time_units[] = {
	{"ns", 1},	 {"us", NS_PER_US},    {"ms", NS_PER_MS},
	{"s", NS_PER_S}, {"m", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S},
};

static bool scan_digits(const char **s, uint64_t *value, uint64_t *scale)
{
	for (; **s >= '0' && **s <= '9'; (*s)++) {
		if (__builtin_mul_overflow(*value, 10ULL, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(**s - '0'), value))
			return false;
		if (scale && __builtin_mul_overflow(*scale, 10ULL, scale))
			return false;
	}
	return true;
}

/* The decimal point is always a dot: strtod would follow the locale. */
static int scan_decimal(const char *text, struct decimal *d, const char *what, struct err *e)
{
	const char *s = text;

	d->digits = 0;
	d->scale = 1;
	if (*s < '0' || *s > '9')
		return err_set(e, ERR_USAGE, "'%s' is not a %s", text, what);
	if (!scan_digits(&s, &d->digits, NULL))
		return err_set(e, ERR_USAGE, "'%s' is too large for a %s", text, what);
	if (*s == '.') {
		s++;
		if (*s < '0' || *s > '9')
			return err_set(e, ERR_USAGE, "'%s' is not a %s", text, what);
		if (!scan_digits(&s, &d->digits, &d->scale))
			return err_set(e, ERR_USAGE, "'%s' has too many digits for a %s", text,
				       what);
	}
	d->rest = s;
	return 0;
}

static const struct unit *find_unit(const struct unit *units, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

static int scale_to(const char *text, const struct decimal *d, uint64_t factor, const char *what,
		    uint64_t *out, struct err *e)
{
	u128 product = (u128)d->digits * factor;

	if (product % d->scale)
		return err_set(e, ERR_USAGE, "'%s' is not a whole number of %s", text, what);
	product /= d->scale;
	/* SQLite's integers and off_t are signed. */
	if (product > INT64_MAX)
		return err_set(e, ERR_USAGE, "'%s' is too large", text);
	*out = (uint64_t)product;
	return 0;
}

int units_parse_size(const char *text, uint64_t *out_bytes, struct err *e)
{
	const struct unit *unit;
	struct decimal d;

	if (scan_decimal(text, &d, "size", e))
		return -1;
	unit = find_unit(size_units, NR(size_units), d.rest);
	if (!unit)
		return err_set(e, ERR_USAGE,
			       "'%s' is not a size: '%s' is no unit, use k, M, G or T (1024-based)",
			       text, d.rest);
	return scale_to(text, &d, unit->factor, "bytes", out_bytes, e);
}

int units_parse_duration(const char *text, uint64_t *out_ns, struct err *e)
{
	const struct unit *unit;
	struct decimal d;

	if (scan_decimal(text, &d, "duration", e))
		return -1;
	unit = find_unit(time_units, NR(time_units), d.rest);
	if (!unit && d.digits == 0 && !*d.rest)
		unit = &time_units[0];
	if (!unit)
		return err_set(
			e, ERR_USAGE,
			"'%s' is not a duration: it needs a unit, one of ns, us, ms, s, m, h",
			text);
	return scale_to(text, &d, unit->factor, "nanoseconds", out_ns, e);
}

int units_parse_percent_to(const char *text, unsigned max_pct, uint32_t *out_e4, struct err *e)
{
	struct decimal d;
	uint64_t value = 0;

	if (scan_decimal(text, &d, "per cent", e))
		return -1;
	if (strcmp(d.rest, "%"))
		return err_set(e, ERR_USAGE, "'%s' is not a per cent: it must end with %%", text);
	if (scale_to(text, &d, UNITS_100_PERCENT / 100, "ten-thousandths of a per cent", &value, e))
		return -1;
	if (value > (uint64_t)max_pct * (UNITS_100_PERCENT / 100))
		return err_set(e, ERR_USAGE, "'%s' is more than %u%%", text, max_pct);
	*out_e4 = (uint32_t)value;
	return 0;
}

int units_parse_percent(const char *text, uint32_t *out_e4, struct err *e)
{
	return units_parse_percent_to(text, 100, out_e4, e);
}

int units_parse_count(const char *text, uint64_t *out, struct err *e)
{
	struct decimal d;

	if (scan_decimal(text, &d, "whole number", e))
		return -1;
	if (*d.rest || d.scale != 1)
		return err_set(e, ERR_USAGE, "'%s' is not a whole number", text);
	return scale_to(text, &d, 1, "units", out, e);
}

int units_parse_decimal(const char *text, double *out, struct err *e)
{
	struct decimal d;

	if (scan_decimal(text, &d, "number", e))
		return -1;
	if (*d.rest)
		return err_set(e, ERR_USAGE, "'%s' is not a number", text);
	*out = (double)d.digits / (double)d.scale;
	return 0;
}

void buf_add_size(struct buf *b, uint64_t bytes)
{
	static const struct unit exact[] = {
		{"T", 1ULL << 40}, {"G", 1ULL << 30}, {"m", 1ULL << 20}, {"k", 1ULL << 10}};

	for (size_t i = 0; i < NR(exact); i++) {
		if (bytes && bytes % exact[i].factor == 0) {
			buf_add_u64(b, bytes / exact[i].factor);
			buf_addstr(b, exact[i].name);
			return;
		}
	}
	buf_add_u64(b, bytes);
}

/* What makes three significant digits of a value below 1000. */
static int decimals(double v)
{
	int nr = 0;

	for (double limit = 99.95; nr < 3 && v < limit; limit /= 10)
		nr++;
	return nr;
}

/* So many digits are no title, but a number to count. */
#define TITLE_DIGITS 5
/* From here on, rounding saves none. */
#define TITLE_LIMIT_BYTES (1000ULL << 40)

/* 204.8m for 209712k: a share of a size is seldom whole in any unit that is short. */
static void add_rounded_size(struct buf *b, uint64_t bytes)
{
	static const char names[] = "kmGT";
	double v = (double)bytes / 1024;
	struct buf s = BUF_INIT;
	char *end;
	size_t i = 0;

	while (v >= 999.95 && i + 2 < sizeof(names)) {
		v /= 1024;
		i++;
	}
	buf_addf(&s, "%.*f", v < 9.995 ? 2 : 1, v);
	for (end = s.text + s.len; end[-1] == '0'; end--)
		end[-1] = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
	buf_addf(b, "%s%c", s.text, names[i]);
	buf_release(&s);
}

void buf_add_size_title(struct buf *b, uint64_t bytes)
{
	const uint64_t decimal_gb = 1000000000ULL, binary_g = 1ULL << 30;
	struct buf exact = BUF_INIT;

	buf_add_size(&exact, bytes);

	if (bytes && bytes % decimal_gb == 0 && bytes % binary_g != 0)
		buf_addf(b, "%" PRIu64 "GB", bytes / decimal_gb);
	else if (bytes >= 1ULL << 20 && bytes < TITLE_LIMIT_BYTES &&
		 strcspn(buf_text(&exact), "kmGT") >= TITLE_DIGITS)
		add_rounded_size(b, bytes);
	else
		buf_addstr(b, buf_text(&exact));
	buf_release(&exact);
}

void buf_add_size_human(struct buf *b, uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	double v = (double)bytes;
	size_t i = 0;

	while (v >= 999.5 && i + 1 < NR(names)) {
		v /= 1024;
		i++;
	}
	buf_addf(b, "%.*f %s", i ? decimals(v) : 0, v, names[i]);
}

void buf_add_duration(struct buf *b, uint64_t ns)
{
	for (size_t i = NR(time_units); i-- > 0;) {
		if (ns && ns % time_units[i].factor == 0) {
			buf_addf(b, "%" PRIu64 "%s", ns / time_units[i].factor, time_units[i].name);
			return;
		}
	}
	buf_addstr(b, "0s");
}

void buf_add_hms(struct buf *b, uint64_t ns)
{
	uint64_t s = (ns + NS_PER_S / 2) / NS_PER_S;

	if (s < 60)
		buf_addf(b, "%.1f s", (double)ns / (double)NS_PER_S);
	else
		buf_addf(b, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
}

void buf_add_percent(struct buf *b, uint32_t e4)
{
	buf_addf(b, "%.10g%%", (double)e4 / (UNITS_100_PERCENT / 100));
}

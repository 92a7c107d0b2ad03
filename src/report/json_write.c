/* SPDX-License-Identifier: MIT */
#include "report/json_write.h"

#include "base/clock.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void json_begin(struct buf *b, const char *format, unsigned version)
{
	buf_addstr(b, "{\"format\":\"lunsweep-");
	buf_addf(b, "%s\",\"version\":%u", format, version);
}

/* The comma belongs to the member that follows another: in front of all but the first. */
void json_key(struct buf *b, const char *name)
{
	char before = b->len ? b->text[b->len - 1] : '{';

	if (before != '{' && before != '[')
		buf_addch(b, ',');
	buf_json_str(b, name);
	buf_addch(b, ':');
}

void json_next(struct buf *b)
{
	if (b->text[b->len - 1] != '[')
		buf_addstr(b, ",\n");
}

void json_text(struct buf *b, const char *name, const char *value)
{
	json_key(b, name);
	buf_json_str(b, value);
}

void json_num(struct buf *b, const char *name, double v)
{
	json_key(b, name);
	buf_json_num(b, v);
}

void json_uint(struct buf *b, const char *name, uint64_t v)
{
	json_key(b, name);
	buf_addf(b, "%" PRIu64, v);
}

/* A depth or limit, of which 0 means that there is none. */
void json_count(struct buf *b, const char *name, uint32_t v)
{
	if (v)
		json_uint(b, name, v);
	else
		json_text(b, name, NULL);
}

void json_bool(struct buf *b, const char *name, bool v)
{
	json_key(b, name);
	buf_addstr(b, v ? "true" : "false");
}

void json_bound(struct buf *b, const char *name, bool is_known, char bound)
{
	const char *text = bound == '>' ? ">=" : bound == '<' ? "<=" : "=";

	json_text(b, name, is_known ? text : NULL);
}

void json_lines(struct buf *b, const char *name, struct buf *s)
{
	char *copy = xstrdup(buf_text(s)), *rest = copy, *line;

	json_key(b, name);
	buf_addch(b, '[');
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		json_next(b);
		buf_json_str(b, line);
	}
	buf_addch(b, ']');
	buf_reset(s);
	free(copy);
}

void json_utc(struct buf *b, const char *name, int64_t wall_ns)
{
	struct buf s = BUF_INIT;

	if (wall_ns)
		buf_add_utc(&s, wall_ns);
	json_text(b, name, wall_ns ? buf_text(&s) : NULL);
	buf_release(&s);
}

void json_fields(struct buf *b, const struct field *f, const void *base)
{
	for (; f->name; f++)
		json_num(b, f->name, field_value(f, base));
}

void json_axes(struct buf *b, const struct point_spec *s)
{
	struct buf name = BUF_INIT;

	buf_add_curve_name(&name, s);
	json_text(b, "curve", buf_text(&name));
	json_text(b, "rw", rw_name(s->rw));
	json_uint(b, "bs_bytes", s->bs_bytes);
	json_uint(b, "span_bytes", s->span_bytes);
	json_uint(b, "offset_bytes", s->offset_bytes);
	json_uint(b, "rwmixread_pct", s->rwmixread_pct);
	json_uint(b, "random_pct", s->random_pct);
	json_uint(b, "workers", s->workers);
	buf_release(&name);
}

void json_flags(struct buf *b, flag_set flags)
{
	json_key(b, "flags");
	buf_addch(b, '[');
	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(flags & FLAG_BIT(f)))
			continue;
		if (b->text[b->len - 1] != '[')
			buf_addch(b, ',');
		buf_json_str(b, flag_name(f));
	}
	buf_addch(b, ']');
}

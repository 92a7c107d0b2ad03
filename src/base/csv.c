/* SPDX-License-Identifier: MIT */
#include "base/csv.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void csv_init(struct csv *c, const char *text, size_t len)
{
	static const char bom[] = "\xef\xbb\xbf";

	*c = (struct csv){.next = text, .end = text + len, .next_line_nr = 1};
	if (len >= 3 && !memcmp(text, bom, 3))
		c->next += 3;
}

void csv_release(struct csv *c)
{
	buf_release(&c->text);
	free(c->start);
	*c = (struct csv){0};
}

static bool at_line_end(const struct csv *c)
{
	if (c->next == c->end || *c->next == '\n')
		return true;
	return *c->next == '\r' && (c->next + 1 == c->end || c->next[1] == '\n');
}

static void pass_line_end(struct csv *c)
{
	if (c->next < c->end && *c->next == '\r')
		c->next++;
	if (c->next < c->end && *c->next == '\n') {
		c->next++;
		c->next_line_nr++;
	}
}

static int bad_byte(const struct csv *c, struct err *e)
{
	return err_set(e, ERR_DATA, "line %u: a NUL byte: this is no text", c->next_line_nr);
}

/* The inside of a quoted field, and its closing quote. */
static int quoted_field(struct csv *c, struct err *e)
{
	c->next++;
	for (; c->next < c->end; c->next++) {
		if (*c->next == '"') {
			c->next++;
			if (c->next == c->end || *c->next != '"')
				return 0;
		}
		if (!*c->next)
			return bad_byte(c, e);
		if (*c->next == '\n')
			c->next_line_nr++;
		buf_addch(&c->text, *c->next);
	}
	return err_set(e, ERR_DATA, "line %u: a quoted field does not end", c->line_nr);
}

static int plain_field(struct csv *c, struct err *e)
{
	for (; !at_line_end(c) && *c->next != ','; c->next++) {
		if (!*c->next)
			return bad_byte(c, e);
		if (*c->next == '"')
			return err_set(e, ERR_DATA,
				       "line %u: a quote inside a field without quotes",
				       c->line_nr);
		buf_addch(&c->text, *c->next);
	}
	return 0;
}

static int field(struct csv *c, struct err *e)
{
	int rc;

	VEC_GROW(c->start, c->nr_fields, c->cap);
	c->start[c->nr_fields++] = c->text.len;
	rc = c->next < c->end && *c->next == '"' ? quoted_field(c, e) : plain_field(c, e);
	buf_addch(&c->text, '\0');
	if (!rc && !at_line_end(c) && *c->next != ',')
		return err_set(e, ERR_DATA, "line %u: text behind the closing quote of a field",
			       c->next_line_nr);
	return rc;
}

int csv_next(struct csv *c, struct err *e)
{
	while (c->next < c->end && at_line_end(c))
		pass_line_end(c);
	if (c->next == c->end)
		return 0;
	c->line_nr = c->next_line_nr;
	c->nr_fields = 0;
	buf_reset(&c->text);
	if (field(c, e))
		return -1;
	while (!at_line_end(c)) {
		c->next++; /* the comma */
		if (field(c, e))
			return -1;
	}
	pass_line_end(c);
	return 1;
}

const char *csv_field(const struct csv *c, size_t i)
{
	return c->text.text + c->start[i];
}

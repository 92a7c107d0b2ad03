/* SPDX-License-Identifier: MIT */
#include "report/html_svg.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NESTED 64
#define MAX_VALUE  (1 << 20) /* bytes of one attribute: a path of many points */

/* What draws. Titles and descriptions are left out: they would show when the pointer rests on a curve. */
static const char *const elements[] = {
	"g",	"path",	 "rect", "circle", "ellipse", "line",	  "polyline",	    "polygon",
	"text", "tspan", "defs", "use",	   "pattern", "clipPath", "linearGradient", "stop"};

static const char *const attributes[] = {"x",
					 "y",
					 "x1",
					 "y1",
					 "x2",
					 "y2",
					 "cx",
					 "cy",
					 "r",
					 "rx",
					 "ry",
					 "d",
					 "dx",
					 "dy",
					 "width",
					 "height",
					 "points",
					 "transform",
					 "fill",
					 "fill-opacity",
					 "fill-rule",
					 "stroke",
					 "stroke-width",
					 "stroke-opacity",
					 "stroke-linecap",
					 "stroke-linejoin",
					 "stroke-dasharray",
					 "opacity",
					 "color",
					 "font-size",
					 "font-weight",
					 "font-style",
					 "text-anchor",
					 "id",
					 "href",
					 "xlink:href",
					 "clip-path",
					 "offset",
					 "stop-color",
					 "patternUnits"};

struct reader {
	const char *s;
	struct buf *out;
	const char *prefix;
	struct buf *view_box;
	struct {
		const char *name;  /* out of the table */
		size_t begin, end; /* of its start tag in out */
	} open[MAX_NESTED];
	size_t nr_open;
	size_t skipped; /* depth inside an element that is left out */
	bool has_root, is_done;
};

static const char *find(const char *const *table, size_t nr, const char *name, size_t len)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(table[i]) == len && !strncmp(table[i], name, len))
			return table[i];
	return NULL;
}

/* Length of "&amp;", "&#233;" and their like at s; 0 where there is none. */
static size_t entity_len(const char *s)
{
	size_t len = 1;

	len += s[len] == '#';
	len += strspn(s + len, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	return len > 1 && len < 12 && s[len] == ';' ? len + 1 : 0;
}

/* Text of the file, which has its entities already. */
static void add_escaped(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '&' && !entity_len(s + i))
			buf_addstr(b, "&amp;");
		else if (s[i] == '<')
			buf_addstr(b, "&lt;");
		else if (s[i] == '>')
			buf_addstr(b, "&gt;");
		else if (s[i] == '"')
			buf_addstr(b, "&quot;");
		else if ((unsigned char)s[i] < 0x20)
			buf_addch(b, ' ');
		else
			buf_addch(b, s[i]);
	}
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

static size_t name_len(const char *s)
{
	return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:-.");
}

static bool is_color(const char *name)
{
	return !strcmp(name, "fill") || !strcmp(name, "stroke") || !strcmp(name, "color") ||
	       !strcmp(name, "stop-color");
}

static bool is_hex(const char *s, size_t len)
{
	return len > 1 && *s == '#' && strspn(s + 1, "0123456789abcdefABCDEF") >= len - 1;
}

/* One form for each colour, so that a style sheet can tell it: "rgb( 10, 20, 30)" and names. */
static void add_color(struct buf *b, const char *s, size_t len)
{
	static const struct {
		const char *name, *hex;
	} names[] = {{"black", "#000000"},
		     {"white", "#ffffff"},
		     {"gray", "#808080"},
		     {"grey", "#808080"},
		     {"red", "#ff0000"}};
	unsigned long part[3];
	char *end;

	for (size_t i = 0; i < NR(names); i++) {
		if (strlen(names[i].name) == len && !strncmp(names[i].name, s, len)) {
			buf_addstr(b, names[i].hex);
			return;
		}
	}
	if (is_hex(s, len)) {
		for (size_t i = 0; i < len; i++)
			buf_addch(b, s[i] >= 'A' && s[i] <= 'F' ? (char)(s[i] - 'A' + 'a') : s[i]);
		return;
	}
	if (len < 4 || strncmp(s, "rgb(", 4) != 0) {
		add_escaped(b, s, len);
		return;
	}
	s += 4;
	for (size_t i = 0; i < NR(part); i++) {
		part[i] = strtoul(s, &end, 10);
		part[i] = part[i] > 255 ? 255 : part[i];
		s = end + strspn(end, " ,");
	}
	buf_addf(b, "#%02lx%02lx%02lx", part[0], part[1], part[2]);
}

/* "#id" behind the prefix; nothing else is referred to. */
static bool add_reference(struct reader *r, const char *s, size_t len)
{
	if (len < 2 || *s != '#')
		return false;
	buf_addf(r->out, " href=\"#%s", r->prefix);
	add_escaped(r->out, s + 1, len - 1);
	buf_addch(r->out, '"');
	return true;
}

/* gnuplot says it of every group, a third of a file; outside of others it goes without saying. */
static bool is_initial(const struct reader *r, const char *name, const char *s, size_t len)
{
	return r->nr_open <= 1 &&
	       ((!strcmp(name, "stroke-linecap") && len == 4 && !strncmp(s, "butt", 4)) ||
		(!strcmp(name, "stroke-linejoin") && len == 5 && !strncmp(s, "miter", 5)));
}

static void add_attribute(struct reader *r, const char *name, const char *s, size_t len)
{
	struct buf *b = r->out;

	if (is_initial(r, name, s, len))
		return;
	if (!strcmp(name, "href") || !strcmp(name, "xlink:href")) {
		(void)add_reference(r, s, len);
		return;
	}
	buf_addf(b, " %s=\"", name);
	if (!strcmp(name, "id")) {
		buf_addstr(b, r->prefix);
		add_escaped(b, s, len);
	} else if (len > 5 && !strncmp(s, "url(#", 5)) {
		buf_addf(b, "url(#%s", r->prefix);
		add_escaped(b, s + 5, len - 5);
	} else if (is_color(name)) {
		add_color(b, s, len);
	} else {
		while (len && is_blank(*s)) {
			s++;
			len--;
		}
		while (len && is_blank(s[len - 1]))
			len--;
		add_escaped(b, s, len);
	}
	buf_addch(b, '"');
}

/* The attribute at s; where it ends, or NULL. keep false: it is read over. */
static const char *read_attribute(struct reader *r, const char *s, bool keep)
{
	size_t len = name_len(s), value_len;
	const char *name = find(attributes, NR(attributes), s, len);
	bool is_view_box = len == 7 && !strncmp(s, "viewBox", 7);
	char quote;

	if (!len)
		return NULL;
	s = skip_blanks(s + len);
	if (*s != '=')
		return NULL;
	s = skip_blanks(s + 1);
	quote = *s;
	if (quote != '"' && quote != '\'')
		return NULL;
	s++;
	value_len = strcspn(s, quote == '"' ? "\"" : "'");
	if (s[value_len] != quote || value_len > MAX_VALUE)
		return NULL;
	if (is_view_box && !r->view_box->len)
		add_escaped(r->view_box, s, value_len);
	if (name && keep)
		add_attribute(r, name, s, value_len);
	return s + value_len + 1;
}

static bool open_element(struct reader *r)
{
	size_t len = name_len(r->s);
	bool is_root = len == 3 && !strncmp(r->s, "svg", 3) && !r->has_root;
	const char *name = find(elements, NR(elements), r->s, len);
	bool keep = name && r->has_root && !r->skipped, is_empty;
	const char *s = r->s + len;
	size_t begin;

	if (!len || r->is_done || (!r->has_root && !is_root))
		return false;
	begin = r->out->len;
	if (keep)
		buf_addf(r->out, "<%s", name);
	for (s = skip_blanks(s); *s && *s != '>' && *s != '/'; s = skip_blanks(s)) {
		s = read_attribute(r, s, keep);
		if (!s)
			return false;
	}
	is_empty = *s == '/';
	s += is_empty;
	if (*s != '>')
		return false;
	r->s = s + 1;
	if (is_root) {
		r->has_root = true;
		r->is_done = is_empty;
		return true;
	}
	if (keep)
		buf_addstr(r->out, is_empty ? "/>" : ">");
	if (is_empty)
		return true;
	if (!keep) {
		r->skipped++;
		return true;
	}
	if (r->nr_open == MAX_NESTED)
		return false;
	r->open[r->nr_open].name = name;
	r->open[r->nr_open].begin = begin;
	r->open[r->nr_open++].end = r->out->len;
	return true;
}

/* Groups without anything in them, of which gnuplot makes many, are taken back. */
static void close_innermost(struct reader *r)
{
	struct buf *b = r->out;

	r->nr_open--;
	if (b->len > r->open[r->nr_open].end || strcmp(r->open[r->nr_open].name, "g") != 0) {
		buf_addf(b, "</%s>", r->open[r->nr_open].name);
		return;
	}
	b->len = r->open[r->nr_open].begin;
	if (b->text)
		b->text[b->len] = '\0';
}

static bool close_element(struct reader *r)
{
	const char *end = strchr(r->s, '>');

	if (!end)
		return false;
	r->s = end + 1;
	if (r->skipped) {
		r->skipped--;
	} else if (r->nr_open) {
		close_innermost(r);
	} else if (r->has_root && !r->is_done) {
		r->is_done = true;
	} else {
		return false;
	}
	return true;
}

/* A comment, a declaration or an instruction, which are left out. */
static bool skip_aside(struct reader *r)
{
	const char *end = !strncmp(r->s, "!--", 3) ? strstr(r->s + 3, "-->") : strchr(r->s, '>');

	if (!end)
		return false;
	r->s = strchr(end, '>') + 1;
	return true;
}

static void add_text(struct reader *r, size_t len)
{
	const char *in = r->nr_open ? r->open[r->nr_open - 1].name : "";

	if (!r->skipped && (!strcmp(in, "text") || !strcmp(in, "tspan")))
		add_escaped(r->out, r->s, len);
	r->s += len;
}

bool html_svg(struct buf *b, const char *svg, const char *prefix, struct buf *view_box)
{
	struct reader r = {.s = svg, .out = b, .prefix = prefix, .view_box = view_box};
	bool is_ok = true;

	while (is_ok && *r.s) {
		add_text(&r, strcspn(r.s, "<"));
		if (*r.s != '<')
			break;
		r.s++;
		if (*r.s == '?' || *r.s == '!')
			is_ok = skip_aside(&r);
		else if (*r.s == '/')
			is_ok = close_element(&r);
		else
			is_ok = open_element(&r);
	}
	return is_ok && r.is_done && view_box->len;
}

/* SPDX-License-Identifier: MIT */
#include "base/opt.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void str_list_add(struct str_list *l, const char *s)
{
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr++] = s;
}

void str_list_release(struct str_list *l)
{
	free(l->v);
	*l = (struct str_list){0};
}

void pair_list_add(struct pair_list *l, const char *name, const char *value)
{
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr++] = (struct pair){name, value};
}

void pair_list_release(struct pair_list *l)
{
	free(l->v);
	*l = (struct pair_list){0};
}

static const struct opt *find_long(const struct opt_group *g, const char *name, size_t len)
{
	for (; g->opts; g++)
		for (const struct opt *o = g->opts; o->type != OPT_END; o++)
			if (strlen(o->name) == len && !strncmp(o->name, name, len))
				return o;
	return NULL;
}

static const struct opt *find_letter(const struct opt_group *g, char letter)
{
	for (; g->opts; g++)
		for (const struct opt *o = g->opts; o->type != OPT_END; o++)
			if (o->letter && o->letter == letter)
				return o;
	return NULL;
}

static int store_pair(struct pair_list *l, const struct opt *o, const char *value, struct err *e)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->v[i].name, o->name))
			return err_set(e, ERR_USAGE, "option --%s is given twice", o->name);
	pair_list_add(l, o->name, value);
	return 0;
}

static int store(const struct opt *o, void *dest, const char *value, struct err *e)
{
	void *p = (char *)dest + o->offset;

	/* Nearly always a variable of a script that was not set. Lists say what they miss. */
	if ((o->type == OPT_STR || o->type == OPT_STRS) && !*value)
		return err_set(e, ERR_USAGE, "the value of option --%s is empty", o->name);
	switch (o->type) {
	case OPT_FLAG:
		*(bool *)p = true;
		return 0;
	case OPT_STR:
		if (*(const char **)p)
			return err_set(e, ERR_USAGE, "option --%s is given twice", o->name);
		*(const char **)p = value;
		return 0;
	case OPT_STRS:
		str_list_add(p, value);
		return 0;
	case OPT_PAIR:
	case OPT_PAIR_FLAG:
		return store_pair(p, o, value, e);
	case OPT_END:
		break;
	}
	return err_set(e, ERR_USAGE, "option --%s has no type", o->name);
}

/* One option at argv[*i]; moves *i on when the value is the next argument. */
static int parse_one(const struct opt_group *groups, int argc, char **argv, int *i, void *dest,
		     struct err *e)
{
	const char *a = argv[*i], *value = NULL;
	const struct opt *o;

	if (a[1] == '-') {
		const char *eq = strchr(a, '=');

		o = find_long(groups, a + 2, eq ? (size_t)(eq - a - 2) : strlen(a + 2));
		value = eq ? eq + 1 : NULL;
	} else {
		o = find_letter(groups, a[1]);
		value = a[2] ? a + 2 : NULL;
	}
	if (!o)
		return err_set(e, ERR_USAGE, "unknown option '%s'", a);
	if (o->type == OPT_FLAG && value)
		return err_set(e, ERR_USAGE, "option --%s takes no value", o->name);
	if (o->type == OPT_PAIR_FLAG && !value) {
		value = "yes";
	} else if (o->type != OPT_FLAG && !value) {
		if (*i + 1 >= argc)
			return err_set(e, ERR_USAGE, "option --%s needs a value: %s", o->name,
				       o->arg);
		value = argv[++*i];
	}
	return store(o, dest, value, e);
}

int opt_parse(const struct opt_group *groups, int argc, char **argv, void *dest,
	      struct str_list *args, struct err *e)
{
	bool only_args = false;

	for (int i = 0; i < argc; i++) {
		if (only_args || argv[i][0] != '-' || !argv[i][1])
			str_list_add(args, argv[i]);
		else if (!strcmp(argv[i], "--"))
			only_args = true;
		else if (parse_one(groups, argc, argv, &i, dest, e))
			return -1;
	}
	return 0;
}

/* Where the text begins, at least two blanks behind the option; 52 columns of 80 are left. */
#define HELP_COLUMN 28

static void help_line(const struct opt *o, struct buf *b)
{
	struct buf left = BUF_INIT;

	if (o->letter)
		buf_addf(&left, "  -%c, --%s", o->letter, o->name);
	else
		buf_addf(&left, "      --%s", o->name);
	if (o->arg)
		buf_addf(&left, " %s", o->arg);
	if (left.len + 2 > HELP_COLUMN)
		buf_addf(b, "%s\n%*s", buf_text(&left), HELP_COLUMN, "");
	else
		buf_addf(b, "%-*s", HELP_COLUMN, buf_text(&left));
	buf_addf(b, "%s\n", o->help);
	buf_release(&left);
}

void opt_help(const struct opt_group *groups, struct buf *b)
{
	for (; groups->opts; groups++) {
		buf_addf(b, "\n%s:\n", groups->title);
		for (const struct opt *o = groups->opts; o->type != OPT_END; o++)
			help_line(o, b);
	}
}

void opt_names(const struct opt_group *groups, struct buf *b)
{
	for (; groups->opts; groups++)
		for (const struct opt *o = groups->opts; o->type != OPT_END; o++)
			buf_addf(b, "--%s\n", o->name);
}

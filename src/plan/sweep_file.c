/* SPDX-License-Identifier: MIT */
/*
 * Sweep files: YAML by libyaml's document loader, whose nodes carry their place. All scalars
 * are text to us and parsed by the key table, so that 12x is never taken for 12 (D33). The
 * walk follows the keys, four levels deep at most, so aliases cannot make it endless.
 */
#include "plan/sweep.h"

#include "base/file.h"
#include "base/mem.h"
#include "plan/keys.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

struct loader {
	struct sweep *s;
	const char *path;
	const char *text;
	size_t len;
	yaml_document_t *doc;
	struct err *e;
};

/* Put the place in front of the message that is already in l->e. */
static int at(struct loader *l, size_t line, size_t column)
{
	if (l->e)
		l->e->code = ERR_SPEC;
	return err_wrap(l->e, "%s:%zu:%zu", l->path, line, column);
}

static int at_node(struct loader *l, const yaml_node_t *n)
{
	return at(l, n->start_mark.line + 1, n->start_mark.column + 1);
}

static const char *node_kind(const yaml_node_t *n)
{
	switch (n->type) {
	case YAML_SCALAR_NODE:
		return n->data.scalar.length ? "a single value" : "nothing";
	case YAML_SEQUENCE_NODE:
		return "a list";
	case YAML_MAPPING_NODE:
		return "a mapping";
	case YAML_NO_NODE:
		break;
	}
	return "nothing";
}

static const yaml_node_t *node_at(struct loader *l, int index)
{
	return yaml_document_get_node(l->doc, index);
}

/* The text of a scalar; NULL and a located error for other nodes and for texts with a NUL. */
static const char *scalar(struct loader *l, const yaml_node_t *n, const char *what)
{
	const char *text = (const char *)n->data.scalar.value;

	if (n->type != YAML_SCALAR_NODE) {
		(void)err_set(l->e, ERR_SPEC, "%s must be a single value, not %s", what,
			      node_kind(n));
		(void)at_node(l, n);
		return NULL;
	}
	if (strlen(text) != n->data.scalar.length) {
		(void)err_set(l->e, ERR_SPEC, "%s holds a NUL character", what);
		(void)at_node(l, n);
		return NULL;
	}
	return text;
}

static int need_mapping(struct loader *l, const yaml_node_t *n, const char *what)
{
	if (n->type == YAML_MAPPING_NODE)
		return 0;
	(void)err_set(l->e, ERR_SPEC, "%s must be a mapping of keys to values, not %s", what,
		      node_kind(n));
	return at_node(l, n);
}

/* Whether a key before pair in the same mapping has the same text. */
static int check_once(struct loader *l, const yaml_node_t *map, const yaml_node_pair_t *pair)
{
	const yaml_node_t *key = node_at(l, pair->key);
	const char *text = (const char *)key->data.scalar.value;

	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < pair; p++) {
		const yaml_node_t *other = node_at(l, p->key);

		if (!strcmp((const char *)other->data.scalar.value, text)) {
			(void)err_set(l->e, ERR_SPEC,
				      "key '%s' is given twice; the first is in line %zu", text,
				      other->start_mark.line + 1);
			return at_node(l, key);
		}
	}
	return 0;
}

static int unknown_key(struct loader *l, const yaml_node_t *node, const char *name,
		       enum key_section section)
{
	const struct key *elsewhere = key_find(name);
	const char *where = key_section_name(section);
	struct buf b = BUF_INIT;

	buf_add_key_names(&b, section);
	if (key_is_future(name))
		(void)err_set(l->e, ERR_SPEC, "key '%s' is not supported by this version", name);
	else if (elsewhere && !strcmp(elsewhere->name, name))
		(void)err_set(l->e, ERR_SPEC, "key '%s' belongs %s%s", name,
			      elsewhere->section == SECTION_TOP ? "to the top level" : "below ",
			      key_section_name(elsewhere->section));
	else
		(void)err_set(l->e, ERR_SPEC, "unknown key '%s'; the keys %s%s are %s", name,
			      *where ? "below " : "of a sweep", where, buf_text(&b));
	buf_release(&b);
	return at_node(l, node);
}

/* Lists with commas are taken in scalars too, so that files and options mean the same. */
static int add_items(struct loader *l, const struct key *key, const yaml_node_t *n,
		     struct items *items)
{
	const char *text = scalar(l, n, key->name);
	unsigned line = (unsigned)n->start_mark.line + 1;
	unsigned column = (unsigned)n->start_mark.column + 1;

	if (!text)
		return -1;
	if (n->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
	    n->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
		column++;
	if (key->is_list)
		items_split(items, text, line, column);
	else
		items_add(items, text, line, column);
	return 0;
}

static int add_list(struct loader *l, const struct key *key, const yaml_node_t *n,
		    struct items *items)
{
	if (!key->is_list || n->type != YAML_SEQUENCE_NODE)
		return add_items(l, key, n, items);
	for (const yaml_node_item_t *i = n->data.sequence.items.start;
	     i < n->data.sequence.items.top; i++)
		if (add_items(l, key, node_at(l, *i), items))
			return -1;
	return 0;
}

/* cap: {mean: 10ms} becomes the item mean:10ms, as the option has it. */
static int add_caps(struct loader *l, const struct key *key, const yaml_node_t *map,
		    struct items *items)
{
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *name = node_at(l, p->key);
		const char *stat = scalar(l, name, "a key of cap");
		size_t first = items->nr;

		if (!stat || check_once(l, map, p))
			return -1;
		if (lat_stat_find(stat) == LAT_STAT_NR) {
			(void)err_set(l->e, ERR_SPEC,
				      "unknown key '%s'; a cap is on mean, p50, p90, p95, p99 or "
				      "p99.9",
				      stat);
			return at_node(l, name);
		}
		if (add_list(l, key, node_at(l, p->value), items))
			return -1;
		for (size_t i = first; i < items->nr; i++) {
			char *limit = items->v[i].text;

			items->v[i].text = xasprintf("%s:%s", stat, limit);
			free(limit);
		}
	}
	return 0;
}

static int load_value(struct loader *l, struct axis_block *block, const struct key *key,
		      const yaml_node_t *n)
{
	bool is_cap_map = !strcmp(key->name, "cap") && n->type == YAML_MAPPING_NODE;
	struct items items = {0};
	size_t bad;
	int rc = is_cap_map ? add_caps(l, key, n, &items) : add_list(l, key, n, &items);

	if (!rc && key_set(l->s, block, key, &items, &bad, l->e))
		rc = items.nr ? at(l, items.v[bad].line, items.v[bad].column) : at_node(l, n);
	if (!rc)
		l->s->given_in_file |= key_bit(key);
	items_release(&items);
	return rc;
}

/* The keys of one section; block is where axes go. */
static int load_section(struct loader *l, struct axis_block *block, enum key_section section,
			const yaml_node_t *map)
{
	if (need_mapping(l, map, key_section_name(section)))
		return -1;
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = node_at(l, p->key);
		const char *name = scalar(l, node, "a key");
		const struct key *key = name ? key_find(name) : NULL;

		if (!name || check_once(l, map, p))
			return -1;
		if (!key || key->section != section || strcmp(key->name, name) != 0)
			return unknown_key(l, node, name, section);
		if (load_value(l, block, key, node_at(l, p->value)))
			return -1;
	}
	return 0;
}

static int load_block(struct loader *l, const yaml_node_t *map)
{
	size_t cap = l->s->nr_blocks;

	l->s->block = xreallocarray(l->s->block, cap + 1, sizeof(*l->s->block));
	l->s->block[l->s->nr_blocks++] = (struct axis_block){0};
	return load_section(l, &l->s->block[cap], SECTION_AXES, map);
}

/* A mapping, or a list of mappings whose products are joined. */
static int load_axes(struct loader *l, const yaml_node_t *n)
{
	if (n->type != YAML_SEQUENCE_NODE)
		return load_block(l, n);
	if (n->data.sequence.items.start == n->data.sequence.items.top) {
		(void)err_set(l->e, ERR_SPEC, "the list of axes is empty");
		return at_node(l, n);
	}
	for (const yaml_node_item_t *i = n->data.sequence.items.start;
	     i < n->data.sequence.items.top; i++)
		if (load_block(l, node_at(l, *i)))
			return -1;
	return 0;
}

static int load_top(struct loader *l, const yaml_node_t *map)
{
	if (need_mapping(l, map, "a sweep file"))
		return -1;
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = node_at(l, p->key), *value = node_at(l, p->value);
		const char *name = scalar(l, node, "a key");
		const struct key *key = name ? key_find(name) : NULL;
		int rc;

		if (!name || check_once(l, map, p))
			return -1;
		if (!strcmp(name, key_section_name(SECTION_AXES)))
			rc = load_axes(l, value);
		else if (!strcmp(name, key_section_name(SECTION_MEASURE)))
			rc = load_section(l, NULL, SECTION_MEASURE, value);
		else if (!key || key->section != SECTION_TOP || strcmp(key->name, name) != 0)
			rc = unknown_key(l, node, name, SECTION_TOP);
		else
			rc = load_value(l, NULL, key, value);
		if (rc)
			return -1;
	}
	return 0;
}

/* libyaml gives no mark for bytes that it cannot read, only their offset. */
static int reader_error(struct loader *l, const yaml_parser_t *p)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < l->len && i < p->problem_offset; i++) {
		column++;
		if (l->text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	(void)err_set(l->e, ERR_SPEC, "this is no text file: %s", p->problem);
	return at(l, line, column);
}

static int syntax_error(struct loader *l, const yaml_parser_t *p)
{
	size_t index = p->problem_mark.index;

	if (p->error == YAML_MEMORY_ERROR)
		return err_set(l->e, ERR_SYSTEM, "out of memory while reading '%s'", l->path);
	if (p->error == YAML_READER_ERROR)
		return reader_error(l, p);
	(void)err_set(l->e, ERR_SPEC, "this is no YAML: %s%s%s%s", p->context ? p->context : "",
		      p->context ? ", " : "", p->problem ? p->problem : "syntax error",
		      index < l->len && l->text[index] == '\t'
			      ? "; indent with spaces, not with tabs"
			      : "");
	return at(l, p->problem_mark.line + 1, p->problem_mark.column + 1);
}

/* Nothing but the end may follow the first document. */
static int check_last(struct loader *l, yaml_parser_t *p)
{
	yaml_document_t next;
	const yaml_node_t *root;
	int rc = 0;

	if (!yaml_parser_load(p, &next))
		return syntax_error(l, p);
	root = yaml_document_get_root_node(&next);
	if (root) {
		(void)err_set(l->e, ERR_SPEC, "a second document begins here; a file holds one");
		rc = at(l, next.start_mark.line + 1, next.start_mark.column + 1);
	}
	yaml_document_delete(&next);
	return rc;
}

static int load_document(struct loader *l, yaml_parser_t *p)
{
	yaml_document_t doc;
	const yaml_node_t *root;
	int rc;

	if (!yaml_parser_load(p, &doc))
		return syntax_error(l, p);
	l->doc = &doc;
	root = yaml_document_get_root_node(&doc);
	if (root) {
		rc = load_top(l, root);
	} else {
		(void)err_set(l->e, ERR_SPEC, "the sweep file is empty");
		rc = at(l, 1, 1);
	}
	/* The end of the stream gives one empty document only once. */
	if (!rc)
		rc = check_last(l, p);
	yaml_document_delete(&doc);
	return rc;
}

int sweep_parse(struct sweep *s, const char *path, const char *text, size_t len, struct err *e)
{
	struct loader l = {s, path, text, len, NULL, e};
	yaml_parser_t p;
	int rc;

	if (!yaml_parser_initialize(&p))
		return err_set(e, ERR_SYSTEM, "out of memory for the YAML parser");
	yaml_parser_set_input_string(&p, (const unsigned char *)text, len);
	free(s->path);
	free(s->text);
	s->path = xstrdup(path);
	s->text = xstrndup(text, len);
	rc = load_document(&l, &p);
	yaml_parser_delete(&p);
	return rc;
}

int sweep_load(struct sweep *s, const char *path, struct err *e)
{
	struct buf b = BUF_INIT;
	struct stat st;
	int rc;

	if (stat(path, &st) == 0 && st.st_size > SWEEP_MAX_FILE_BYTES)
		return err_set(e, ERR_SPEC, "%s:1:1: a sweep file of more than 1 MiB is refused",
			       path);
	if (file_read(path, SWEEP_MAX_FILE_BYTES, &b, e)) {
		if (e)
			e->code = ERR_SPEC;
		rc = -1;
	} else {
		rc = sweep_parse(s, path, buf_text(&b), b.len, e);
	}
	buf_release(&b);
	return rc;
}

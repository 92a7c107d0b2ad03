/* SPDX-License-Identifier: MIT */
/* Sweep files: the keys of a YAML document, by the table of keys. */
#include "plan/sweep.h"

#include "base/mem.h"
#include "plan/keys.h"
#include "plan/yaml_file.h"

#include <stdlib.h>
#include <string.h>

#define KIND "sweep file"

struct loader {
	struct sweep *s;
	struct yaml_file *f;
};

static int unknown_key(struct loader *l, const yaml_node_t *node, const char *name,
		       enum key_section section)
{
	const struct key *elsewhere = key_find(name);
	const char *where = key_section_name(section);
	struct buf b = BUF_INIT;

	buf_add_key_names(&b, section);
	if (elsewhere && !strcmp(elsewhere->name, name))
		(void)err_set(l->f->e, ERR_SPEC, "key '%s' belongs %s%s", name,
			      elsewhere->section == SECTION_TOP ? "to the top level" : "below ",
			      key_section_name(elsewhere->section));
	else
		(void)err_set(l->f->e, ERR_SPEC, "unknown key '%s'; the keys %s%s are %s", name,
			      *where ? "below " : "of a sweep", where, buf_text(&b));
	buf_release(&b);
	return yaml_at_node(l->f, node);
}

/* Lists with commas are taken in scalars too, so that files and options mean the same. */
static int add_items(struct loader *l, const struct key *key, const yaml_node_t *n,
		     struct items *items)
{
	const char *text = yaml_scalar(l->f, n, key->name);
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
		if (add_items(l, key, yaml_node_of(l->f, *i), items))
			return -1;
	return 0;
}

/* cap: {mean: 10ms} becomes the item mean:10ms, as the option has it. */
static int add_caps(struct loader *l, const struct key *key, const yaml_node_t *map,
		    struct items *items)
{
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *name = yaml_node_of(l->f, p->key);
		const char *stat = yaml_scalar(l->f, name, "a key of cap");
		size_t first = items->nr;

		if (!stat || yaml_check_once(l->f, map, p))
			return -1;
		if (lat_stat_find(stat) == LAT_STAT_NR) {
			(void)err_set(l->f->e, ERR_SPEC,
				      "unknown key '%s'; a cap is on mean, p50, p90, p95, p99 or "
				      "p99.9",
				      stat);
			return yaml_at_node(l->f, name);
		}
		if (add_list(l, key, yaml_node_of(l->f, p->value), items))
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

	if (!rc && key_set(l->s, block, key, &items, &bad, l->f->e))
		rc = items.nr ? yaml_at(l->f, items.v[bad].line, items.v[bad].column)
			      : yaml_at_node(l->f, n);
	if (!rc)
		l->s->given_in_file |= key_bit(key);
	items_release(&items);
	return rc;
}

/* The keys of one section; block is where axes go. */
static int load_section(struct loader *l, struct axis_block *block, enum key_section section,
			const yaml_node_t *map)
{
	if (yaml_need_mapping(l->f, map, key_section_name(section)))
		return -1;
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_node_of(l->f, p->key);
		const char *name = yaml_scalar(l->f, node, "a key");
		const struct key *key = name ? key_find(name) : NULL;

		if (!name || yaml_check_once(l->f, map, p))
			return -1;
		if (!key || key->section != section || strcmp(key->name, name) != 0)
			return unknown_key(l, node, name, section);
		if (load_value(l, block, key, yaml_node_of(l->f, p->value)))
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
		(void)err_set(l->f->e, ERR_SPEC, "the list of axes is empty");
		return yaml_at_node(l->f, n);
	}
	for (const yaml_node_item_t *i = n->data.sequence.items.start;
	     i < n->data.sequence.items.top; i++)
		if (load_block(l, yaml_node_of(l->f, *i)))
			return -1;
	return 0;
}

static int load_top(struct loader *l, const yaml_node_t *map)
{
	if (yaml_need_mapping(l->f, map, "a sweep file"))
		return -1;
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_node_of(l->f, p->key),
				  *value = yaml_node_of(l->f, p->value);
		const char *name = yaml_scalar(l->f, node, "a key");
		const struct key *key = name ? key_find(name) : NULL;
		int rc;

		if (!name || yaml_check_once(l->f, map, p))
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

static int load(struct yaml_file *f, const yaml_node_t *root, void *sweep)
{
	struct loader l = {sweep, f};

	return load_top(&l, root);
}

int sweep_parse(struct sweep *s, const char *path, const char *text, size_t len, struct err *e)
{
	free(s->path);
	free(s->text);
	s->path = xstrdup(path);
	s->text = xstrndup(text, len);
	return yaml_file_parse(KIND, path, text, len, load, s, e);
}

int sweep_load(struct sweep *s, const char *path, struct err *e)
{
	struct buf b = BUF_INIT;
	int rc = yaml_file_read(KIND, path, &b, e);

	if (!rc)
		rc = sweep_parse(s, path, buf_text(&b), b.len, e);
	buf_release(&b);
	return rc;
}

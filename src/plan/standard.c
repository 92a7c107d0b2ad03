/* SPDX-License-Identifier: MIT */
#include "plan/standard.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "plan/values.h"
#include "plan/yaml_file.h"

#include <string.h>

#define KIND "standard"

/* Beyond what anything reaches: a slip of the keyboard. */
#define MAX_RATE 1000000000U

#define DEFAULT_SHARE_E4 (UNITS_100_PERCENT / 100 * 99)
#define DEFAULT_OVER_NS	 NS_PER_S

/* A requirement while it is read. */
struct reading {
	struct yaml_file *f;
	struct requirement *req;
	const yaml_node_t *share, *over; /* where guaranteed_share and guaranteed_over stand */
	uint32_t share_e4;
	uint64_t over_ns;
	size_t cap;
};

typedef int (*read_value)(struct reading *r, size_t key, const yaml_node_t *value);

static int read_at(struct reading *r, size_t key, const yaml_node_t *value);
static int read_least(struct reading *r, size_t key, const yaml_node_t *value);
static int read_lat(struct reading *r, size_t key, const yaml_node_t *value);
static int read_share(struct reading *r, size_t key, const yaml_node_t *value);
static int read_over(struct reading *r, size_t key, const yaml_node_t *value);

static const struct {
	const char *name;
	read_value read;
	enum required_figure figure;
	enum dir dir;
} keys[] = {
	{"at", read_at, 0, 0},
	{"iops", read_least, FIGURE_IOPS, DIR_TOTAL},
	{"read_iops", read_least, FIGURE_IOPS, DIR_READ},
	{"write_iops", read_least, FIGURE_IOPS, DIR_WRITE},
	{"guaranteed_iops", read_least, FIGURE_GUARANTEED_IOPS, DIR_TOTAL},
	{"guaranteed_share", read_share, 0, 0},
	{"guaranteed_over", read_over, 0, 0},
	{"mib_s", read_least, FIGURE_MIB_S, DIR_TOTAL},
	{"read_mib_s", read_least, FIGURE_MIB_S, DIR_READ},
	{"write_mib_s", read_least, FIGURE_MIB_S, DIR_WRITE},
	{"lat", read_lat, FIGURE_LAT, DIR_TOTAL},
	{"read_lat", read_lat, FIGURE_LAT, DIR_READ},
	{"write_lat", read_lat, FIGURE_LAT, DIR_WRITE},
};

/* Put the place of n in front of a message that is in place already. */
static int at_node(struct yaml_file *f, const yaml_node_t *n, int rc)
{
	return rc ? yaml_at_node(f, n) : 0;
}

static int add_limit(struct reading *r, struct limit l)
{
	VEC_GROW(r->req->limit, r->req->nr, r->cap);
	r->req->limit[r->req->nr++] = l;
	return 0;
}

static int parse_least(const char *text, const char *name, uint64_t *v, struct err *e)
{
	if (units_parse_count(text, v, e))
		return err_wrap(e, "%s", name);
	if (!*v || *v > MAX_RATE)
		return err_set(e, ERR_SPEC, "%s must be from 1 to %u, not %s", name, MAX_RATE,
			       text);
	return 0;
}

static int read_least(struct reading *r, size_t key, const yaml_node_t *value)
{
	const char *text = yaml_scalar(r->f, value, keys[key].name);
	uint64_t v = 0;

	if (!text)
		return -1;
	if (parse_least(text, keys[key].name, &v, r->f->e))
		return yaml_at_node(r->f, value);
	return add_limit(r, (struct limit){.figure = keys[key].figure,
					   .dir = keys[key].dir,
					   .value = (double)v});
}

static int parse_time(const char *text, const char *name, uint64_t *ns, struct err *e)
{
	if (units_parse_duration(text, ns, e))
		return err_wrap(e, "%s", name);
	return *ns ? 0 : err_set(e, ERR_SPEC, "%s of 0 is no limit", name);
}

static int read_share(struct reading *r, size_t key, const yaml_node_t *value)
{
	const char *text = yaml_scalar(r->f, value, keys[key].name);
	int rc;

	if (!text)
		return -1;
	r->share = value;
	rc = units_parse_percent(text, &r->share_e4, r->f->e);
	if (rc)
		(void)err_wrap(r->f->e, "%s", keys[key].name);
	else if (!r->share_e4)
		rc = err_set(r->f->e, ERR_SPEC, "%s of 0%% guarantees nothing", keys[key].name);
	return at_node(r->f, value, rc);
}

static int read_over(struct reading *r, size_t key, const yaml_node_t *value)
{
	const char *text = yaml_scalar(r->f, value, keys[key].name);

	if (!text)
		return -1;
	r->over = value;
	return at_node(r->f, value, parse_time(text, keys[key].name, &r->over_ns, r->f->e));
}

/* One figure of a latency distribution and its limit. */
static int read_stat(struct reading *r, size_t key, const char *stat, const yaml_node_t *node,
		     const yaml_node_t *value)
{
	struct limit l = {.dir = keys[key].dir};
	enum lat_stat found = lat_stat_find(stat);
	const char *text;
	uint64_t ns = 0;

	l.figure = found == LAT_STAT_NR ? FIGURE_LAT_MAX : FIGURE_LAT;
	l.stat = found == LAT_STAT_NR ? LAT_MEAN : found;
	if (found == LAT_STAT_NR && strcmp(stat, "max") != 0) {
		(void)err_set(r->f->e, ERR_SPEC,
			      "unknown key '%s'; the keys below %s are mean, p50, p90, p95, p99, "
			      "p99.9, max",
			      stat, keys[key].name);
		return yaml_at_node(r->f, node);
	}
	text = yaml_scalar(r->f, value, stat);
	if (!text)
		return -1;
	if (parse_time(text, stat, &ns, r->f->e))
		return yaml_at_node(r->f, value);
	l.value = (double)ns;
	return add_limit(r, l);
}

static int read_lat(struct reading *r, size_t key, const yaml_node_t *value)
{
	if (yaml_need_mapping(r->f, value, keys[key].name))
		return -1;
	for (const yaml_node_pair_t *p = value->data.mapping.pairs.start;
	     p < value->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_node_of(r->f, p->key);
		const char *stat = yaml_scalar(r->f, node, "a key");

		if (!stat || yaml_check_once(r->f, value, p) ||
		    read_stat(r, key, stat, node, yaml_node_of(r->f, p->value)))
			return -1;
	}
	return 0;
}

static int unknown_axis(struct yaml_file *f, const yaml_node_t *node, const char *name)
{
	struct buf b = BUF_INIT;

	for (enum axis a = 0; a < AXIS_NR; a++)
		buf_addf(&b, "%s%s", a ? ", " : "", axis_name(a));
	(void)err_set(f->e, ERR_SPEC, "unknown key '%s'; the keys below at are %s", name,
		      buf_text(&b));
	buf_release(&b);
	return yaml_at_node(f, node);
}

static int parse_condition(enum axis axis, const char *text, struct axis_condition *c,
			   struct err *e)
{
	struct items items = {0};
	struct axis_list l = {0};
	int rc;

	*c = (struct axis_condition){.is_given = true};
	c->is_none = axis == AXIS_RATE && !strcmp(text, "none");
	if (c->is_none)
		return 0;
	items_add(&items, text, 0, 0);
	rc = axis_parse(&l, axis, &items.v[0], SWEEP_MAX_POINTS, e);
	if (!rc && l.nr != 1)
		rc = err_set(e, ERR_SPEC, "'%s' is more than one value; a requirement is at one",
			     text);
	if (!rc) {
		c->value = l.v[0].value;
		c->is_percent = l.v[0].is_percent;
	}
	axis_list_clear(&l);
	items_release(&items);
	return rc;
}

static int read_conditions(struct yaml_file *f, const yaml_node_t *map,
			   struct axis_condition at[AXIS_NR])
{
	if (yaml_need_mapping(f, map, "at"))
		return -1;
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_node_of(f, p->key),
				  *value = yaml_node_of(f, p->value);
		const char *name = yaml_scalar(f, node, "a key"), *text;
		enum axis axis = name ? axis_find(name) : AXIS_NR;

		if (!name || yaml_check_once(f, map, p))
			return -1;
		if (axis == AXIS_NR)
			return unknown_axis(f, node, name);
		text = yaml_scalar(f, value, name);
		if (!text)
			return -1;
		if (parse_condition(axis, text, &at[axis], f->e))
			return yaml_at_node(f, value);
	}
	return 0;
}

static int read_at(struct reading *r, size_t key, const yaml_node_t *value)
{
	(void)key;
	return read_conditions(r->f, value, r->req->at);
}

static int unknown_key(struct yaml_file *f, const yaml_node_t *node, const char *name)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < NR(keys); i++)
		buf_addf(&b, "%s%s", i ? ", " : "", keys[i].name);
	(void)err_set(f->e, ERR_SPEC, "unknown key '%s'; the keys of a requirement are %s", name,
		      buf_text(&b));
	buf_release(&b);
	return yaml_at_node(f, node);
}

/* How a guarantee is to be read may stand before it or behind it. */
static int finish_requirement(struct reading *r, const yaml_node_t *map)
{
	const yaml_node_t *idle = r->share ? r->share : r->over;

	for (size_t i = 0; i < r->req->nr; i++) {
		struct limit *l = &r->req->limit[i];

		if (l->figure != FIGURE_GUARANTEED_IOPS)
			continue;
		l->share_e4 = r->share_e4;
		l->over_ns = r->over_ns;
		idle = NULL;
	}
	if (idle) {
		(void)err_set(r->f->e, ERR_SPEC, "%s says nothing without guaranteed_iops",
			      idle == r->share ? "guaranteed_share" : "guaranteed_over");
		return yaml_at_node(r->f, idle);
	}
	if (r->req->nr)
		return 0;
	(void)err_set(r->f->e, ERR_SPEC,
		      "this requirement has no limit: give iops, guaranteed_iops, mib_s or lat");
	return yaml_at_node(r->f, map);
}

static int read_requirement(struct yaml_file *f, const yaml_node_t *map, struct requirement *req)
{
	struct reading r = {
		.f = f, .req = req, .share_e4 = DEFAULT_SHARE_E4, .over_ns = DEFAULT_OVER_NS};

	if (yaml_need_mapping(f, map, "a requirement"))
		return -1;
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_node_of(f, p->key);
		const char *name = yaml_scalar(f, node, "a key");
		size_t key = 0;

		if (!name || yaml_check_once(f, map, p))
			return -1;
		while (key < NR(keys) && strcmp(keys[key].name, name) != 0)
			key++;
		if (key == NR(keys))
			return unknown_key(f, node, name);
		if (keys[key].read(&r, key, yaml_node_of(f, p->value)))
			return -1;
	}
	return finish_requirement(&r, map);
}

/* The file while its classes are read; at holds for every requirement. */
struct loader {
	struct standard *s;
	struct axis_condition at[AXIS_NR];
	size_t cap;
};

static int add_requirement(struct yaml_file *f, const yaml_node_t *node, const struct loader *l,
			   struct disk_class *c)
{
	struct requirement *req;

	if (c->nr == STANDARD_MAX_ITEMS) {
		(void)err_set(f->e, ERR_SPEC, "there are more than %u requirements in a class",
			      STANDARD_MAX_ITEMS);
		return yaml_at_node(f, node);
	}
	c->req = xreallocarray(c->req, c->nr + 1, sizeof(*c->req));
	req = &c->req[c->nr++];
	*req = (struct requirement){0};
	memcpy(req->at, l->at, sizeof(req->at));
	return read_requirement(f, node, req);
}

static int read_class(struct yaml_file *f, const yaml_node_t *node, const struct loader *l,
		      struct disk_class *c)
{
	if (node->type != YAML_SEQUENCE_NODE)
		return add_requirement(f, node, l, c);
	if (node->data.sequence.items.start == node->data.sequence.items.top) {
		(void)err_set(f->e, ERR_SPEC, "the list of requirements is empty");
		return yaml_at_node(f, node);
	}
	for (const yaml_node_item_t *i = node->data.sequence.items.start;
	     i < node->data.sequence.items.top; i++)
		if (add_requirement(f, yaml_node_of(f, *i), l, c))
			return -1;
	return 0;
}

/* The number is bounded before the names are compared with each other. */
static int check_class(struct yaml_file *f, const yaml_node_t *node, const char *name, size_t nr)
{
	if (*name && nr < STANDARD_MAX_ITEMS)
		return 0;
	if (!*name)
		(void)err_set(f->e, ERR_SPEC, "the name of a class is empty");
	else
		(void)err_set(f->e, ERR_SPEC, "there are more than %u classes", STANDARD_MAX_ITEMS);
	return yaml_at_node(f, node);
}

static int read_classes(struct yaml_file *f, const yaml_node_t *map, struct loader *l)
{
	if (yaml_need_mapping(f, map, "classes"))
		return -1;
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_node_of(f, p->key);
		const char *name = yaml_scalar(f, node, "the name of a class");
		struct disk_class *c;

		if (!name)
			return -1;
		if (check_class(f, node, name, l->s->nr) || yaml_check_once(f, map, p))
			return -1;
		VEC_GROW(l->s->cls, l->s->nr, l->cap);
		c = &l->s->cls[l->s->nr++];
		*c = (struct disk_class){.name = xstrdup(name)};
		if (read_class(f, yaml_node_of(f, p->value), l, c))
			return -1;
	}
	return 0;
}

static int read_text(struct yaml_file *f, const yaml_node_t *value, const char *name,
		     struct standard *s)
{
	const char *text = yaml_scalar(f, value, name);

	if (!text)
		return -1;
	if (!strcmp(name, "name")) {
		s->name = xstrdup(text);
		return 0;
	}
	if (!strcmp(text, "1"))
		return 0;
	(void)err_set(f->e, ERR_SPEC,
		      "standards of version '%s' are not known; this program reads version 1",
		      text);
	return yaml_at_node(f, value);
}

static int unknown_top(struct yaml_file *f, const yaml_node_t *node, const char *name)
{
	(void)err_set(f->e, ERR_SPEC,
		      "unknown key '%s'; the keys of a standard are version, name, at, classes",
		      name);
	return yaml_at_node(f, node);
}

/* The classes come last, wherever they stand, since the conditions above hold in all of them. */
static int read_top(struct yaml_file *f, const yaml_node_t *map, void *arg)
{
	struct loader l = {.s = arg};
	const yaml_node_t *classes = NULL;

	if (yaml_need_mapping(f, map, "a standard"))
		return -1;
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_node_of(f, p->key),
				  *value = yaml_node_of(f, p->value);
		const char *name = yaml_scalar(f, node, "a key");
		int rc = 0;

		if (!name || yaml_check_once(f, map, p))
			return -1;
		if (!strcmp(name, "classes"))
			classes = value;
		else if (!strcmp(name, "at"))
			rc = read_conditions(f, value, l.at);
		else if (!strcmp(name, "name") || !strcmp(name, "version"))
			rc = read_text(f, value, name, l.s);
		else
			rc = unknown_top(f, node, name);
		if (rc)
			return -1;
	}
	if (classes && read_classes(f, classes, &l))
		return -1;
	if (l.s->nr)
		return 0;
	(void)err_set(f->e, ERR_SPEC, "a standard needs at least one class below classes");
	return yaml_at_node(f, classes ? classes : map);
}

int standard_parse(struct standard *s, const char *path, const char *text, size_t len,
		   struct err *e)
{
	*s = (struct standard){0};
	return yaml_file_parse(KIND, path, text, len, read_top, s, e);
}

int standard_load(struct standard *s, const char *path, struct err *e)
{
	struct buf b = BUF_INIT;
	int rc;

	*s = (struct standard){0};
	rc = yaml_file_read(KIND, path, &b, e);
	if (!rc)
		rc = standard_parse(s, path, buf_text(&b), b.len, e);
	buf_release(&b);
	return rc;
}

const struct disk_class *standard_class(const struct standard *s, const char *name, struct err *e)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->cls[i].name, name))
			return &s->cls[i];
	for (size_t i = 0; i < s->nr; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", s->cls[i].name);
	(void)err_set(e, ERR_USAGE, "there is no class '%s' in this standard; it has %s", name,
		      buf_text(&b));
	buf_release(&b);
	return NULL;
}

/* SPDX-License-Identifier: MIT */
#include "plan/vm_profile.h"

#include "base/mem.h"
#include "base/units.h"
#include "plan/yaml_file.h"

#include <stdlib.h>
#include <string.h>

#define KIND "VM profile file"

/* More kinds of VMs than anybody tells apart. */
#define MAX_PROFILES 1000

int vm_parse_iops(const char *text, double *out, struct err *e)
{
	if (units_parse_decimal(text, out, e))
		return -1;
	return *out > 0 ? 0 : err_set(e, ERR_USAGE, "'%s': a VM does more than 0 IOPS", text);
}

int vm_parse_capacity(const char *text, double *out_bytes, struct err *e)
{
	uint64_t bytes = 0;

	if (units_parse_size(text, &bytes, e))
		return -1;
	*out_bytes = (double)bytes;
	return bytes ? 0 : err_set(e, ERR_USAGE, "'%s': a VM takes more than 0 bytes", text);
}

int vm_parse_read(const char *text, double *out_share, struct err *e)
{
	uint32_t e4 = 0;

	if (units_parse_percent(text, &e4, e))
		return -1;
	*out_share = (double)e4 / UNITS_100_PERCENT;
	return 0;
}

static int parse_count(const char *text, double *out, struct err *e)
{
	uint64_t nr = 0;

	if (units_parse_count(text, &nr, e))
		return -1;
	*out = (double)nr;
	return nr ? 0 : err_set(e, ERR_USAGE, "'%s': a profile of no VM is left out", text);
}

static int parse_share(const char *text, double *out, struct err *e)
{
	if (vm_parse_read(text, out, e))
		return -1;
	return *out > 0 ? 0 : err_set(e, ERR_USAGE, "'%s': a profile of no VM is left out", text);
}

/* The keys of a profile. The first ones are always needed, the last two instead of each other. */
enum { KEY_NAME, KEY_IOPS, KEY_CAPACITY, KEY_READ, KEY_COUNT, KEY_SHARE, KEY_NR };

#define NR_NEEDED KEY_COUNT

static const struct {
	const char *name;
	int (*parse)(const char *text, double *out, struct err *e);
} keys[KEY_NR] = {
	[KEY_NAME] = {"name", NULL},
	[KEY_IOPS] = {"iops", vm_parse_iops},
	[KEY_CAPACITY] = {"capacity", vm_parse_capacity},
	[KEY_READ] = {"read", vm_parse_read},
	[KEY_COUNT] = {"count", parse_count},
	[KEY_SHARE] = {"share", parse_share},
};

struct loader {
	struct vm_population *p;
	struct yaml_file *f;
	size_t cap;
	bool has_count, has_share; /* of the first profile: the others must be alike */
};

/* Says that the node is not so, which is told in e already. */
static int wrong(struct loader *l, const yaml_node_t *n, const char *key)
{
	(void)err_wrap(l->f->e, "%s", key);
	return yaml_at_node(l->f, n);
}

static int unknown_key(struct loader *l, const yaml_node_t *n, const char *name, const char *where,
		       const char *known)
{
	(void)err_set(l->f->e, ERR_SPEC, "unknown key '%s'; the keys of a %s are %s", name, where,
		      known);
	return yaml_at_node(l->f, n);
}

static int unknown_profile_key(struct loader *l, const yaml_node_t *n, const char *name)
{
	struct buf known = BUF_INIT;

	for (int k = 0; k < KEY_NR; k++)
		buf_addf(&known, "%s%s", k ? ", " : "", keys[k].name);
	(void)unknown_key(l, n, name, "profile", buf_text(&known));
	buf_release(&known);
	return -1;
}

static int find_key(const char *name)
{
	int k = 0;

	while (k < KEY_NR && strcmp(keys[k].name, name) != 0)
		k++;
	return k;
}

static int set_name(struct loader *l, struct vm_profile *v, const yaml_node_t *n, const char *text)
{
	if (!*text) {
		(void)err_set(l->f->e, ERR_SPEC, "a profile needs a name that is not empty");
		return yaml_at_node(l->f, n);
	}
	for (const struct vm_profile *o = l->p->v; o < v; o++) {
		if (strcmp(o->name, text) != 0)
			continue;
		(void)err_set(l->f->e, ERR_SPEC, "a profile before this one is called '%s' too",
			      text);
		return yaml_at_node(l->f, n);
	}
	v->name = xstrdup(text);
	return 0;
}

static int set_value(struct loader *l, struct vm_profile *v, int key, const yaml_node_t *n)
{
	const char *text = yaml_scalar(l->f, n, keys[key].name);
	double *const to[KEY_NR] = {
		[KEY_IOPS] = &v->need.iops,	  [KEY_CAPACITY] = &v->need.capacity_bytes,
		[KEY_READ] = &v->need.read_share, [KEY_COUNT] = &v->share,
		[KEY_SHARE] = &v->share,
	};

	if (!text)
		return -1;
	if (key == KEY_NAME)
		return set_name(l, v, n, text);
	return keys[key].parse(text, to[key], l->f->e) ? wrong(l, n, keys[key].name) : 0;
}

static int check_keys(struct loader *l, const struct vm_profile *v, const bool *is_given,
		      const yaml_node_t *map)
{
	bool is_first = v == l->p->v;
	const char *missing = NULL;

	for (int k = 0; k < NR_NEEDED && !missing; k++)
		missing = is_given[k] ? NULL : keys[k].name;
	if (missing) {
		(void)err_set(l->f->e, ERR_SPEC, "this profile lacks the key '%s'", missing);
		return yaml_at_node(l->f, map);
	}
	if (is_given[KEY_COUNT] && is_given[KEY_SHARE]) {
		(void)err_set(
			l->f->e, ERR_SPEC,
			"this profile has both a count and a share; one of them says how many "
			"of the VMs are so");
		return yaml_at_node(l->f, map);
	}
	if (is_first) {
		l->has_count = is_given[KEY_COUNT];
		l->has_share = is_given[KEY_SHARE];
	}
	if (is_given[KEY_COUNT] == l->has_count && is_given[KEY_SHARE] == l->has_share)
		return 0;
	(void)err_set(
		l->f->e, ERR_SPEC,
		"how many VMs are so must be said alike in all profiles: a count in each, or a "
		"share in each");
	return yaml_at_node(l->f, map);
}

static int load_profile(struct loader *l, const yaml_node_t *map)
{
	bool is_given[KEY_NR] = {false};
	struct vm_profile *v;

	if (yaml_need_mapping(l->f, map, "a profile"))
		return -1;
	VEC_GROW(l->p->v, l->p->nr, l->cap);
	v = &l->p->v[l->p->nr++];
	*v = (struct vm_profile){.share = 1};
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_node_of(l->f, p->key);
		const char *name = yaml_scalar(l->f, node, "a key");
		int key = name ? find_key(name) : KEY_NR;

		if (!name || yaml_check_once(l->f, map, p))
			return -1;
		if (key == KEY_NR)
			return unknown_profile_key(l, node, name);
		if (set_value(l, v, key, yaml_node_of(l->f, p->value)))
			return -1;
		is_given[key] = true;
	}
	return check_keys(l, v, is_given, map);
}

/* Counts become shares; shares must be all VMs. */
static int finish_shares(struct loader *l, const yaml_node_t *list)
{
	const double rounding = 1e-9;
	struct vm_population *p = l->p;
	double sum = 0;

	for (size_t i = 0; i < p->nr; i++)
		sum += p->v[i].share;
	if (p->nr > 1 && !l->has_count && !l->has_share) {
		(void)err_set(l->f->e, ERR_SPEC,
			      "several profiles need a count each, or a share each");
		return yaml_at_node(l->f, list);
	}
	if (l->has_share && (sum < 1 - rounding || sum > 1 + rounding)) {
		(void)err_set(l->f->e, ERR_SPEC,
			      "the shares of the profiles are %.6g%% together, not 100%%",
			      100 * sum);
		return yaml_at_node(l->f, list);
	}
	for (size_t i = 0; i < p->nr; i++)
		p->v[i].share /= sum;
	return 0;
}

static int load_profiles(struct loader *l, const yaml_node_t *list)
{
	const yaml_node_item_t *first = list->data.sequence.items.start;

	if (list->type != YAML_SEQUENCE_NODE || first == list->data.sequence.items.top) {
		(void)err_set(l->f->e, ERR_SPEC,
			      "profiles must be a list of profiles, with one at "
			      "least");
		return yaml_at_node(l->f, list);
	}
	for (const yaml_node_item_t *i = first; i < list->data.sequence.items.top; i++) {
		const yaml_node_t *n = yaml_node_of(l->f, *i);

		if (i - first >= MAX_PROFILES) {
			(void)err_set(l->f->e, ERR_SPEC, "there are more than %d profiles",
				      MAX_PROFILES);
			return yaml_at_node(l->f, n);
		}
		if (load_profile(l, n))
			return -1;
	}
	return finish_shares(l, list);
}

static int check_version(struct loader *l, const yaml_node_t *n)
{
	const char *text = yaml_scalar(l->f, n, "version");

	if (!text)
		return -1;
	if (!strcmp(text, "1"))
		return 0;
	(void)err_set(l->f->e, ERR_SPEC, "version '%s' is not known; this program reads version 1",
		      text);
	return yaml_at_node(l->f, n);
}

static int load(struct yaml_file *f, const yaml_node_t *root, void *population)
{
	struct loader l = {.p = population, .f = f};
	bool has_profiles = false;

	if (yaml_need_mapping(f, root, "a " KIND))
		return -1;
	for (const yaml_node_pair_t *p = root->data.mapping.pairs.start;
	     p < root->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = yaml_node_of(f, p->key);
		const yaml_node_t *value = yaml_node_of(f, p->value);
		const char *name = yaml_scalar(f, node, "a key");
		bool is_list = name && !strcmp(name, "profiles");

		if (!name || yaml_check_once(f, root, p))
			return -1;
		if (!is_list && strcmp(name, "version") != 0)
			return unknown_key(&l, node, name, KIND, "version, profiles");
		if (is_list ? load_profiles(&l, value) : check_version(&l, value))
			return -1;
		has_profiles = has_profiles || is_list;
	}
	if (has_profiles)
		return 0;
	(void)err_set(f->e, ERR_SPEC, "the %s lacks the key 'profiles'", KIND);
	return yaml_at_node(f, root);
}

int vm_profile_parse(struct vm_population *p, const char *path, const char *text, size_t len,
		     struct err *e)
{
	*p = (struct vm_population){0};
	return yaml_file_parse(KIND, path, text, len, load, p, e);
}

int vm_profile_load(struct vm_population *p, const char *path, struct err *e)
{
	struct buf b = BUF_INIT;
	int rc;

	*p = (struct vm_population){0};
	rc = yaml_file_read(KIND, path, &b, e);
	if (!rc)
		rc = vm_profile_parse(p, path, buf_text(&b), b.len, e);
	buf_release(&b);
	return rc;
}

/* SPDX-License-Identifier: MIT */
#include "analyze/curve.h"
#include "analyze/size.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/cmd_report.h"
#include "cmd/output.h"
#include "cmd/questions.h"
#include "cmd/run_lists.h"
#include "plan/vm_profile.h"
#include "report/chart_lun.h"
#include "report/size_report.h"
#include "store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_NO_ANSWER 3
#define MAX_LUN_SIZES  256

/* ---- the command line ---- */

struct options {
	const char *vm_iops, *vm_capacity, *vm_read, *vm_profile;
	const char *cap, *depth, *loss, *headroom, *free_space, *lun_queue, *burst, *luns_sharing;
	const char *bs, *workers, *db, *format, *dir, *images;
	struct str_list lun_size, accept;
};

#define AT(member) offsetof(struct options, member)

static const struct opt vm_opts[] = {
	{"vm-iops", 0, OPT_STR, AT(vm_iops), "N", "IOPS of a VM, as a mean over time"},
	{"vm-capacity", 0, OPT_STR, AT(vm_capacity), "SIZE", "capacity that a VM takes"},
	{"vm-read", 0, OPT_STR, AT(vm_read), "PCT", "part of its I/Os that read"},
	{"vm-profile", 0, OPT_STR, AT(vm_profile), "FILE", "instead: kinds of VMs, a YAML file"},
	{0},
};

static const struct opt rule_opts[] = {
	{"cap", 0, OPT_STR, AT(cap), "FIGURE:TIME", "latency cap (mean:10ms)"},
	{"depth", 0, OPT_STR, AT(depth), "N", "iodepth at which spans are compared (16)"},
	{"loss", 0, OPT_STR, AT(loss), "PCT", "IOPS that a larger LUN may lose (15%)"},
	{"headroom", 0, OPT_STR, AT(headroom), "PCT", "IOPS kept in reserve (20%)"},
	{"free-space", 0, OPT_STR, AT(free_space), "PCT", "capacity kept free (20%)"},
	{"lun-queue", 0, OPT_STR, AT(lun_queue), "N", "I/Os that a LUN takes at a time (32)"},
	{"burst", 0, OPT_STR, AT(burst), "N", "I/Os outstanding at times, against their mean (2)"},
	{"luns-sharing", 0, OPT_STR, AT(luns_sharing), "K",
	 "LUNs of that size on the same disks (not asked)"},
	{"lun-size", 0, OPT_STRS, AT(lun_size), "SIZE,...",
	 "LUN of each span, smallest first (the span itself)"},
	{"bs", 0, OPT_STR, AT(bs), "SIZE", "curves of this block size"},
	{"workers", 0, OPT_STR, AT(workers), "N", "curves of so many workers"},
	{"accept", 0, OPT_STRS, AT(accept), "FLAGS",
	 "let points with these flags decide; may be repeated"},
	{0},
};

static const struct opt output_opts[] = {
	{"format", 0, OPT_STR, AT(format), "FORMAT", "text, markdown or json (text)"},
	{"output", 'o', OPT_STR, AT(dir), "DIR", "write text, Markdown, JSON and charts there"},
	{"image", 0, OPT_STR, AT(images), "FORMATS", "pictures of charts: svg, png, pdf (svg,png)"},
	{"db", 0, OPT_STR, AT(db), "PATH", "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{0},
};

static const struct opt_group groups[] = {
	{"What a VM asks", vm_opts}, {"The rule", rule_opts}, {"Options", output_opts}, {0}};

/* ---- values ---- */

enum kind { KIND_SHARE, KIND_COUNT, KIND_DECIMAL, KIND_SIZE };

/* Members of struct size_question by the option that sets them; limits in the unit of the member. */
static const struct value {
	const char *option;
	enum kind kind;
	size_t from, to;
	double low, high;
	const char *range; /* that in words */
} values[] = {
#define TO(member) offsetof(struct size_question, member)
	{"depth", KIND_COUNT, AT(depth), TO(depth), 1, UINT32_MAX, "1 or more"},
	{"loss", KIND_SHARE, AT(loss), TO(loss_max), 0, 1, "0% to 100%"},
	{"headroom", KIND_SHARE, AT(headroom), TO(headroom), 0, 0.9999, "0% to 99.99%"},
	{"free-space", KIND_SHARE, AT(free_space), TO(free_space), 0, 0.9999, "0% to 99.99%"},
	{"lun-queue", KIND_COUNT, AT(lun_queue), TO(lun_queue), 1, UINT32_MAX, "1 or more"},
	{"burst", KIND_DECIMAL, AT(burst), TO(burst), 1, 1000, "1 to 1000"},
	{"luns-sharing", KIND_COUNT, AT(luns_sharing), TO(luns_sharing), 1, 100000, "1 to 100000"},
	{"bs", KIND_SIZE, AT(bs), TO(bs_bytes), 1, HUGE_VAL, "1 byte or more"},
	{"workers", KIND_COUNT, AT(workers), TO(workers), 1, UINT32_MAX, "1 or more"},
#undef TO
};

/* The value as it is stored in *to, and as a double for its limits. */
static int parse_kind(enum kind kind, const char *text, void *to, double *v, struct err *e)
{
	uint64_t whole = 0;
	uint32_t e4 = 0;

	switch (kind) {
	case KIND_SHARE:
		if (units_parse_percent(text, &e4, e))
			return -1;
		*(double *)to = *v = (double)e4 / UNITS_100_PERCENT;
		return 0;
	case KIND_DECIMAL:
		if (units_parse_decimal(text, v, e))
			return -1;
		*(double *)to = *v;
		return 0;
	case KIND_COUNT:
		if (units_parse_count(text, &whole, e))
			return -1;
		*v = (double)whole;
		*(uint32_t *)to = (uint32_t)whole;
		return 0;
	case KIND_SIZE:
		break;
	}
	if (units_parse_size(text, &whole, e))
		return -1;
	*v = (double)whole;
	*(uint64_t *)to = whole;
	return 0;
}

static int parse_values(const struct options *o, struct size_question *q, struct err *e)
{
	for (size_t i = 0; i < NR(values); i++) {
		const struct value *k = &values[i];
		const char *text = *(const char *const *)(const void *)((const char *)o + k->from);
		double v = 0;

		if (!text)
			continue;
		if (parse_kind(k->kind, text, (char *)q + k->to, &v, e))
			return err_wrap(e, "--%s", k->option);
		if (v < k->low || v > k->high)
			return err_set(e, ERR_USAGE, "--%s: '%s' is out of range: %s", k->option,
				       text, k->range);
	}
	return o->cap && cap_parse(o->cap, &q->cap, e) ? err_wrap(e, "--cap") : 0;
}

/* Comma-separated sizes into size[], of which there is room for MAX_LUN_SIZES. */
static int parse_lun_sizes(const struct str_list *lists, uint64_t *size, size_t *nr, struct err *e)
{
	for (size_t i = 0; i < lists->nr; i++) {
		char *copy = xstrdup(lists->v[i]), *rest = copy, *item;
		int rc = 0;

		while (!rc && (item = strsep(&rest, ","))) {
			if (*nr == MAX_LUN_SIZES)
				rc = err_set(e, ERR_USAGE, "there are more than %d sizes",
					     MAX_LUN_SIZES);
			else
				rc = units_parse_size(item, &size[(*nr)++], e);
		}
		free(copy);
		if (rc)
			return err_wrap(e, "--lun-size");
	}
	return 0;
}

static int parse_one_vm(const struct options *o, struct vm_need *vm, struct err *e)
{
	if (!o->vm_iops || !o->vm_capacity || !o->vm_read)
		return err_set(e, ERR_USAGE,
			       "what a VM asks is not known: give --vm-iops, --vm-capacity and "
			       "--vm-read, or --vm-profile; see 'lunsweep size --help'");
	if (vm_parse_iops(o->vm_iops, &vm->iops, e))
		return err_wrap(e, "--vm-iops");
	if (vm_parse_capacity(o->vm_capacity, &vm->capacity_bytes, e))
		return err_wrap(e, "--vm-capacity");
	return vm_parse_read(o->vm_read, &vm->read_share, e) ? err_wrap(e, "--vm-read") : 0;
}

static int parse_vm(const struct options *o, struct vm_population *vms, struct vm_need *vm,
		    struct err *e)
{
	if (!o->vm_profile)
		return parse_one_vm(o, vm, e);
	if (o->vm_iops || o->vm_capacity || o->vm_read)
		return err_set(e, ERR_USAGE,
			       "--vm-profile says what VMs ask, so --vm-iops, --vm-capacity and "
			       "--vm-read cannot be given beside it");
	if (vm_profile_load(vms, o->vm_profile, e))
		return -1;
	*vm = vm_population_mean(vms);
	return 0;
}

/* ---- what is stored ---- */

/* The runs, with their points together. */
struct loaded {
	struct run_info *info;
	struct point **of_run;
	size_t *nr_of_run;
	size_t nr_runs;
	struct point *points; /* all of them; the pieces that they own belong to of_run */
	struct curve *curves;
	size_t nr_curves;
	flag_set accepted;
};

static void loaded_release(struct loaded *l)
{
	curves_free(l->curves, l->nr_curves);
	free(l->points);
	for (size_t i = 0; i < l->nr_runs; i++) {
		store_free_points(l->of_run[i], l->nr_of_run[i]);
		run_info_release(&l->info[i]);
	}
	free(l->info);
	free(l->of_run);
	free(l->nr_of_run);
}

static int check_target(const struct loaded *l, size_t i, struct err *e)
{
	const struct run_info *first = &l->info[0], *r = &l->info[i];
	const char *a = first->target_identity ? first->target_identity : "";
	const char *b = r->target_identity ? r->target_identity : "";

	if (!strcmp(a, b))
		return 0;
	return err_set(e, ERR_USAGE,
		       "runs %" PRId64 " and %" PRId64 " are of different targets, '%s' and '%s', "
		       "and one size cannot be found for both",
		       first->id, r->id, a, b);
}

static int load_runs(struct store *s, const int64_t *ids, size_t nr, struct loaded *l,
		     struct err *e)
{
	size_t nr_points = 0;

	l->info = xcalloc(nr, sizeof(*l->info));
	l->of_run = xcalloc(nr, sizeof(*l->of_run));
	l->nr_of_run = xcalloc(nr, sizeof(*l->nr_of_run));
	for (size_t i = 0; i < nr; i++) {
		l->nr_runs++;
		if (store_load_run(s, ids[i], &l->info[i], e) || check_target(l, i, e) ||
		    store_load_points(s, ids[i], &l->of_run[i], &l->nr_of_run[i], e))
			return -1;
		l->accepted |= l->info[i].accepted;
		nr_points += l->nr_of_run[i];
	}
	l->points = xcalloc(nr_points + 1, sizeof(*l->points));
	nr_points = 0;
	for (size_t i = 0; i < nr; i++) {
		memcpy(l->points + nr_points, l->of_run[i], l->nr_of_run[i] * sizeof(*l->points));
		nr_points += l->nr_of_run[i];
	}
	curves_build(l->points, nr_points, l->accepted, &l->curves, &l->nr_curves);
	return 0;
}

static int load(const char *db, const struct str_list *args, struct loaded *l, struct err *e)
{
	struct store *s = NULL;
	struct run_list runs = {0};
	int rc;

	if (store_open(&s, cmd_db_path(db), STORE_READ, e))
		return -1;
	rc = run_list_choose(&runs, s, args, e);
	rc = rc ? rc : load_runs(s, runs.id, runs.nr, l, e);
	run_list_release(&runs);
	store_close(s);
	return rc;
}

/* ---- the command ---- */

enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JSON };

static int print(const struct size_report *r, enum format format)
{
	struct buf b = BUF_INIT;
	int rc;

	if (format == FORMAT_JSON)
		json_size(&b, r);
	else
		text_size(&b, r,
			  format == FORMAT_TEXT ? cmd_report_style()
						: (struct text_style){.is_markdown = true});
	rc = cmd_print(&b);
	buf_release(&b);
	return rc;
}

/* Text, JSON and charts. */
static int write_files(const struct size_report *r, const struct output_place *place, struct err *e)
{
	struct output_file files[] = {
		{"size.txt", BUF_INIT}, {"size.md", BUF_INIT}, {"size.json", BUF_INIT}};
	struct charts charts;
	int rc;

	text_size(&files[0].text, r, (struct text_style){0});
	text_size(&files[1].text, r, (struct text_style){.is_markdown = true});
	json_size(&files[2].text, r);
	charts_build_size(r, &charts);
	rc = output_write(place, files, NR(files), &charts, e);
	charts_release(&charts);
	for (size_t i = 0; i < NR(files); i++)
		buf_release(&files[i].text);
	return rc;
}

static int answer(const struct loaded *l, const struct size_question *q,
		  const struct vm_population *vms, enum format format,
		  const struct output_place *place)
{
	struct size_report r = {
		.vms = vms, .runs = l->info, .nr_runs = l->nr_runs, .accepted = l->accepted};
	struct size_answer a;
	struct err e = {0};
	int status;

	if (size_find(l->curves, l->nr_curves, q, &a, &e)) {
		status = cmd_fail(&e);
		/* The runs are in order, but no answer can be had from them. */
		return e.code == ERR_DATA ? EXIT_NO_ANSWER : status;
	}
	r.answer = &a;
	status = print(&r, format);
	if (!status && !a.best)
		status = EXIT_NO_ANSWER;
	if (place->dir && write_files(&r, place, &e))
		status = cmd_fail(&e);
	size_release(&a);
	return status;
}

static int parse_format(const char *name, enum format *format, struct err *e)
{
	static const char *const names[] = {"text", "markdown", "json"};

	for (*format = FORMAT_TEXT; *format <= FORMAT_JSON; (*format)++)
		if (!name || !strcmp(names[*format], name))
			return 0;
	return err_set(e, ERR_USAGE, "--format is text, markdown or json, not '%s'", name);
}

static int run_size(int argc, char **argv)
{
	uint64_t lun_size[MAX_LUN_SIZES];
	struct size_question q = size_usual;
	struct vm_population vms = {0};
	struct options o = {0};
	struct str_list args = {0};
	struct loaded l = {0};
	struct output_place place = {0};
	struct err e = {0};
	enum format format;
	int status = 2;

	q.lun_size = lun_size;
	if (!cmd_parse(&cmd_size, argc, argv, &o, &args)) {
		if (parse_format(o.format, &format, &e) ||
		    output_parse(o.dir, o.images, &place, &e) || parse_values(&o, &q, &e) ||
		    parse_lun_sizes(&o.lun_size, lun_size, &q.nr_lun_sizes, &e) ||
		    questions_accept(&o.accept, &l.accepted, &e) || parse_vm(&o, &vms, &q.vm, &e) ||
		    load(o.db, &args, &l, &e))
			status = cmd_fail(&e);
		else
			status = answer(&l, &q, &vms, format, &place);
	}
	loaded_release(&l);
	vm_population_release(&vms);
	str_list_release(&o.lun_size);
	str_list_release(&o.accept);
	str_list_release(&args);
	return status;
}

const struct cmd cmd_size = {
	.name = "size",
	.args = "[RUN...] --vm-iops N --vm-capacity SIZE --vm-read PCT",
	.summary = "how large a LUN should be, and how many VMs it takes",
	.about =
		"Recommends a LUN size from runs over several spans: the largest that loses few\n"
		"IOPS against the smallest span and whose capacity is full before its queue or\n"
		"its IOPS give out; with the VMs that it takes, the bound that decides, the same\n"
		"for every span, and what all of it assumes. Several runs of one target are taken\n"
		"together. Without RUN the newest run is asked.\n\n"
		"Random reads and random writes are needed, or randrw with the mix of the VM,\n"
		"which is better. Exit status 3: these runs allow no answer.\n\n"
		"With -o, DIR gets size.txt, .md, .json and two charts: what larger LUNs cost,\n"
		"and the VMs per LUN by each bound.\n\n"
		"Examples:\n"
		"  lunsweep size 3 --vm-iops 50 --vm-capacity 40G --vm-read 70%\n"
		"  lunsweep size 3 4 --vm-profile vm-profile.yaml --lun-size 512G,1T,2T,4T\n",
	.groups = groups,
	.run = run_size,
};

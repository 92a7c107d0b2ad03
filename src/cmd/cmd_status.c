/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/term.h"
#include "cmd/cmd_report.h"
#include "cmd/keep.h"
#include "cmd/live.h"
#include "cmd/run_lists.h"
#include "model/search.h"
#include "report/status.h"
#include "store/store.h"
#include "target/lock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

struct status_options {
	const char *db, *format;
	bool follow;
};

static const struct opt status_opts[] = {
	{"db", 0, OPT_STR, offsetof(struct status_options, db), "PATH",
	 "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{"format", 0, OPT_STR, offsetof(struct status_options, format), "FORMAT",
	 "text or json (text)"},
	{"follow", 'f', OPT_FLAG, offsetof(struct status_options, follow), NULL,
	 "go on until the run ends, looking each second"},
	{0},
};

static const struct opt_group status_groups[] = {{"Options", status_opts}, {0}};

/* What the run itself says is old news after that: its process may be stopped. */
#define STALE_NS (2 * NS_PER_S)

/* ---- one look at the database ---- */

struct seen {
	struct run_info info;
	struct point *points;
	size_t nr;
	struct status_view view;
};

static void seen_release(struct seen *l)
{
	status_release(&l->view);
	store_free_points(l->points, l->nr);
	run_info_release(&l->info);
	*l = (struct seen){0};
}

static bool is_this_host(const struct run_info *r)
{
	const char *host = facts_get(&r->facts, "host.name");
	struct utsname un;

	return !host || uname(&un) < 0 || !strcmp(host, un.nodename);
}

static bool is_of(const struct live_state *state, const struct run_info *r, const char *db_path)
{
	struct stat st;

	return state->run_id == r->id && stat(db_path, &st) == 0 && state->db_device == st.st_dev &&
	       state->db_inode == st.st_ino;
}

/* The process of a run holds the lock of its target, and says which run it is. One that may not be asked,
 * or has left no number, could be at another run as well. */
static enum status_state look_at_process(const struct run_info *r, const char *db_path, long *pid,
					 struct live_state *state, bool *is_told)
{
	enum live_answer answer;
	enum lock_state lock;

	if (!is_this_host(r))
		return STATUS_ELSEWHERE;
	lock = target_lock_look(r->target_resolved, r->target_identity, pid);
	if (lock != LOCK_HELD)
		return lock == LOCK_FREE ? STATUS_GONE : STATUS_UNKNOWN;
	answer = *pid ? live_ask(*pid, state) : LIVE_PRIVATE;
	if (answer == LIVE_PRIVATE)
		return STATUS_UNKNOWN;
	*is_told = answer == LIVE_TOLD;
	return *is_told && !is_of(state, r, db_path) ? STATUS_GONE : STATUS_RUNNING;
}

static void take_live(struct status_view *v, const struct live_state *state)
{
	uint64_t now = clock_now_ns();

	if (state->budget_end_ns && v->left_ns != PROGRESS_TIME_UNKNOWN &&
	    state->budget_end_ns < now + v->left_ns) {
		v->left_ns = state->budget_end_ns > now ? state->budget_end_ns - now : 0;
		v->basis = STATUS_BASIS_BUDGET;
	}
	if (!v->hand || state->seq != v->hand->seq || now > state->stamp_ns + STALE_NS)
		return;
	v->is_live = true;
	v->in_window = state->in_window;
	v->hand_iops = state->iops;
	v->hand_lat_ns = state->lat_ns;
	v->hand_silent_s = (double)state->silent_ns / (double)NS_PER_S;
}

static void judge(struct seen *l, const char *db_path)
{
	struct search_settings search;
	struct live_state state;
	bool is_told = false;

	l->view = (struct status_view){.info = &l->info,
				       .points = l->points,
				       .nr_points = l->nr,
				       .is_search =
					       search_settings_from_facts(&l->info.facts, &search),
				       .now_ns = clock_wall_ns()};
	if (l->info.state == RUN_RUNNING)
		l->view.state = look_at_process(&l->info, db_path, &l->view.pid, &state, &is_told);
	else
		l->view.state =
			l->info.state == RUN_FINISHED ? STATUS_FINISHED : STATUS_INTERRUPTED;
	status_count(&l->view);
	if (is_told && l->view.state == STATUS_RUNNING)
		take_live(&l->view, &state);
}

/* The run of this number, or the newest one for 0, which is filled in. */
static int load(const char *db_path, int64_t *run_id, struct seen *l, struct err *e)
{
	static const struct str_list none = {0};
	struct run_list newest = {0};
	struct store *s = NULL;
	int rc;

	*l = (struct seen){0};
	if (store_open(&s, db_path, STORE_READ, e))
		return -1;
	rc = *run_id ? 0 : run_list_choose(&newest, s, &none, e);
	if (!rc && !*run_id)
		*run_id = newest.id[0];
	rc = rc ? rc : store_load_run(s, *run_id, &l->info, e);
	if (!rc && store_load_points(s, *run_id, &l->points, &l->nr, e)) {
		run_info_release(&l->info);
		rc = -1;
	}
	store_close(s);
	run_list_release(&newest);
	return rc;
}

static int look(const char *db_path, int64_t *run_id, struct seen *l, struct err *e)
{
	if (load(db_path, run_id, l, e))
		return -1;
	judge(l, db_path);
	if (l->view.state != STATUS_GONE)
		return 0;
	/* A run says that it has ended before it gives up its lock, which may have happened between the
	 * two looks: only what is still called running now has lost its process. */
	seen_release(l);
	if (load(db_path, run_id, l, e))
		return -1;
	judge(l, db_path);
	return 0;
}

/* ---- following a run ---- */

/* A point whose end was told; measured again it has another end. */
struct told {
	uint32_t seq;
	int64_t end_wall_ns;
};

/* How a look is shown after the one before it; *out is empty where there is nothing new. */
struct follower {
	bool as_json, is_live;
	size_t width, height, nr_rows; /* of the terminal, and of the last picture on it */
	struct told *told;
	size_t nr_told;
	unsigned last_done;
	enum status_state last_state;
	bool has_begun;
};

/* Rows that the text takes on a terminal of this width. It is cut where it takes more than so many. */
static size_t cut_to_rows(char *text, size_t width, size_t max)
{
	size_t rows = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = xstrndup(text, len);
		size_t cols = text_width(line);
		size_t own = 1 + (width && cols ? (cols - 1) / width : 0);

		free(line);
		if (own > max - rows) {
			*text = '\0';
			break;
		}
		rows += own;
		text += len + (text[len] != '\0');
	}
	return rows;
}

/* Over the picture before it. A terminal that was resized may have wrapped that anew, so that nobody knows
 * how many rows it has now. */
static void erase(struct follower *f, struct buf *out)
{
	size_t width = term_width(STDOUT_FILENO), height = term_height(STDOUT_FILENO);

	if (f->nr_rows && (width != f->width || height != f->height))
		buf_addstr(out, "\033[H\033[J");
	else if (f->nr_rows)
		buf_addf(out, "\r\033[%zuA\033[J", f->nr_rows);
	f->width = width;
	f->height = height;
}

/* No more of it than the terminal holds, since what has left it at the top cannot be erased; the last one
 * is whole. */
static void redraw(struct follower *f, const struct seen *l, struct buf *out)
{
	struct buf b = BUF_INIT;
	bool is_last = !status_goes_on(l->view.state);
	char *text;

	erase(f, out);
	status_text(&b, &l->view, cmd_report_style());
	text = xstrdup(buf_text(&b));
	f->nr_rows = cut_to_rows(text, f->width, is_last || !f->height ? SIZE_MAX : f->height - 1);
	buf_addstr(out, text);
	free(text);
	buf_release(&b);
}

static int by_seq(const void *a, const void *b)
{
	const struct told *p = a, *q = b;

	return (p->seq > q->seq) - (p->seq < q->seq);
}

/* By number, not by time: the wall clock may be set back. */
static bool was_told(const struct follower *f, const struct point *p)
{
	struct told key = {.seq = p->seq}, *found = NULL;

	if (f->nr_told)
		found = bsearch(&key, f->told, f->nr_told, sizeof(*f->told), by_seq);
	return found && found->end_wall_ns == p->end_wall_ns;
}

static void remember_told(struct follower *f, const struct status_view *v)
{
	f->told = xreallocarray(f->told, v->nr_last + 1, sizeof(*f->told));
	f->nr_told = v->nr_last;
	for (size_t i = 0; i < v->nr_last; i++)
		f->told[i] = (struct told){v->last[i]->seq, v->last[i]->end_wall_ns};
	qsort(f->told, f->nr_told, sizeof(*f->told), by_seq);
}

/* Of all points that ended since, the oldest first. */
static void add_new_points(struct follower *f, const struct seen *l, struct buf *out)
{
	const struct status_view *v = &l->view;
	unsigned nr_new = 0;

	for (size_t i = 0; i < v->nr_last; i++)
		nr_new += !was_told(f, v->last[i]);
	for (size_t i = v->nr_last; i-- > 0 && f->has_begun;)
		if (!was_told(f, v->last[i]))
			status_point_line(out, v, v->last[i], v->nr_done - --nr_new);
	remember_told(f, v);
}

static void add_lines(struct follower *f, const struct seen *l, struct buf *out)
{
	add_new_points(f, l, out);
	if (!f->has_begun || f->last_state != l->view.state)
		status_state_line(out, &l->view);
}

static void add_look(struct follower *f, const struct seen *l, struct buf *out)
{
	bool is_new =
		!f->has_begun || f->last_state != l->view.state || f->last_done != l->view.nr_done;

	if (f->as_json && is_new)
		status_json(out, &l->view);
	else if (!f->as_json && f->is_live)
		redraw(f, l, out);
	else if (!f->as_json)
		add_lines(f, l, out);
	f->has_begun = true;
	f->last_state = l->view.state;
	f->last_done = l->view.nr_done;
}

static int follow(const char *db_path, int64_t run_id, bool as_json)
{
	struct follower f = {.as_json = as_json, .is_live = term_is_live(STDOUT_FILENO)};
	struct err e = {0};
	bool goes_on = true;
	int rc = 0;

	while (!rc && goes_on) {
		struct buf out = BUF_INIT;
		struct seen l;

		if (look(db_path, &run_id, &l, &e)) {
			rc = cmd_fail(&e);
			break;
		}
		add_look(&f, &l, &out);
		goes_on = status_goes_on(l.view.state);
		rc = cmd_print(&out);
		buf_release(&out);
		seen_release(&l);
		if (!rc && goes_on)
			clock_sleep_ns(NS_PER_S);
	}
	free(f.told);
	return rc;
}

/* ---- a preparation that goes on ---- */

/* The newest preparation, where it goes on; *is_found says so. The caller releases *p. */
static int look_at_preparation(const char *db_path, struct preparation *p,
			       struct preparation_view *v, bool *is_found, struct err *e)
{
	struct store *s = NULL;
	enum lock_state lock;
	int rc;

	*p = (struct preparation){0};
	*v = (struct preparation_view){.p = p};
	*is_found = false;
	if (store_open(&s, db_path, STORE_READ, e))
		return -1;
	rc = store_last_preparation(s, NULL, p, e);
	store_close(s);
	if (rc || !p->id || p->state != PREPARATION_RUNNING)
		return rc;
	lock = target_lock_look(p->target_resolved, p->target_identity, &v->pid);
	v->is_sure = lock == LOCK_HELD;
	*is_found = lock != LOCK_FREE;
	return 0;
}

/* Its process was killed, and the target is measured by now. */
static bool is_at_run(const struct preparation_view *v, const struct status_view *run)
{
	return run->state == STATUS_RUNNING && run->pid && run->pid == v->pid;
}

static int show_run(const char *db_path, int64_t run_id, bool as_json,
		    const struct preparation_view *preparation)
{
	struct buf b = BUF_INIT;
	struct err e = {0};
	struct seen l;
	int rc;

	if (look(db_path, &run_id, &l, &e))
		return cmd_fail(&e);
	if (preparation && is_at_run(preparation, &l.view))
		preparation = NULL;
	l.view.preparation = preparation;
	if (preparation && !as_json) {
		preparation_status_text(&b, preparation, cmd_report_style());
		buf_addch(&b, '\n');
	}
	if (as_json)
		status_json(&b, &l.view);
	else
		status_text(&b, &l.view, cmd_report_style());
	rc = cmd_print(&b);
	buf_release(&b);
	seen_release(&l);
	return rc;
}

/* A target is prepared before its first run. */
static int show_preparation(const struct preparation_view *v)
{
	struct buf b = BUF_INIT;
	int rc;

	preparation_status_text(&b, v, cmd_report_style());
	rc = cmd_print(&b);
	buf_release(&b);
	return rc;
}

static int has_runs(const char *db_path, bool *has, struct err *e)
{
	struct store *s = NULL;
	int64_t newest = 0;
	int rc;

	if (store_open(&s, db_path, STORE_READ, e))
		return -1;
	rc = store_newest_run(s, &newest, e);
	store_close(s);
	*has = newest != 0;
	return rc;
}

/* Without a number it is about all that goes on: the newest run, and a preparation. */
static int show_once(const char *db_path, int64_t run_id, bool as_json)
{
	struct preparation_view v;
	struct preparation p;
	bool is_found, has = true;
	struct err e = {0};
	int rc;

	if (run_id)
		return show_run(db_path, run_id, as_json, NULL);
	if (look_at_preparation(db_path, &p, &v, &is_found, &e) ||
	    (is_found && has_runs(db_path, &has, &e)))
		rc = cmd_fail(&e);
	else if (!has && !as_json)
		rc = show_preparation(&v);
	else
		rc = show_run(db_path, run_id, as_json, is_found ? &v : NULL);
	preparation_release(&p);
	return rc;
}

static int parse(const struct status_options *o, const struct str_list *args, int64_t *run_id,
		 bool *as_json, struct err *e)
{
	struct run_list runs = {0};
	int rc = 0;

	*as_json = o->format && !strcmp(o->format, "json");
	if (o->format && !*as_json && strcmp(o->format, "text") != 0)
		return err_set(e, ERR_USAGE, "--format is text or json, not '%s'", o->format);
	if (args->nr > 1)
		return err_set(e, ERR_USAGE, "status takes the number of one run");
	if (!args->nr)
		return 0;
	rc = run_list_add(&runs, args->v[0], e);
	if (!rc && runs.nr > 1)
		rc = err_set(e, ERR_USAGE, "status takes the number of one run");
	if (!rc)
		*run_id = runs.id[0];
	run_list_release(&runs);
	return rc;
}

static int tell(const char *db_path, int64_t run_id, bool to_the_end, bool as_json)
{
	keep_say_spools(db_path);
	return to_the_end ? follow(db_path, run_id, as_json) : show_once(db_path, run_id, as_json);
}

static int run_status(int argc, char **argv)
{
	struct status_options o = {0};
	struct str_list args = {0};
	struct err e = {0};
	int64_t run_id = 0;
	bool as_json = false;
	int status = 2;

	if (!cmd_parse(&cmd_status, argc, argv, &o, &args)) {
		if (parse(&o, &args, &run_id, &as_json, &e))
			status = cmd_fail(&e);
		else
			status = tell(cmd_db_path(o.db), run_id, o.follow, as_json);
	}
	str_list_release(&args);
	return status;
}

const struct cmd cmd_status = {
	.name = "status",
	.args = "[RUN] [OPTION...]",
	.summary = "how far a run is, while it goes on",
	.about =
		"For another terminal: whether the run goes on, what is done, failed and left,\n"
		"the time that the rest will take and what that rests on, the point in hand, the\n"
		"points that ended last, and warnings. Without RUN it is about the newest run,\n"
		"and about a 'prepare' that goes on: its pass, how far it is, and its ETA.\n"
		"\n"
		"It reads the database only, and makes the run wait for nothing. IOPS and latency\n"
		"of the point in hand come from the memory of the run where that is allowed (the\n"
		"same user, or root). A run whose process was killed is called so.\n"
		"\n"
		"With --follow a terminal shows it until the run ends; elsewhere there is a line\n"
		"for each point that ends.\n"
		"\n"
		"Exit status: 0 told, however the run stands; 1 there is no such run; 2 usage.\n"
		"\n"
		"Examples:\n"
		"  lunsweep status\n"
		"  lunsweep status 3 --follow\n",
	.groups = status_groups,
	.run = run_status,
};

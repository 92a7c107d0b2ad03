/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "report/html.h"
#include "report/html_svg.h"
#include "report/html_write.h"
#include "report_fixture.h"

/* ---- text ---- */

static void assert_text(const char *text, const char *want)
{
	struct buf b = BUF_INIT;

	html_text(&b, text);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void text_stays_text(void **state)
{
	(void)state;
	assert_text(NULL, "");
	assert_text("<a href=\"x\" id='y'>&amp;</a>",
		    "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
	assert_text("r\xc3\xa9sum\xc3\xa9 \xf0\x9f\x92\xbe",
		    "r\xc3\xa9sum\xc3\xa9 \xf0\x9f\x92\xbe");
	assert_text("a\x01\x1b[31m\x7f\r\n\tb", "a  [31m  \n\tb");
}

static void bytes_that_are_no_utf8_and_turned_text_are_replaced(void **state)
{
	(void)state;
	assert_text("a\xff\xc3", "a\xef\xbf\xbd\xef\xbf\xbd");
	assert_text("\xc0\xbcscript>", "\xef\xbf\xbd\xef\xbf\xbdscript&gt;");
	/* Right-to-left override, isolate, line separator, a C1 control. */
	assert_text("\xe2\x80\xae"
		    "gnp\xe2\x81\xa6\xe2\x80\xa8\xc2\x9b",
		    "\xef\xbf\xbd"
		    "gnp\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	/* Neighbours of these are text. */
	assert_text("\xe2\x80\x93\xe2\x81\xa0\xc2\xa0", "\xe2\x80\x93\xe2\x81\xa0\xc2\xa0");
}

/* ---- pictures ---- */

static void assert_svg(const char *body, const char *want)
{
	struct buf b = BUF_INIT, box = BUF_INIT;
	char *svg = xasprintf("<?xml version=\"1.0\"?>\n<svg width=\"9\"\n viewBox=\"0 0 9 8\" "
			      "onload='x()'>%s</svg>\n",
			      body);

	assert_true(html_svg(&b, svg, "p-", &box));
	assert_string_equal(buf_text(&b), want);
	assert_string_equal(buf_text(&box), "0 0 9 8");
	free(svg);
	buf_release(&b);
	buf_release(&box);
}

static void a_picture_keeps_what_draws(void **state)
{
	(void)state;
	assert_svg("<g fill=\"none\" stroke='currentColor'><path d='M1,2 L3,4  '/></g>",
		   "<g fill=\"none\" stroke=\"currentColor\"><path d=\"M1,2 L3,4\"/></g>");
	assert_svg("<text x=\"1\"><tspan font-family=\"Arial\">a &lt; b &amp; c</tspan></text>",
		   "<text x=\"1\"><tspan>a &lt; b &amp; c</tspan></text>");
}

static void groups_without_anything_are_left_out(void **state)
{
	(void)state;
	assert_svg("<g><g>\n</g><g fill='none'><title>x</title></g></g><text></text>",
		   "<text></text>");
	assert_svg("<g><g></g><path/></g>", "<g><path/></g>");
}

static void a_picture_loses_what_does_not_draw(void **state)
{
	(void)state;
	assert_svg("<script>alert(1)</script><path d='M0,0'/>", "<path d=\"M0,0\"/>");
	assert_svg("<title>a</title><!-- <g> --><a href='http://x.invalid'><path d='M0,0'/></a>",
		   "");
	assert_svg("<foreignObject><g onload='x()'></g></foreignObject>", "");
	assert_svg("<g onclick=\"x()\" style='fill:url(http://x.invalid)' id='a'></g>", "");
	assert_svg("<g onclick=\"x()\" style='fill:url(http://x.invalid)' id='a'><path/></g>",
		   "<g id=\"p-a\"><path/></g>");
	assert_svg("<text>a & b > \"c\" &nonsense</text>",
		   "<text>a &amp; b &gt; &quot;c&quot; &amp;nonsense</text>");
	assert_svg("<path d='\"><script>'/>", "<path d=\"&quot;&gt;&lt;script&gt;\"/>");
}

static void ids_of_a_picture_and_what_refers_to_them_get_the_prefix(void **state)
{
	(void)state;
	assert_svg("<defs><circle id='gpPt5' r='1'/></defs><use xlink:href='#gpPt5'/>",
		   "<defs><circle id=\"p-gpPt5\" r=\"1\"/></defs><use href=\"#p-gpPt5\"/>");
	assert_svg("<rect fill=\"url(#a)\"/>", "<rect fill=\"url(#p-a)\"/>");
	assert_svg("<use xlink:href='http://x.invalid/a#b'/>", "<use/>");
	assert_svg("<use xlink:href='javascript:x()'/>", "<use/>");
}

static void colours_of_a_picture_have_one_form(void **state)
{
	(void)state;
	assert_svg("<g color='black' fill=\"#FFFFFF\" stroke='rgb( 16,   0, 255)'><path/></g>",
		   "<g color=\"#000000\" fill=\"#ffffff\" stroke=\"#1000ff\"><path/></g>");
	assert_svg("<path fill='#\"x'/>", "<path fill=\"#&quot;x\"/>");
}

static void what_is_no_whole_picture_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"<html></html>",
		"<svg viewBox='0 0 1 1'>",
		"<svg viewBox='0 0 1 1'><g></svg>",
		"<svg viewBox='0 0 1 1'><g x=></g></svg>",
		"<svg viewBox='0 0 1 1'><g x='1></g></svg>",
		"<svg viewBox='0 0 1 1'><g",
		"<svg viewBox='0 0 1 1'><!-- </svg>",
		"<svg></svg>",
		"<svg viewBox='0 0 1 1'></svg></svg>",
	};

	(void)state;
	for (size_t i = 0; i < NR(bad); i++) {
		struct buf b = BUF_INIT, box = BUF_INIT;

		assert_false(html_svg(&b, bad[i], "p-", &box));
		buf_release(&b);
		buf_release(&box);
	}
}

/* ---- the page ---- */

/* Leave out what is the same in every page: style and script, and their hashes. */
static void cut(struct buf *b, const char *from, const char *to)
{
	char *begin = strstr(b->text, from), *end = begin ? strstr(begin, to) : NULL;

	assert_non_null(end);
	begin += strlen(from);
	memmove(begin, end, strlen(end) + 1);
	b->len = strlen(b->text);
}

static void make_page(struct buf *b, const struct report *r)
{
	html_report(b, &(struct html_page){.report = r, .database = "mini.db", .version = "1.2.3"});
	assert_non_null(b->text);
	cut(b, "<style>", "</style>");
	cut(b, "<script>", "</script>");
	cut(b, "style-src 'sha256-", "'; script-src");
	cut(b, "script-src 'sha256-", "'; base-uri");
}

static size_t count(const struct buf *b, const char *what)
{
	size_t nr = 0;

	for (const char *s = buf_text(b); (s = strstr(s, what)); s += strlen(what))
		nr++;
	return nr;
}

static void the_page_shows_everything_that_happened(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	make_page(&b, &f.report);
	assert_golden("report-mini.html", &b);
	buf_release(&b);
	fixture_release(&f);
}

static void offered_loads_have_tables_of_their_own(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_loads(&f);
	make_page(&b, &f.report);
	assert_non_null(strstr(b.text, "Load sustained: 900 IOPS"));
	assert_non_null(strstr(b.text, "<th scope=\"col\">offered IOPS</th>"));
	assert_non_null(strstr(b.text, "<strong>Offered load.</strong>"));
	buf_release(&b);
	fixture_release(&f);
}

static void take_name(char **name, const char *text)
{
	free(*name);
	*name = xstrdup(text);
}

static void hostile_names_stay_names_everywhere(void **state)
{
	static const char evil[] = "</title></style></script></pre><script>x()</script>"
				   "<img src=x onerror='x()'>\" onload=\"x() &lt;\xff\x1b";
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	take_name(&f.info.sweep_name, evil);
	take_name(&f.info.question, evil);
	take_name(&f.info.sweep_text, evil);
	take_name(&f.info.command, evil);
	take_name(&f.info.target_given, evil);
	take_name(&f.info.target_label, evil);
	take_name(&f.info.target_identity, evil);
	take_name(&f.info.tool_version, evil);
	take_name(&f.info.git_id, evil);
	take_name(&f.info.engine, evil);
	take_name(&f.point[1].reason, evil);
	facts_set(&f.info.facts, evil, evil);
	html_report(&b,
		    &(struct html_page){.report = &f.report, .database = evil, .version = evil});
	assert_int_equal(count(&b, "<script"), 1);
	assert_int_equal(count(&b, "</script"), 1);
	assert_int_equal(count(&b, "</style"), 1);
	assert_int_equal(count(&b, "</title"), 1);
	assert_int_equal(count(&b, "<img"), 0);
	assert_int_equal(count(&b, "\" onload"), 0);
	assert_int_equal(count(&b, "\xff"), 0);
	assert_int_equal(count(&b, "\x1b"), 0);
	assert_true(count(&b, "&lt;img src=x onerror=&#39;x()&#39;&gt;&quot; onload=") >= 10);
	buf_release(&b);
	fixture_release(&f);
}

static void two_runs_are_told_apart_by_what_differs(void **state)
{
	struct fixture f, g;
	struct buf b = BUF_INIT;
	struct report_run runs[2];
	struct report r = {.runs = runs, .nr_runs = 2};

	(void)state;
	fixture_load_mini(&f);
	fixture_load_mini(&g);
	g.info.id = 2;
	facts_set(&g.info.facts, "queue.scheduler", "mq-deadline");
	runs[0] = f.run;
	runs[1] = g.run;
	make_page(&b, &r);
	assert_non_null(strstr(b.text, "<h1>2 runs: 1, 2</h1>"));
	assert_non_null(strstr(b.text, "<td>2</td><td class=\"l\">queue.scheduler</td><td "
				       "class=\"l\">none</td><td class=\"l\">mq-deadline</td>"));
	assert_non_null(strstr(b.text, "lunsweep report 1 2 --db mini.db"));
	buf_release(&b);
	fixture_release(&f);
	fixture_release(&g);
}

static void a_chart_that_was_not_drawn_says_why(void **state)
{
	struct charts charts;
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	charts_build(&f.report, &(struct chart_how){0}, &charts);
	html_report(&b, &(struct html_page){.report = &f.report,
					    .charts = &charts,
					    .dir = "/nonexistent",
					    .trouble = "gnuplot <is> not there"});
	assert_non_null(strstr(b.text, "<p>Charts are missing: gnuplot &lt;is&gt; not there.</p>"));
	assert_int_equal(count(&b, "<svg"), 0);
	assert_int_equal(count(&b, "<figure"), charts.nr);
	assert_int_equal(count(&b, "this chart was not drawn."), charts.nr);
	charts_release(&charts);
	buf_release(&b);
	fixture_release(&f);
}

static void a_run_without_points_has_a_page_too(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	fixture_analyze(&f);
	make_page(&b, &f.report);
	assert_non_null(strstr(b.text, "<b>0</b> points"));
	assert_null(strstr(b.text, "id=\"tables\""));
	buf_release(&b);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_stays_text),
		cmocka_unit_test(bytes_that_are_no_utf8_and_turned_text_are_replaced),
		cmocka_unit_test(a_picture_keeps_what_draws),
		cmocka_unit_test(groups_without_anything_are_left_out),
		cmocka_unit_test(a_picture_loses_what_does_not_draw),
		cmocka_unit_test(ids_of_a_picture_and_what_refers_to_them_get_the_prefix),
		cmocka_unit_test(colours_of_a_picture_have_one_form),
		cmocka_unit_test(what_is_no_whole_picture_is_refused),
		cmocka_unit_test(the_page_shows_everything_that_happened),
		cmocka_unit_test(offered_loads_have_tables_of_their_own),
		cmocka_unit_test(hostile_names_stay_names_everywhere),
		cmocka_unit_test(two_runs_are_told_apart_by_what_differs),
		cmocka_unit_test(a_chart_that_was_not_drawn_says_why),
		cmocka_unit_test(a_run_without_points_has_a_page_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

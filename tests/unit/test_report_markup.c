/* SPDX-License-Identifier: MIT */
#include "base/mem.h"
#include "report/lines.h"
#include "report/markup.h"

#include "unit.h"

static const struct text_style markdown = {.is_markdown = true};

static void test_escapes(void **state)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"ULT array, 15 x 600 GB (RAID 5)", "ULT array, 15 x 600 GB (RAID 5)"},
		{"a|b", "a\\|b"},
		{"a\\|b", "a\\\\\\|b"},
		{"*bold* _it_ `code`", "\\*bold\\* \\_it\\_ \\`code\\`"},
		{"<b>&amp;</b>", "\\<b\\>\\&amp;\\</b\\>"},
		{"![x](y)", "!\\[x\\](y)"},
		{"~~x~~ $x$", "\\~\\~x\\~\\~ \\$x\\$"},
		{"http://e.vil", "http\\://e.vil"},
		{"www.e.vil", "www\\.e.vil"},
		{"a.b: c", "a.b: c"},
		{"line\nline\tline\x01", "line line line "},
		{"r\xc3\xa9sum\xc3\xa9 \xff", "r\xc3\xa9sum\xc3\xa9 ?"},
		{"", ""},
	};
	struct buf b = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		buf_add_markdown(&b, cases[i].name);
		assert_string_equal(buf_text(&b), cases[i].want);
		buf_reset(&b);
	}
	buf_release(&b);
}

/* What begins a block elsewhere begins a sentence here. */
static void test_beginnings(void **state)
{
	static const char *const cases[][2] = {
		{"- no item", "\\- no item\n"},
		{"+1", "\\+1\n"},
		{"1. no item", "1\\. no item\n"},
		{"12) no item", "12\\) no item\n"},
		{"=== no line", "\\=== no line\n"},
		{"# no heading", "\\# no heading\n"},
		{"> no quotation", "\\> no quotation\n"},
		{"    no code", "no code\n"},
		{"1 point", "1 point\n"},
	};
	struct buf b = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		text_say(&b, markdown, cases[i][0]);
		assert_string_equal(buf_text(&b), cases[i][1]);
		buf_reset(&b);
	}
	buf_release(&b);
}

static void add_report(struct buf *b, struct text_style style)
{
	static const struct table_col cols[] = {{"name", true, 0}, {"IOPS ", false, 0}};
	struct lines l = {.out = b, .width = 80, .is_markdown = style.is_markdown};
	struct buf s = BUF_INIT;
	struct table t;

	text_heading(b, style, "Run 1: a|b");
	text_say(b, style, "One sentence.");
	text_say(b, style, "Another.");
	text_heading(b, style, "Answers");
	table_init(&t, cols, NR(cols));
	table_add(&t, "a|b");
	table_add(&t, "12*");
	table_add(&t, "");
	table_add(&t, "- ");
	text_table(b, style, 2, &t);
	table_release(&t);
	buf_addstr(&s, "first\nsecond");
	text_items(b, style, &s);
	lines_add(&l, "tool", "0.1.0");
	buf_release(&s);
}

static void test_both(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	add_report(&b, markdown);
	assert_string_equal(buf_text(&b), "# Run 1: a\\|b\n\n"
					  "One sentence.\n\n"
					  "Another.\n\n"
					  "## Answers\n\n"
					  "| name | IOPS |\n"
					  "| :--- | ---: |\n"
					  "| a\\|b | 12\\* |\n"
					  "|      |    - |\n\n"
					  "- first\n"
					  "- second\n"
					  "- tool: 0.1.0\n");
	buf_reset(&b);
	add_report(&b, (struct text_style){.width = 80});
	assert_string_equal(buf_text(&b), "\nRun 1: a|b\n"
					  "  One sentence.\n"
					  "  Another.\n"
					  "\nAnswers\n"
					  "  name  IOPS\n"
					  "  a|b     12*\n"
					  "           -\n"
					  "  - first\n"
					  "  - second\n"
					  "  tool         0.1.0\n");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("nothing in a name means anything in Markdown", test_escapes),
		titled_test("no sentence begins a list, a heading or code", test_beginnings),
		titled_test("one report is text and Markdown", test_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * What a report for people is built of: headings, paragraphs, lists, names with their texts, and tables, as
 * plain text for a terminal or as Markdown (the GitHub flavour, which has tables) for a wiki. A report is written once,
 * of these pieces. All texts are plain: whatever a name holds means nothing in Markdown.
 */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include "base/buf.h"
#include "report/table.h"
#include "report/text.h"

/* A line above everything else: plain in text. */
void text_title(struct buf *b, struct text_style style, const char *text);
/* Blank line and heading, in its style where there are colours. */
void text_heading(struct buf *b, struct text_style style, const char *text);
/* The same with a colon, always plain. */
void text_section(struct buf *b, struct text_style style, const char *text);
/* A sentence on lines of its own, taken from s, which is empty afterwards; nothing where it is empty. */
void text_paragraph(struct buf *b, struct text_style style, struct buf *s);
void text_say(struct buf *b, struct text_style style, const char *text);
/* The same with this many blanks in front of each line of text. */
void text_say_at(struct buf *b, struct text_style style, size_t indent, const char *text);
/* An item of a list. */
void text_item(struct buf *b, struct text_style style, const char *text);
/* The lines of s, each as an item of a list; s is empty afterwards. */
void text_items(struct buf *b, struct text_style style, struct buf *s);
/* A blank line in front of a table that follows other text without a heading. */
void text_gap(struct buf *b, struct text_style style);
/* A table with this many blanks in front of each line of text. */
void text_table(struct buf *b, struct text_style style, size_t indent, const struct table *t);

/* A picture beside the document: its heading, and links to it and to the files that it is made of, which are name with
 * .txt, .gp and .dat. Nothing in plain text. */
void text_picture(struct buf *b, struct text_style style, const char *title, const char *name,
		  const char *image);

/* Text for a line of Markdown: no character in it has a meaning, blanks stand for control characters, and question
 * marks for bytes that are no UTF-8. */
void buf_add_markdown(struct buf *b, const char *s);
/* What separates a block of Markdown from the text before it. */
void markdown_begin_block(struct buf *b);

#endif

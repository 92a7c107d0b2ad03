/* SPDX-License-Identifier: MIT */
/* One way to say what went wrong: a class of error and one whole sentence. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>

enum err_code {
	ERR_NONE,
	ERR_USAGE,  /* the command line, or a combination that can never work */
	ERR_SPEC,   /* a sweep file, with file, line and column in the message */
	ERR_TARGET, /* the device or file under test */
	ERR_IO,	    /* I/O on the target, or the I/O engine */
	ERR_DB,	    /* the store */
	ERR_DATA,   /* a file that was imported or read */
	ERR_OUTPUT, /* something that could not be written */
	ERR_TOOL,   /* an outside program, such as gnuplot */
	ERR_SYSTEM, /* memory, threads, clocks */
	ERR_INTR,   /* ended by a signal */
};

/*
 * The lowest layer that knows the cause fills an err; upper layers may put context in front;
 * only cmd/ prints it. A function that succeeds leaves its err alone, so calls chain with ||.
 */
struct err {
	enum err_code code;
	char msg[1024];
};

/* Fill e with a sentence (no newline, no full stop); always returns -1. e may be NULL. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set, with ": " and the text of errnum behind the sentence; always returns -1. */
int err_sys(struct err *e, enum err_code code, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put "context: " in front of the message; always returns -1. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Go on after an error: what also failed is told behind it, or alone where e is empty; always returns -1. e may be
 * NULL. */
int err_join(struct err *e, const struct err *also);

/* The exit status that an error of this class ends the program with (design.md section 4). */
int err_exit_status(enum err_code code);

#endif

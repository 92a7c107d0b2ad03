/* SPDX-License-Identifier: MIT */
/* The commands that change a simulated LUN while it serves; array.c lists them. */
#ifndef TESTBED_CONTROL_H
#define TESTBED_CONTROL_H

#include "lun.h"

/* Run the commands in text, one a line, up to the first bad one: 0, or -1 and a usage error. */
int control_run(struct lun *l, const char *text, size_t length, struct err *e);

/* Set a parameter of the model from "key=value"; as model_set. */
int control_set_model(struct model *m, const char *text, bool running, struct err *e);

/* Parse a number from 0 to max. */
int control_real(const char *text, double max, double *out, struct err *e);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * typed - keys that were typed ahead of the rows they are for.
 *
 * A command that acts on rows (the next row, open, mark, what if ...) is kept while the rows of the pane that has the keys are
 * being read, and so is one that a view does not take because it has nothing yet, and `write` while the tiles that are selected
 * next are looked for. They go on in the order in which they came, each as soon as what it acts on is there, also in the view that
 * one of them leads to. Who goes where ticked variables are seen waits behind them. Any other command drops what waits.
 * Nothing waits for them: what is on the screen and every other key go on as ever.
 *
 * Which rows those are a view says (ts_view_ops.waits); tabs say it with their `list`. Everything here is the UI thread's.
 */
#ifndef TS_VIEW_TYPED_H
#define TS_VIEW_TYPED_H

#include "tilescope/view/view.h"

enum { TS_TYPED_MAX = 32 };

struct ts_typed {
	struct ts_call call[TS_TYPED_MAX]; /* the first one goes next */
	int count;
};

/* Does it act on the row under the cursor, or move the cursor over rows? */
bool ts_typed_is_of_rows(enum ts_cmd cmd);

/* The same without those that only move the cursor: they want the row itself. */
bool ts_typed_is_of_row(enum ts_cmd cmd);

/* Does it look for a text? */
bool ts_typed_is_search(enum ts_cmd cmd);

/* Is anything under way that this view has asked for, and waits for? */
bool ts_typed_reads(const struct ts_view *v);

/*
 * A call, before `v` gets it. True: what it acts on is being read, so it is kept, or, where too many wait, lost with a message.
 * False: it is to run now, and once somebody has taken it what waited is to be dropped. `going`: the view is not yet where it was sent to, and all that is of rows waits.
 */
bool ts_typed_keep(struct ts_typed *q, struct ts_view *v, const struct ts_call *call, bool going);

/* Nobody took the call. True: it is kept until `v` has read what it asked for, or is where it goes to. */
bool ts_typed_later(struct ts_typed *q, struct ts_view *v, const struct ts_call *call, bool going);

/*
 * After each answer: the call that waits longest, if what it acts on in `v` is there now. It stays the first until
 * ts_typed_done(): where nobody takes it although `v` still reads, it waits on.
 */
bool ts_typed_next(const struct ts_typed *q, const struct ts_view *v, bool going,
	struct ts_call *out);
void ts_typed_done(struct ts_typed *q);

/* They wait no more. */
void ts_typed_drop(struct ts_typed *q);

#endif

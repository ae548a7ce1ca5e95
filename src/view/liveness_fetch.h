/* SPDX-License-Identifier: MIT */
/* liveness_fetch - the questions of the Liveness view, shared by liveness_data.c and liveness_answers.c. */
#ifndef TS_VIEW_LIVENESS_FETCH_H
#define TS_VIEW_LIVENESS_FETCH_H

#include "tilescope/view/fetch.h"

#include "liveness_internal.h"

struct line_fetch {
	struct ts_fetch f;
	struct ts_live_source source;
	struct ts_source_line src;
};

struct sums_fetch {
	struct ts_fetch f;
	struct ts_live_source source;
	struct ts_tile_lives *tiles; /* held */
	struct ts_kind_sums *sums;   /* NULL: the index does not know them */
};

struct lives_fetch {
	struct ts_fetch f;
	struct ts_live_source source;
	struct ts_tile_lives *tiles; /* held, or NULL */
	struct ts_kind_sums *sums;   /* held, or NULL */
	struct ts_lives *lives;
};

struct alive_fetch {
	struct ts_fetch f;
	struct ts_lives *lives;	       /* held, or NULL; then perhaps */
	struct ts_kind_sums *sums;     /* held, with */
	struct ts_tile_lives *tiles;   /* held */
	struct ts_live_labels *labels; /* held, or NULL */
	struct ts_alive_query q;
	struct ts_alive *before; /* held, or NULL */
	struct ts_alive *alive;
};

struct labels_fetch {
	struct ts_fetch f;
	struct ts_lives *lives;	      /* held */
	char *rules;		      /* directory of the user's rules, or NULL */
	const struct ts_cache *cache; /* where they are kept; NULL: they are too few */
	struct ts_groups *groups;
	struct ts_live_labels *labels;
};

struct checks_fetch {
	struct ts_fetch f;
	struct ts_live_source source;
	struct ts_lives *lives; /* held, or NULL */
	struct ts_live_checks checks;
};

/* What nobody shows any more: to give back what it mapped takes milliseconds. */
struct gone_fetch {
	struct ts_fetch f;
	struct ts_lives *lives; /* held, or NULL; as the others */
	struct ts_kind_sums *sums;
	struct ts_alive *alive;
	struct ts_live_labels *labels;
};

/* Lives, sums, who is alive and labels of what is shown are freed by a worker, when nobody waits. */
void live_let_go(struct liveness *s);

/* What cannot be asked for without memory. */
void live_no_memory(struct ts_pane_data *pane);

#endif

/* SPDX-License-Identifier: MIT */
/* host_status - how the hosts are on which reports are read. app/ keeps it, the Jobs view shows it. */
#ifndef TS_VIEW_HOST_STATUS_H
#define TS_VIEW_HOST_STATUS_H

#include <stdint.h>

#include "tilescope/base/err.h"

enum { TS_HOSTS = 4, TS_HOST_NAME = 384 }; /* at the same time */

enum ts_host_stands {
	TS_HOST_IS_CONNECTING,
	TS_HOST_IS_CONNECTED,
	TS_HOST_IS_RECONNECTING,
	TS_HOST_IS_NOT_CONNECTED,
};

/* Figures are those since the program knows the host; 0 = not known, or none yet. */
struct ts_host_status {
	char name[TS_HOST_NAME]; /* [USER@]HOST[:PORT], as the user calls it */
	enum ts_host_stands stands;
	const char *transport; /* "libssh", "ssh"; NULL: none yet */
	const char *doing;     /* CONNECTING, RECONNECTING: at what, or NULL */
	char left_out[256];    /* of the configuration of SSH: what is not done; "" = nothing */
	int attempt;	       /* RECONNECTING */
	char why[TS_ERR_MSG];  /* RECONNECTING, NOT_CONNECTED */
	int channels;
	int64_t rtt_us, round_trips, requests, sent, received; /* bytes of SFTP */
	int64_t connections;
	int64_t silent_us; /* it was asked and has said nothing for so long */
};

#endif

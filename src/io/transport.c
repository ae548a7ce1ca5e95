/* SPDX-License-Identifier: MIT */
/* transport - see the header: which of them it is. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/io/ssh_config.h"
#include "tilescope/io/transport.h"

enum ts_code
ts_transport_auto_new(struct ts_transport **out, const struct ts_transport_spec *spec,
	struct ts_err *err)
{
	struct ts_ssh_config config;
	enum ts_code code = ts_ssh_config_read(&config, spec->host, spec->user, spec->port,
		spec->config, err);
	const char *program = spec->program ? spec->program : getenv("TS_SSH");
	bool needs_ssh = config.needs_ssh[0] != '\0' || (program && *program);

	ts_ssh_config_fini(&config);
	*out = NULL;
	if (code != TS_OK)
		return code;
	return needs_ssh ? ts_transport_child_new(out, spec, err)
			 : ts_transport_libssh_new(out, spec, err);
}

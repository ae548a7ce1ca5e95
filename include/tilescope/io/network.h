/* SPDX-License-Identifier: MIT */
/* network - does a file lie on another machine? */
#ifndef TS_IO_NETWORK_H
#define TS_IO_NETWORK_H

/* The name of the network file system that a descriptor (O_PATH will do) lies on, or NULL. */
const char *ts_network_file_system(int fd);

#endif

/* SPDX-License-Identifier: MIT */
/* host_match - see the header. Backs up to the last `*` only: time is bounded by name times pattern. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "host_match.h"

static bool
same(char a, char b, int nocase)
{
	if (nocase && a >= 'A' && a <= 'Z')
		a = (char)(a - 'A' + 'a');
	if (nocase && b >= 'A' && b <= 'Z')
		b = (char)(b - 'A' + 'a');
	return a == b;
}

static bool
matches(const char *name, const char *pattern, size_t n, int nocase)
{
	size_t at = 0, star = n, back = 0, i = 0, len = strlen(name);

	while (i < len) {
		if (at < n && pattern[at] == '*') {
			star = at++;
			back = i;
		} else if (at < n && (pattern[at] == '?' || same(name[i], pattern[at], nocase))) {
			at++;
			i++;
		} else if (star < n) {
			at = star + 1;
			i = ++back;
		} else {
			return false;
		}
	}
	while (at < n && pattern[at] == '*')
		at++;
	return at == n;
}

enum ts_host_match
ts_host_match(const char *name, const char *pattern, size_t n, int nocase)
{
	bool excludes = n > 0 && pattern[0] == '!';

	if (!matches(name, pattern + excludes, n - excludes, nocase))
		return TS_HOST_NO;
	return excludes ? TS_HOST_EXCLUDED : TS_HOST_YES;
}

enum ts_host_match
ts_host_match_list(const char *name, const char *list, int nocase)
{
	enum ts_host_match found = TS_HOST_NO;

	for (;;) {
		size_t n = strcspn(list, ",");
		enum ts_host_match one = ts_host_match(name, list, n, nocase);

		if (one == TS_HOST_EXCLUDED)
			return one;
		if (one == TS_HOST_YES)
			found = one;
		if (!list[n])
			return found;
		list += n + 1;
	}
}

/* Copies of all lengths and overlaps by src/memory.c, beside copies byte by byte. */

#define memcpy copy_apart
#define memmove copy_any
#include "../src/memory.c"
#undef memcpy
#undef memmove

#include <stdio.h>

enum { ROOM = 1200, MOST = 520, SHIFT = 160 };

static unsigned char ours[ROOM], plain[ROOM], before[ROOM];

static void fill(void)
{
	static uint32_t seed = 1;
	for (int i = 0; i < ROOM; i++) {
		seed = seed * 1664525u + 1013904223u;
		ours[i] = plain[i] = before[i] = (unsigned char)(seed >> 24);
	}
}

/* Whether every byte is what it must be, the ones beside the copy too. */
static int differs(const char *what, int to, int from, int n)
{
	for (int i = 0; i < n; i++)
		plain[to + i] = before[from + i];
	for (int i = 0; i < ROOM; i++) {
		if (ours[i] != plain[i]) {
			printf("%s of %d bytes from %d to %d is wrong at %d\n", what, n, from, to, i);
			return 1;
		}
	}
	return 0;
}

int main(void)
{
	for (int n = 0; n <= MOST; n++) {
		for (int shift = -SHIFT; shift <= SHIFT; shift++) {
			int from = SHIFT, to = SHIFT + shift;
			fill();
			if (copy_any(ours + to, ours + from, n) != ours + to || differs("memmove", to, from, n))
				return 1;
		}
		for (int offset = 0; offset < 32; offset++) {
			int from = offset, to = ROOM / 2 + offset / 3;
			fill();
			if (copy_apart(ours + to, ours + from, n) != ours + to || differs("memcpy", to, from, n))
				return 1;
		}
	}
	return 0;
}

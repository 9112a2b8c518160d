/* Copies and comparisons of all lengths and overlaps by src/memory.c, beside those byte by byte. */

#define memcpy copy_apart
#define memmove copy_any
#define memcmp compare
#include "../src/memory.c"
#undef memcpy
#undef memmove
#undef memcmp

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

/* Whether a comparison says something else than its sign must be. */
static int disagrees(int a, int b, int n, int wanted)
{
	int got = compare(ours + a, plain + b, n);
	if ((got > 0) - (got < 0) == wanted)
		return 0;
	printf("memcmp of %d bytes at %d and %d says %d\n", n, a, b, got);
	return 1;
}

/* Equal stretches, and those that differ in one byte, with and without others behind it. */
static int comparisons(void)
{
	for (int n = 0; n <= 80; n++) {
		for (int a = 0; a < 9; a++) {
			int b = 8 - a;
			for (int at = -1; at < n; at++) {
				fill();
				for (int i = 0; i < n; i++)
					plain[b + i] = ours[a + i];
				if (at < 0) {
					if (disagrees(a, b, n, 0))
						return 1;
					continue;
				}
				ours[a + at] = 0x7f, plain[b + at] = 0x80;
				if (disagrees(a, b, n, -1))
					return 1;
				for (int i = at + 1; i < n; i++)
					ours[a + i] = 0xff, plain[b + i] = 0;
				if (disagrees(a, b, n, -1))
					return 1;
				ours[a + at] = 0xff;
				if (disagrees(a, b, n, 1))
					return 1;
			}
		}
	}
	return 0;
}

int main(void)
{
	if (comparisons())
		return 1;
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

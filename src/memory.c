/* memcpy, memmove and memcmp for the static program, instead of musl's: its copies use string instructions,
 * whose start-up takes longer than most copies here (a seventh of a submission's CPU time), and it compares
 * byte by byte. Plain C with 16-byte vectors, which every x86-64 processor has. Short blocks, and both ends
 * of long ones, are read before anything is written, so the two may overlap. */

#include <stddef.h>
#include <stdint.h>

typedef uint8_t vec __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t u64 __attribute__((aligned(1), may_alias));
typedef uint32_t u32 __attribute__((aligned(1), may_alias));
typedef uint16_t u16 __attribute__((aligned(1), may_alias));

/* Four vectors, copied together. */
typedef struct {
	vec a, b, c, d;
} four;

static inline four read_four(const unsigned char *from)
{
	const vec *at = (const vec *)from;
	return (four){at[0], at[1], at[2], at[3]};
}

static inline void write_four(unsigned char *to, four all)
{
	vec *at = (vec *)to;
	at[0] = all.a, at[1] = all.b, at[2] = all.c, at[3] = all.d;
}

/* Up to 128 bytes: copies both ends, which may overlap in the middle. */
static inline void copy_short(unsigned char *to, const unsigned char *from, size_t n)
{
	if (n >= 64) {
		four head = read_four(from), tail = read_four(from + n - 64);
		write_four(to, head);
		write_four(to + n - 64, tail);
	} else if (n >= 32) {
		vec a = *(vec *)from, b = *(vec *)(from + 16);
		vec y = *(vec *)(from + n - 32), z = *(vec *)(from + n - 16);
		*(vec *)to = a, *(vec *)(to + 16) = b;
		*(vec *)(to + n - 32) = y, *(vec *)(to + n - 16) = z;
	} else if (n >= 16) {
		vec a = *(vec *)from, z = *(vec *)(from + n - 16);
		*(vec *)to = a, *(vec *)(to + n - 16) = z;
	} else if (n >= 8) {
		uint64_t a = *(u64 *)from, z = *(u64 *)(from + n - 8);
		*(u64 *)to = a, *(u64 *)(to + n - 8) = z;
	} else if (n >= 4) {
		uint32_t a = *(u32 *)from, z = *(u32 *)(from + n - 4);
		*(u32 *)to = a, *(u32 *)(to + n - 4) = z;
	} else if (n >= 2) {
		uint16_t a = *(u16 *)from, z = *(u16 *)(from + n - 2);
		*(u16 *)to = a, *(u16 *)(to + n - 2) = z;
	} else if (n == 1) {
		*to = *from;
	}
}

/* More than 128 bytes, forwards: if `to` does not start within `from`. */
static void copy_up(unsigned char *to, const unsigned char *from, size_t n)
{
	four tail = read_four(from + n - 64);
	size_t at = 0;
	for (; at + 64 < n; at += 64)
		write_four(to + at, read_four(from + at));
	write_four(to + n - 64, tail);
}

/* More than 128 bytes, backwards. */
static void copy_down(unsigned char *to, const unsigned char *from, size_t n)
{
	four head = read_four(from);
	for (; n > 64; n -= 64)
		write_four(to + n - 64, read_four(from + n - 64));
	write_four(to, head);
}

void *memmove(void *to, const void *from, size_t n)
{
	if (n <= 128)
		copy_short(to, from, n);
	else if ((uintptr_t)to - (uintptr_t)from >= n)
		copy_up(to, from, n);
	else
		copy_down(to, from, n);
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	if (n <= 128)
		copy_short(to, from, n);
	else
		copy_up(to, from, n);
	return to;
}

/* Compares two different words by their first differing byte. */
static inline int order(uint64_t a, uint64_t b)
{
	return __builtin_bswap64(a) < __builtin_bswap64(b) ? -1 : 1;
}

int memcmp(const void *one, const void *other, size_t n)
{
	const unsigned char *a = one, *b = other;
	if (n >= 8) {
		for (size_t at = 0; at + 8 < n; at += 8) {
			uint64_t x = *(u64 *)(a + at), y = *(u64 *)(b + at);
			if (x != y)
				return order(x, y);
		}
		/* May overlap bytes that were already compared as equal. */
		uint64_t x = *(u64 *)(a + n - 8), y = *(u64 *)(b + n - 8);
		return x == y ? 0 : order(x, y);
	}
	if (n >= 4) {
		uint64_t x = (uint64_t)*(u32 *)a | (uint64_t)*(u32 *)(a + n - 4) << 32;
		uint64_t y = (uint64_t)*(u32 *)b | (uint64_t)*(u32 *)(b + n - 4) << 32;
		return x == y ? 0 : order(x, y);
	}
	for (size_t at = 0; at < n; at++)
		if (a[at] != b[at])
			return a[at] < b[at] ? -1 : 1;
	return 0;
}

/* Three in a row on a 3x3 board of 9 bits, as a table of all 512 boards.
 *
 *     0 1 2
 *     3 4 5     cell i is bit i; an octal digit is a row
 *     6 7 8
 */
#ifndef THREE_H
#define THREE_H

#include <stdint.h>

#define FULL 0777u

#define HAS(m, line) (((m) & (line)) == (line))
#define ROWS(m) (HAS(m, 0007) || HAS(m, 0070) || HAS(m, 0700))
#define COLUMNS(m) (HAS(m, 0111) || HAS(m, 0222) || HAS(m, 0444))
#define DIAGONALS(m) (HAS(m, 0421) || HAS(m, 0124))

#define WIN1(m) (ROWS(m) || COLUMNS(m) || DIAGONALS(m))
#define WIN4(m) WIN1(m), WIN1((m) + 1), WIN1((m) + 2), WIN1((m) + 3)
#define WIN16(m) WIN4(m), WIN4((m) + 4), WIN4((m) + 8), WIN4((m) + 12)
#define WIN64(m) WIN16(m), WIN16((m) + 16), WIN16((m) + 32), WIN16((m) + 48)
#define WIN256(m) WIN64(m), WIN64((m) + 64), WIN64((m) + 128), WIN64((m) + 192)

/* 1 where the marks of one side hold a line, else 0. */
static const uint8_t WIN[512] = {WIN256(0), WIN256(256)};

#endif

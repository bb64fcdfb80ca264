/* Qubic perft: 4x4x4, four in a line, no gravity, 76 lines.
 *
 * Cell (x, y, z) is bit x + 4y + 16z. A position is two 64-bit words, mine (the side to move) and theirs, handed on
 * by value. Counted: the positions after exactly DEPTH plies and how many of them the last move won, by a test of
 * all lines through its cell at every node.
 *
 * The 8 corners and the 8 cells of the core lie on seven lines, the other 48 on four: each kind has its own loop.
 */
#define GAME "qubic"
#define CELLS 64
#include "perft_main.h"

#define RICH 0x9009066006609009ULL

/* The lines through each cell, a cell to a cache line. */
static _Alignas(64) uint64_t LINES[64][8];

/* Runs before main. A step and its opposite give the same lines, so half of the 26 steps do. */
__attribute__((constructor)) static void find_lines(void)
{
    int found[64] = {0};
    for (int step = 14; step < 27; step++) {
        int dx = step % 3 - 1, dy = step / 3 % 3 - 1, dz = step / 9 - 1;
        for (int cell = 0; cell < 64; cell++) {
            int x = cell % 4, y = cell / 4 % 4, z = cell / 16;
            int ex = x + 3 * dx, ey = y + 3 * dy, ez = z + 3 * dz;
            if (ex < 0 || ex > 3 || ey < 0 || ey > 3 || ez < 0 || ez > 3)
                continue;
            int stride = dx + 4 * dy + 16 * dz;
            uint64_t line = 0;
            for (int k = 0; k < 4; k++)
                line |= 1ULL << (cell + k * stride);
            for (int k = 0; k < 4; k++) {
                int on = cell + k * stride;
                LINES[on][found[on]++] = line;
            }
        }
    }
}

/* Do these marks fill one of the lines through the cell? */
static INLINE int four(uint64_t marks, int cell, int lines)
{
    for (int k = 0; k < lines; k++)
        if (!(~marks & LINES[cell][k]))
            return 1;
    return 0;
}

static INLINE Count leaves(uint64_t mine, uint64_t free, int lines)
{
    Count count = {0, 0};
    for (; free; free &= free - 1) {
        uint64_t child = mine | (free & -free);
        MADE(child);
        count.nodes++;
        MADE(count.nodes);
        count.won += four(child, __builtin_ctzll(free), lines);
    }
    return count;
}

static Count visit(uint64_t mine, uint64_t theirs, int depth);

static INLINE Count inner(uint64_t mine, uint64_t theirs, uint64_t free, int lines, int depth)
{
    Count count = {0, 0};
    for (; free; free &= free - 1) {
        uint64_t child = mine | (free & -free);
        if (!four(child, __builtin_ctzll(free), lines))
            count = sum(count, visit(theirs, child, depth - 1));
    }
    return count;
}

/* The game is not over, depth >= 1. */
static Count visit(uint64_t mine, uint64_t theirs, int depth)
{
    uint64_t free = ~(mine | theirs);
    if (depth == 1)
        return sum(leaves(mine, free & RICH, 7), leaves(mine, free & ~RICH, 4));
    return sum(inner(mine, theirs, free & RICH, 7, depth), inner(mine, theirs, free & ~RICH, 4, depth));
}

static Count perft(int depth)
{
    return visit(0, 0, depth);
}

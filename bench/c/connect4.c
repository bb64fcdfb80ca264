/* Connect four perft: 7 columns, 6 rows, four in a row, with gravity.
 *
 *      6 13 20 27 34 41 48     always empty: stops a line from running into the next column
 *      5 12 19 26 33 40 47
 *      4 11 18 25 32 39 46
 *      3 10 17 24 31 38 45
 *      2  9 16 23 30 37 44
 *      1  8 15 22 29 36 43
 *      0  7 14 21 28 35 42
 *
 * A position is two 64-bit words, mine (the discs of the side to move) and all, passed by value. Counted: the
 * positions after exactly DEPTH plies and how many of them the last move won, by a test of the mover's whole board
 * at every node.
 */
#define GAME "connect4"
#define CELLS 42
#include "perft_main.h"

#define COLUMN 0x3fULL
#define BOTTOM 0x40810204081ULL
#define BOARD (BOTTOM * COLUMN)

/* Are four of these discs in a row? Not unrolled, the four directions become the lanes of one vector. */
static INLINE int four(uint64_t discs)
{
    static const uint64_t STEP[4] = {1, 6, 7, 8};
    uint64_t lines = 0;
#pragma GCC unroll 1
    for (int k = 0; k < 4; k++) {
        uint64_t pairs = discs & discs >> STEP[k];
        lines |= pairs & pairs >> 2 * STEP[k];
    }
    return lines != 0;
}

static INLINE Count leaves(uint64_t mine, uint64_t all)
{
    Count count = {0, 0};
    uint64_t free = (all + BOTTOM) & BOARD;
#pragma GCC unroll 7
    for (int column = 0; column < 7; column++) {
        uint64_t disc = free & COLUMN << 7 * column;
        if (disc) {
            uint64_t child = mine | disc, filled = all | disc;
            MADE(child);
            MADE(filled);
            count.nodes++;
            MADE(count.nodes);
            count.won += four(child);
        }
    }
    return count;
}

/* The game is not over, depth >= 1. */
static Count visit(uint64_t mine, uint64_t all, int depth)
{
    if (depth == 1)
        return leaves(mine, all);
    Count count = {0, 0};
    for (uint64_t free = (all + BOTTOM) & BOARD; free; free &= free - 1) {
        uint64_t disc = free & -free;
        if (!four(mine | disc))
            count = sum(count, visit(mine ^ all, all | disc, depth - 1));
    }
    return count;
}

static Count perft(int depth)
{
    return visit(0, 0, depth);
}

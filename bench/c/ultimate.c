/* Ultimate tic-tac-toe perft: a mark in cell i sends the opponent to board i, or to any undecided board if that
 * one is won or full; three won boards in a row win the game, a drawn board belongs to nobody.
 *
 * A side is nine words of 9 bits, one per small board, and a tenth for the small boards it has won; moves are played
 * and undone in place. mine is the side to move. Counted: the positions after exactly DEPTH plies and how many of
 * them the last move won, by one look-up in WIN for the small board and one for the big board at every node.
 */
#define GAME "ultimate"
#define CELLS 81
#include "perft_main.h"
#include "three.h"

typedef struct {
    uint32_t small[9], big;
} Side;

/* Tries the nine cells without a branch: on a taken cell the boards stay as they are and count nothing. */
static INLINE Count leaves(Side *mine, const Side *theirs, int board)
{
    Count count = {0, 0};
    unsigned marks = mine->small[board], boards = mine->big;
    unsigned free = FULL & ~(marks | theirs->small[board]);
#pragma GCC unroll 9
    for (int cell = 0; cell < 9; cell++) {
        unsigned child = marks | (free & 1u << cell);
        unsigned big = boards | (unsigned)WIN[child] << board;
        mine->small[board] = child;
        mine->big = big;
        MADE_IN_PLACE();
        count.nodes += free >> cell & 1;
        MADE(count.nodes);
        count.won += WIN[big];
    }
    mine->small[board] = marks;
    mine->big = boards;
    return count;
}

static INLINE int decided(const Side *mine, const Side *theirs, int board)
{
    return ((mine->big | theirs->big) >> board & 1) || (mine->small[board] | theirs->small[board]) == FULL;
}

static Count visit(Side *mine, Side *theirs, int board, int depth);
static Count visit_any(Side *mine, Side *theirs, int depth);

/* The moves on one undecided board, depth >= 2. */
static INLINE Count inner(Side *mine, Side *theirs, int board, int depth)
{
    Count count = {0, 0};
    unsigned marks = mine->small[board], boards = mine->big;
    for (unsigned free = FULL & ~(marks | theirs->small[board]); free; free &= free - 1) {
        unsigned child = marks | (free & -free);
        unsigned big = boards | (unsigned)WIN[child] << board;
        if (WIN[big])
            continue;
        mine->small[board] = child;
        mine->big = big;
        int sent = __builtin_ctz(free);
        if (decided(mine, theirs, sent))
            count = sum(count, visit_any(theirs, mine, depth - 1));
        else if (depth == 2)
            count = sum(count, leaves(theirs, mine, sent));
        else
            count = sum(count, visit(theirs, mine, sent, depth - 1));
    }
    mine->small[board] = marks;
    mine->big = boards;
    return count;
}

/* The game is not over, the board is undecided, depth >= 2. */
static Count visit(Side *mine, Side *theirs, int board, int depth)
{
    return depth == 2 ? inner(mine, theirs, board, 2) : inner(mine, theirs, board, depth);
}

/* The game is not over, every undecided board is allowed, depth >= 1. */
static Count visit_any(Side *mine, Side *theirs, int depth)
{
    Count count = {0, 0};
    for (int board = 0; board < 9; board++)
        if (!decided(mine, theirs, board))
            count = sum(count, depth == 1 ? leaves(mine, theirs, board) : visit(mine, theirs, board, depth));
    return count;
}

static Count perft(int depth)
{
    Side first = {0}, second = {0};
    return visit_any(&first, &second, depth);
}

/* Nine-board tic-tac-toe perft: a mark in cell i sends the opponent to board i, or to any board with an empty cell if
 * that one is full; three in a row on any one board wins the game.
 *
 * A side is nine words of 9 bits, one per board; moves are played and undone in place. mine is the side to move.
 * Counted: the positions after exactly DEPTH plies and how many of them the last move won, by looking it up in WIN at
 * every node.
 */
#define GAME "nineboard"
#define CELLS 81
#include "perft_main.h"
#include "three.h"

typedef uint32_t Side[9];

/* Tries the nine cells without a branch: on a taken cell the board stays as it is and counts nothing. */
static INLINE Count leaves(Side mine, const Side theirs, int board)
{
    Count count = {0, 0};
    unsigned marks = mine[board], free = FULL & ~(marks | theirs[board]);
#pragma GCC unroll 9
    for (int cell = 0; cell < 9; cell++) {
        unsigned child = marks | (free & 1u << cell);
        mine[board] = child;
        MADE_IN_PLACE();
        count.nodes += free >> cell & 1;
        MADE(count.nodes);
        count.won += WIN[child];
    }
    mine[board] = marks;
    return count;
}

static Count visit(Side mine, Side theirs, int board, int depth);
static Count visit_any(Side mine, Side theirs, int depth);

/* The moves on one board, depth >= 2. */
static INLINE Count inner(Side mine, Side theirs, int board, int depth)
{
    Count count = {0, 0};
    unsigned marks = mine[board];
    for (unsigned free = FULL & ~(marks | theirs[board]); free; free &= free - 1) {
        unsigned child = marks | (free & -free);
        if (WIN[child])
            continue;
        mine[board] = child;
        int sent = __builtin_ctz(free);
        if ((mine[sent] | theirs[sent]) == FULL)
            count = sum(count, visit_any(theirs, mine, depth - 1));
        else if (depth == 2)
            count = sum(count, leaves(theirs, mine, sent));
        else
            count = sum(count, visit(theirs, mine, sent, depth - 1));
    }
    mine[board] = marks;
    return count;
}

/* The game is not over, the board has room, depth >= 2. */
static Count visit(Side mine, Side theirs, int board, int depth)
{
    return depth == 2 ? inner(mine, theirs, board, 2) : inner(mine, theirs, board, depth);
}

/* The game is not over, every board with room is allowed, depth >= 1. */
static Count visit_any(Side mine, Side theirs, int depth)
{
    Count count = {0, 0};
    for (int board = 0; board < 9; board++)
        count = sum(count, depth == 1 ? leaves(mine, theirs, board) : visit(mine, theirs, board, depth));
    return count;
}

static Count perft(int depth)
{
    Side first = {0}, second = {0};
    return visit_any(first, second, depth);
}

/* Tic-tac-toe perft: 3x3, three in a row.
 *
 * A position is two 9-bit words, mine (the side to move) and theirs, passed by value. Counted: the positions
 * after exactly DEPTH plies and how many of them the last move won, by looking it up in WIN at every node.
 *
 * The game has at most nine plies, so every remaining depth gets a function of its own.
 */
#define GAME "tictactoe"
#define CELLS 9
#include "perft_main.h"
#include "three.h"

static INLINE Count visit1(unsigned mine, unsigned theirs)
{
    Count count = {0, 0};
    for (unsigned free = FULL & ~(mine | theirs); free; free &= free - 1) {
        unsigned child = mine | (free & -free);
        MADE(child);
        count.nodes++;
        MADE(count.nodes);
        count.won += WIN[child];
    }
    return count;
}

#define VISIT(depth, below)                                                             \
    static __attribute__((noinline)) Count visit##depth(unsigned mine, unsigned theirs) \
    {                                                                                   \
        Count count = {0, 0};                                                           \
        for (unsigned free = FULL & ~(mine | theirs); free; free &= free - 1) {         \
            unsigned child = mine | (free & -free);                                     \
            if (!WIN[child])                                                            \
                count = sum(count, visit##below(theirs, child));                        \
        }                                                                               \
        return count;                                                                   \
    }

VISIT(2, 1)
VISIT(3, 2)
VISIT(4, 3)
VISIT(5, 4)
VISIT(6, 5)
VISIT(7, 6)
VISIT(8, 7)
VISIT(9, 8)

static Count perft(int depth)
{
    switch (depth) {
    case 1: return visit1(0, 0);
    case 2: return visit2(0, 0);
    case 3: return visit3(0, 0);
    case 4: return visit4(0, 0);
    case 5: return visit5(0, 0);
    case 6: return visit6(0, 0);
    case 7: return visit7(0, 0);
    case 8: return visit8(0, 0);
    default: return visit9(0, 0);
    }
}

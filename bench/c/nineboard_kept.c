/* Nine-board tic-tac-toe perft that maintains what the engine's search needs: beside the stones, after every move,
 * a Zobrist key, the boards without an empty cell, and for each side the boards on which it completes a line in one
 * move. nineboard.c has the rules and counts the same without these.
 *
 * Stones are played and undone in place, the rest is handed on by value. mine is the side to move.
 */
#define GAME "nineboard"
#define CELLS 81
#include "perft_main.h"
#include "three.h"

enum { ANY = 9 };

typedef uint32_t Side[9];

typedef struct {
    uint64_t key;
    uint32_t mine, theirs; /* the boards on which a side completes a line in one move */
    uint32_t full;
} Kept;

static uint64_t CELL_KEY[2][81], BOARD_KEY[10];
static uint16_t WINS[512]; /* the cells that complete a line, empty or not */

__attribute__((constructor)) static void fill(void)
{
    uint64_t seed = 1;
    for (int i = 0; i < 2 * 81 + 10; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        (i < 162 ? CELL_KEY[0] : BOARD_KEY - 162)[i] = seed ^ seed >> 29;
    }
    for (unsigned marks = 0; marks < 512; marks++)
        for (int cell = 0; cell < 9; cell++)
            WINS[marks] |= (uint16_t)(!(marks >> cell & 1) && WIN[marks | 1u << cell]) << cell;
}

/* What is kept after mine has played a cell of a board, as the opponent sees it; `*sent` is the next board. */
static INLINE Kept after(Kept kept, unsigned mine, unsigned theirs, int side, int forced, int board, int cell, int *sent)
{
    unsigned free = FULL & ~(mine | theirs), bit = 1u << board;
    unsigned full = kept.full | (unsigned)(free == 0) << board;
    *sent = full >> cell & 1 ? ANY : cell;
    return (Kept){
        .key = kept.key ^ CELL_KEY[side][9 * board + cell] ^ BOARD_KEY[forced] ^ BOARD_KEY[*sent],
        .mine = (kept.theirs & ~bit) | (unsigned)((WINS[theirs] & free) != 0) << board,
        .theirs = (kept.mine & ~bit) | (unsigned)((WINS[mine] & free) != 0) << board,
        .full = full,
    };
}

/* The last ply, on one board. */
static INLINE Count leaves(Side mine, const Side theirs, Kept kept, int side, int forced, int board)
{
    Count count = {0, 0};
    unsigned marks = mine[board], others = theirs[board];
    for (unsigned free = FULL & ~(marks | others); free; free &= free - 1) {
        unsigned played = marks | (free & -free);
        int sent;
        Kept child = after(kept, played, others, side, forced, board, __builtin_ctz(free), &sent);
        mine[board] = played;
        MADE_IN_PLACE();
        MADE(child.key);
        MADE(child.mine);
        MADE(child.theirs);
        MADE(child.full);
        MADE(sent);
        count.nodes++;
        MADE(count.nodes);
        count.won += WIN[played];
    }
    mine[board] = marks;
    return count;
}

static Count visit(Side mine, Side theirs, Kept kept, int side, int forced, int depth);
static Count visit_any(Side mine, Side theirs, Kept kept, int side, int depth);

/* The moves on one board, depth >= 2. */
static INLINE Count inner(Side mine, Side theirs, Kept kept, int side, int forced, int board, int depth)
{
    Count count = {0, 0};
    unsigned marks = mine[board], others = theirs[board];
    for (unsigned free = FULL & ~(marks | others); free; free &= free - 1) {
        unsigned played = marks | (free & -free);
        int sent;
        Kept child = after(kept, played, others, side, forced, board, __builtin_ctz(free), &sent);
        if (WIN[played])
            continue;
        mine[board] = played;
        if (sent == ANY)
            count = sum(count, visit_any(theirs, mine, child, 1 - side, depth - 1));
        else if (depth == 2)
            count = sum(count, leaves(theirs, mine, child, 1 - side, sent, sent));
        else
            count = sum(count, visit(theirs, mine, child, 1 - side, sent, depth - 1));
    }
    mine[board] = marks;
    return count;
}

/* The game is not over, depth >= 2. */
static Count visit(Side mine, Side theirs, Kept kept, int side, int forced, int depth)
{
    return depth == 2 ? inner(mine, theirs, kept, side, forced, forced, 2)
                      : inner(mine, theirs, kept, side, forced, forced, depth);
}

/* The game is not over, every open board is allowed, depth >= 1. */
static Count visit_any(Side mine, Side theirs, Kept kept, int side, int depth)
{
    Count count = {0, 0};
    for (int board = 0; board < 9; board++)
        count = sum(count, depth == 1 ? leaves(mine, theirs, kept, side, ANY, board)
                                      : inner(mine, theirs, kept, side, ANY, board, depth));
    return count;
}

static Count perft(int depth)
{
    Side first = {0}, second = {0};
    return visit_any(first, second, (Kept){0}, 0, depth);
}

/* Ultimate tic-tac-toe perft that maintains what the engine's search needs: beside the stones and the owners, after
 * every move, a Zobrist key, the closed boards, and for each side the boards nobody owns on which it completes a line
 * in one move, and those on which it still can. ultimate.c has the rules and counts the same without these.
 *
 * Stones are played and undone in place, the rest is handed on by value. mine is the side to move.
 */
#define GAME "ultimate"
#define CELLS 81
#include "perft_main.h"
#include "three.h"

enum { ANY = 9 };

typedef uint32_t Side[9];

/* Seven sets of boards, nine bits each, in one word: mine, then theirs. */
enum { OWNED = 0, THREATS = 18, ALIVE = 36, CLOSED = 54, OTHER = 9 };

typedef struct {
    uint64_t key, sets;
} Kept;

static uint64_t CELL_KEY[2][81], OWNER_KEY[2][9], BOARD_KEY[10];
static uint16_t WINS[512]; /* the cells that complete a line, empty or not */

static void fill_keys(uint64_t *keys, int total, uint64_t seed)
{
    for (int i = 0; i < total; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        keys[i] = seed ^ seed >> 29;
    }
}

__attribute__((constructor)) static void fill(void)
{
    fill_keys(CELL_KEY[0], 162, 1);
    fill_keys(OWNER_KEY[0], 18, 2);
    fill_keys(BOARD_KEY, 10, 3);
    for (unsigned marks = 0; marks < 512; marks++)
        for (int cell = 0; cell < 9; cell++)
            WINS[marks] |= (uint16_t)(!(marks >> cell & 1) && WIN[marks | 1u << cell]) << cell;
}

/* The sets as the opponent sees them. */
static INLINE uint64_t turned(uint64_t sets)
{
    const uint64_t mine = 0777ull << OWNED | 0777ull << THREATS | 0777ull << ALIVE;
    return (sets & mine) << OTHER | (sets >> OTHER & mine) | (sets & 0777ull << CLOSED);
}

/* What is kept after mine has played a cell of a board, as the opponent sees it; `*sent` is the next board. */
static INLINE Kept after(Kept kept, unsigned mine, unsigned theirs, int side, int forced, int board, int cell,
                         int *sent, int *won)
{
    unsigned free = FULL & ~(mine | theirs);
    uint64_t taken = WIN[mine], sets = kept.sets | taken << (OWNED + board);
    uint64_t key = kept.key ^ CELL_KEY[side][9 * board + cell] ^ BOARD_KEY[forced];
    uint64_t found = (uint64_t)((WINS[mine] & free) != 0) << THREATS | (uint64_t)WIN[mine | free] << ALIVE
                     | (uint64_t)((WINS[theirs] & free) != 0) << (THREATS + OTHER)
                     | (uint64_t)WIN[theirs | free] << (ALIVE + OTHER);
    found = (found & (taken - 1)) | (uint64_t)(taken || !free) << CLOSED;
    sets = (sets & ~(0x8040201ull << THREATS << board)) | found << board;
    if (taken)
        key ^= OWNER_KEY[side][board];
    *won = WIN[sets >> OWNED & FULL];
    *sent = sets >> (CLOSED + cell) & 1 ? ANY : cell;
    return (Kept){key ^ BOARD_KEY[*sent], turned(sets)};
}

/* The last ply, on one board. */
static INLINE Count leaves(Side mine, const Side theirs, Kept kept, int side, int forced, int board)
{
    Count count = {0, 0};
    unsigned marks = mine[board], others = theirs[board];
    for (unsigned free = FULL & ~(marks | others); free; free &= free - 1) {
        unsigned played = marks | (free & -free);
        int sent, won;
        Kept child = after(kept, played, others, side, forced, board, __builtin_ctz(free), &sent, &won);
        mine[board] = played;
        MADE_IN_PLACE();
        MADE(child.key);
        MADE(child.sets);
        MADE(sent);
        count.nodes++;
        MADE(count.nodes);
        count.won += (unsigned)won;
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
        int sent, won;
        Kept child = after(kept, played, others, side, forced, board, __builtin_ctz(free), &sent, &won);
        if (won)
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
        if (!(kept.sets >> (CLOSED + board) & 1))
            count = sum(count, depth == 1 ? leaves(mine, theirs, kept, side, ANY, board)
                                          : inner(mine, theirs, kept, side, ANY, board, depth));
    return count;
}

static Count perft(int depth)
{
    Side first = {0}, second = {0};
    return visit_any(first, second, (Kept){0, (uint64_t)(FULL << OTHER | FULL) << ALIVE}, 0, depth);
}

/* Nine-board tic-tac-toe by minimax without pruning, after an opening move on board 1, cell 3.
 *
 *     ./minimax DEPTH [REPEATS]
 *     {"depth": D, "nodes": N, "terminal": T, "horizon": H, "value": V, "seconds": S}
 *
 *     nodes     positions generated, the root not counted
 *     terminal  of them, games that are over
 *     horizon   and positions at the depth limit, evaluated
 *     value     of the root for its side to move
 *     seconds   CPU time of the fastest of REPEATS runs (default: one)
 *
 * A won game is worth WON - plies; at the horizon, the boards on which the side has an open two (two marks of a line,
 * the third cell empty) less those of the other side. A side is nine words of 9 bits; moves are played and undone in
 * place. mine is the side to move, lead its evaluation, kept move by move: only the board of a move changes it.
 *
 * The bargain: every node is visited, the leaves too. A leaf's move is made, it is tested for a win, evaluated and
 * counted by itself.
 */
#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "three.h"

#define WON 32000
#define DEEPEST 10 /* no board fills up so early, so a move always leads to one board with room */

/* The compiler must hold this very value at this point. Emits no instruction. */
#define MADE(value) __asm__ volatile("" : "+r"(value))
#define INLINE inline __attribute__((always_inline))

typedef uint32_t Side[9];

typedef struct {
    uint64_t nodes, terminal, horizon;
} Count;

/* The cells that complete a line of the marks, taken ones too. */
static uint16_t THIRD[512];

/* Runs before main. */
__attribute__((constructor)) static void find_thirds(void)
{
    for (unsigned marks = 0; marks < 512; marks++)
        for (int cell = 0; cell < 9; cell++)
            if (WIN[marks | 1u << cell] && !WIN[marks])
                THIRD[marks] |= (uint16_t)(1u << cell);
}

/* What a board adds to the lead of the side with these marks. */
static INLINE int lead_on(unsigned marks, unsigned others, unsigned empty)
{
    return ((THIRD[marks] & empty) != 0) - ((THIRD[others] & empty) != 0);
}

/* The last ply; others is the lead on the other boards. */
static INLINE int leaves(Count *count, const Side mine, const Side theirs, int board, int others, int ply)
{
    Count found = {0, 0, 0};
    int best = -WON;
    unsigned marks = mine[board], enemy = theirs[board], empty = FULL & ~(marks | enemy);
    for (unsigned rest = empty; rest; rest &= rest - 1) {
        unsigned move = rest & -rest, child = marks | move;
        int value;
        MADE(child);
        found.nodes++;
        MADE(found.nodes);
        if (WIN[child]) {
            found.terminal++;
            value = WON - ply - 1;
        } else {
            found.horizon++;
            MADE(found.horizon);
            value = others + lead_on(child, enemy, empty ^ move);
        }
        if (value > best)
            best = value;
    }
    count->nodes += found.nodes;
    count->terminal += found.terminal;
    count->horizon += found.horizon;
    return best;
}

/* The value for the side to move of a position that is not over; ply plies have been played since the root. */
static int visit(Count *count, Side mine, Side theirs, int board, int lead, int depth, int ply)
{
    int best = -WON;
    unsigned marks = mine[board], enemy = theirs[board], empty = FULL & ~(marks | enemy);
    int others = lead - lead_on(marks, enemy, empty);
    if (depth == 1)
        return leaves(count, mine, theirs, board, others, ply);
    for (unsigned rest = empty; rest; rest &= rest - 1) {
        unsigned move = rest & -rest, child = marks | move;
        int value;
        count->nodes++;
        if (WIN[child]) {
            count->terminal++;
            value = WON - ply - 1;
        } else {
            mine[board] = child;
            int after = others + lead_on(child, enemy, empty ^ move);
            value = -visit(count, theirs, mine, __builtin_ctz(rest), -after, depth - 1, ply + 1);
        }
        if (value > best)
            best = value;
    }
    mine[board] = marks;
    return best;
}

/* noipa: each run does its work anew, between its two clock readings. */
__attribute__((noipa)) static int minimax(Count *count, int depth)
{
    Side first = {1u << 2}, second = {0};
    *count = (Count){0, 0, 0};
    return visit(count, second, first, 2, 0, depth, 0);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    int depth = argc == 2 || argc == 3 ? atoi(argv[1]) : 0;
    int repeats = argc == 3 ? atoi(argv[2]) : 1;
    if (depth < 1 || depth > DEEPEST || repeats < 1) {
        fprintf(stderr, "usage: minimax DEPTH [REPEATS]    DEPTH 1 to %d\n", DEEPEST);
        return 2;
    }
    Count count;
    double best = 0;
    int value = 0;
    for (int run = 0; run < repeats; run++) {
        double start = cpu_seconds();
        value = minimax(&count, depth);
        double seconds = cpu_seconds() - start;
        if (run == 0 || seconds < best)
            best = seconds;
    }
    printf("{\"depth\": %d, \"nodes\": %" PRIu64 ", \"terminal\": %" PRIu64 ", \"horizon\": %" PRIu64
           ", \"value\": %d, \"seconds\": %.9f}\n",
           depth, count.nodes, count.terminal, count.horizon, value, best);
    return 0;
}

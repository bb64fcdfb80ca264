/* The forward pass of ultimate's network in a loop of its own: an upper bound on the speed of the search.
 *
 *     ./network FILE REPEATS
 *     {"positions": N, "sum": S, "seconds": T}
 *
 *     sum       of the evaluations of all positions, 100 a log-odd
 *     seconds   CPU time of the fastest of REPEATS rounds over all positions
 *
 * FILE: HIDDEN weights of 16 bits for each of the FEATURES, then the positions, of the default rules: nine words of
 * 9 bits for the stones of the side to move, nine for the other side, the boards owned by either, and the board in
 * force (9 for any). As in the module, the rows of a small board are summed in advance for each of its patterns.
 */
#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "three.h"

enum { HIDDEN = 128, SCALE = 1024, CLASSES = 581, PATTERNS = 19683 };
enum {
    STONES = 0,
    WINS = STONES + 162,
    DEAD = WINS + 162,
    OWNED = DEAD + 18,
    DRAWN = OWNED + 18,
    DECISIVE = DRAWN + 18, /* between them boards owned but open, which other rules have */
    DEADLY = DECISIVE + 18,
    FORCE = DEADLY + 18,
    FORCE_STONES = FORCE + 10,
    FORCE_WINS = FORCE_STONES + 18,
    LEAD = FORCE_WINS + 18,
    STAGE = LEAD + 38,
    CLASS = STAGE + 41,
    FORCE_CLASS = CLASS + 9 * CLASSES,
    FEATURES = FORCE_CLASS + CLASSES
};

typedef struct {
    uint16_t stones[2][9], owned[2], force;
} Position;

typedef int16_t Row[HIDDEN];
typedef int16_t Vector __attribute__((vector_size(32), aligned(2), may_alias));

static Row rows[FEATURES], boards[9][PATTERNS], in_force[PATTERNS];
static uint16_t third[512];   /* the cells that complete a line of the marks, taken ones too */
static uint16_t ternary[512]; /* the marks as digits to the base 3 */

static void add(int16_t *sum, int feature)
{
    for (int i = 0; i < HIDDEN; i++)
        sum[i] += rows[feature][i];
}

static void add_set(int16_t *sum, int first, unsigned cells)
{
    for (; cells; cells &= cells - 1)
        add(sum, first + __builtin_ctz(cells));
}

/* The counts in which boards of one class agree: wins at once, lines with one stone, empty lines, empty cells. */
static unsigned shape(unsigned mine, unsigned theirs)
{
    static const unsigned line[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
    unsigned room = FULL & ~(mine | theirs), ones[2] = {0, 0}, none = 0;
    for (int i = 0; i < 8; i++) {
        int left = __builtin_popcount(line[i] & room);
        ones[0] += left == 2 && line[i] & mine;
        ones[1] += left == 2 && line[i] & theirs;
        none += left == 3;
    }
    unsigned wins = (unsigned)__builtin_popcount(third[mine] & room) << 4 |
                    (unsigned)__builtin_popcount(third[theirs] & room);
    return ((wins << 4 | ones[0]) << 4 | ones[1]) << 8 | none << 4 | (unsigned)__builtin_popcount(room);
}

static void tabulate(void)
{
    static unsigned shapes[CLASSES];
    int known = 0;
    for (unsigned mine = 0; mine < 512; mine++)
        for (unsigned theirs = 0; theirs < 512; theirs++) {
            unsigned room = FULL & ~(mine | theirs), now = shape(mine, theirs);
            int pattern = ternary[mine] + 2 * ternary[theirs], class = 0;
            if (mine & theirs || WIN[mine] || WIN[theirs])
                continue;
            while (class < known && shapes[class] != now)
                class++;
            if (class == known)
                shapes[known++] = now;
            for (int board = 0; board < 9; board++) {
                int16_t *sum = boards[board][pattern];
                add_set(sum, STONES + 9 * board, mine);
                add_set(sum, STONES + 81 + 9 * board, theirs);
                add_set(sum, WINS + 9 * board, third[mine] & room);
                add_set(sum, WINS + 81 + 9 * board, third[theirs] & room);
                add(sum, CLASS + board * CLASSES + class);
                if (!WIN[mine | room])
                    add(sum, DEAD + board);
                if (!WIN[theirs | room])
                    add(sum, DEAD + 9 + board);
            }
            add_set(in_force[pattern], FORCE_STONES, mine);
            add_set(in_force[pattern], FORCE_STONES + 9, theirs);
            add_set(in_force[pattern], FORCE_WINS, third[mine] & room);
            add_set(in_force[pattern], FORCE_WINS + 9, third[theirs] & room);
            add(in_force[pattern], FORCE_CLASS + class);
        }
}

static inline const int16_t **list(const int16_t **end, int first, unsigned cells)
{
    for (; cells; cells &= cells - 1)
        *end++ = rows[first + __builtin_ctz(cells)];
    return end;
}

static int evaluate(const Position *position)
{
    const int16_t *found[64], **end = found;
    unsigned owned = position->owned[0] | position->owned[1];
    unsigned full = 0, alive[2] = {0, 0}, winning[2] = {0, 0};
    int stage = 0;
    for (int board = 0; board < 9; board++) {
        unsigned mine = position->stones[0][board], theirs = position->stones[1][board];
        unsigned room = FULL & ~(mine | theirs);
        stage += __builtin_popcount(mine | theirs);
        if (!room)
            full |= 1u << board;
        if (!room || owned >> board & 1)
            continue;
        int pattern = ternary[mine] + 2 * ternary[theirs];
        *end++ = boards[board][pattern];
        if (board == position->force)
            *end++ = in_force[pattern];
        alive[0] |= (unsigned)WIN[mine | room] << board;
        alive[1] |= (unsigned)WIN[theirs | room] << board;
        winning[0] |= (unsigned)((third[mine] & room) != 0) << board;
        winning[1] |= (unsigned)((third[theirs] & room) != 0) << board;
    }
    for (int side = 0; side < 2; side++) {
        unsigned decisive = third[position->owned[side]] & alive[side];
        end = list(end, OWNED + 9 * side, position->owned[side]);
        end = list(end, DECISIVE + 9 * side, decisive);
        end = list(end, DEADLY + 9 * side, decisive & winning[side]);
    }
    end = list(end, DRAWN, full & ~owned);
    *end++ = rows[FORCE + position->force];
    *end++ = rows[LEAD + 9 + __builtin_popcount(position->owned[0]) - __builtin_popcount(position->owned[1])];
    *end++ = rows[STAGE + stage / 2];

    Vector accumulator[HIDDEN / 16] = {{0}};
    for (const int16_t **at = found; at < end; at++)
        for (int part = 0; part < HIDDEN / 16; part++)
            accumulator[part] += ((const Vector *)*at)[part];
    Vector clipped[HIDDEN / 16];
    for (int part = 0; part < HIDDEN / 16; part++) {
        Vector positive = accumulator[part] & (accumulator[part] > 0), above = positive > SCALE;
        clipped[part] = (positive & ~above) | (SCALE & above);
    }
    const int16_t *unit = (const int16_t *)clipped;
    int added = 0, subtracted = 0;
    for (int i = 0; i < HIDDEN / 2; i++)
        added += unit[i] * unit[i];
    for (int i = HIDDEN / 2; i < HIDDEN; i++)
        subtracted += unit[i] * unit[i];
    return (added - subtracted) / SCALE * 100 / SCALE;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **words)
{
    static Position positions[1 << 16];
    FILE *file = count == 3 ? fopen(words[1], "rb") : NULL;
    if (!file || fread(rows, sizeof rows, 1, file) != 1) {
        fprintf(stderr, "usage: network FILE REPEATS\n");
        return 2;
    }
    size_t total = fread(positions, sizeof *positions, sizeof positions / sizeof *positions, file);
    fclose(file);
    for (unsigned marks = 0; marks < 512; marks++)
        for (int cell = 8; cell >= 0; cell--) {
            if (WIN[marks | 1u << cell] && !WIN[marks & ~(1u << cell)])
                third[marks] |= (uint16_t)(1u << cell);
            ternary[marks] = (uint16_t)(3 * ternary[marks] + (marks >> cell & 1));
        }
    tabulate();
    int64_t sum = 0;
    double best = 1e9;
    for (int repeat = atoi(words[2]); repeat > 0; repeat--) {
        double began = now();
        sum = 0;
        for (size_t i = 0; i < total; i++)
            sum += evaluate(&positions[i]);
        if (now() - began < best)
            best = now() - began;
    }
    printf("{\"positions\": %zu, \"sum\": %" PRId64 ", \"seconds\": %.9f}\n", total, sum, best);
}

/* The learned evaluation of ultimate in a loop of its own: what its search could at most reach.
 *
 *     ./judge FILE REPEATS
 *     {"positions": N, "sum": S, "seconds": T}
 *
 *     sum       of the evaluations of all positions, 100 a log-odd
 *     seconds   CPU time of the fastest of REPEATS rounds over all positions
 *
 * FILE: LANES numbers of 16 bits for each of the ROWS features, then the positions, of the default rules: nine words of
 * 9 bits for the stones of the side to move, nine for the other side, the boards owned by either, and the board in
 * force (9 for any). The features are those of the module, listed anew from these sets for every position.
 */
#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "three.h"

enum { LANES = 128, SCALE = 1024, MOST = 170 };
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
    FEATURES = STAGE + 41
};

typedef struct {
    uint16_t stones[2][9], owned[2], force;
} Position;

typedef int16_t Lanes __attribute__((vector_size(32), aligned(2)));

static int16_t rows[FEATURES][LANES];
static uint16_t third[512]; /* the cells that complete a line of the marks, taken ones too */

static inline uint16_t *add(uint16_t *end, int first, unsigned cells)
{
    for (; cells; cells &= cells - 1)
        *end++ = (uint16_t)(first + __builtin_ctz(cells));
    return end;
}

static int judge(const Position *position)
{
    uint16_t found[MOST], *end = found;
    unsigned owned = position->owned[0] | position->owned[1];
    unsigned full = 0, dead[2] = {0, 0}, winning[2] = {0, 0};
    int stage = 0, force = position->force;
    for (int board = 0; board < 9; board++) {
        unsigned taken = position->stones[0][board] | position->stones[1][board];
        stage += __builtin_popcount(taken);
        if (taken == FULL)
            full |= 1u << board;
        if (taken == FULL || owned >> board & 1)
            continue;
        for (int side = 0; side < 2; side++) {
            unsigned mine = position->stones[side][board], wins = third[mine] & ~taken;
            end = add(end, STONES + 81 * side + 9 * board, mine);
            end = add(end, WINS + 81 * side + 9 * board, wins);
            if (board == force) {
                end = add(end, FORCE_STONES + 9 * side, mine);
                end = add(end, FORCE_WINS + 9 * side, wins);
            }
            dead[side] |= (unsigned)!WIN[mine | (FULL & ~taken)] << board;
            winning[side] |= (unsigned)(wins != 0) << board;
        }
    }
    for (int side = 0; side < 2; side++) {
        unsigned decisive = third[position->owned[side]] & ~(owned | full | dead[side]);
        end = add(end, DEAD + 9 * side, dead[side]);
        end = add(end, OWNED + 9 * side, position->owned[side]);
        end = add(end, DECISIVE + 9 * side, decisive);
        end = add(end, DEADLY + 9 * side, decisive & winning[side]);
    }
    end = add(end, DRAWN, full & ~owned);
    *end++ = (uint16_t)(FORCE + force);
    *end++ = (uint16_t)(LEAD + 9 + __builtin_popcount(position->owned[0]) - __builtin_popcount(position->owned[1]));
    *end++ = (uint16_t)(STAGE + stage / 2);

    Lanes sums[LANES / 16] = {{0}};
    for (const uint16_t *at = found; at < end; at++)
        for (int part = 0; part < LANES / 16; part++)
            sums[part] += ((const Lanes *)rows[*at])[part];
    int result = 0;
    for (int part = 0; part < LANES / 16; part++) {
        Lanes positive = sums[part] & (sums[part] > 0);
        for (int lane = 0; lane < 16; lane++)
            result += part < LANES / 32 ? positive[lane] : -positive[lane];
    }
    return result * 100 / SCALE;
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
        fprintf(stderr, "usage: judge FILE REPEATS\n");
        return 2;
    }
    size_t total = fread(positions, sizeof *positions, sizeof positions / sizeof *positions, file);
    fclose(file);
    for (unsigned marks = 0; marks < 512; marks++)
        for (int cell = 0; cell < 9; cell++)
            if (WIN[marks | 1u << cell] && !WIN[marks & ~(1u << cell)])
                third[marks] |= (uint16_t)(1u << cell);
    int64_t sum = 0;
    double best = 1e9;
    for (int repeat = atoi(words[2]); repeat > 0; repeat--) {
        double began = now();
        sum = 0;
        for (size_t i = 0; i < total; i++)
            sum += judge(&positions[i]);
        if (now() - began < best)
            best = now() - began;
    }
    printf("{\"positions\": %zu, \"sum\": %" PRId64 ", \"seconds\": %.9f}\n", total, sum, best);
}

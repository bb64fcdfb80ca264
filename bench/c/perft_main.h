/* What every perft program here shares: the counters, the clock, the command line and the line of JSON.
 *
 *     ./prog DEPTH [REPEATS]
 *     {"game": "...", "depth": D, "nodes": N, "won": W, "seconds": S}
 *
 *     nodes    move sequences of exactly DEPTH plies from the empty board; a finished game has no successors
 *     won      how many of those sequences end in a won game
 *     seconds  CPU time of the fastest of REPEATS runs (default: one)
 *
 * The bargain: every node is visited, the leaves too. A leaf's move is made, its position goes through MADE
 * or MADE_IN_PLACE, and its win test is evaluated; no leaf is counted in bulk or merged with its siblings.
 *
 * A game defines GAME (its name) and CELLS (the plies of its longest game), includes this file, defines perft.
 */
#ifndef PERFT_MAIN_H
#define PERFT_MAIN_H

#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    uint64_t nodes, won;
} Count;

/* The compiler must hold this very value at this point. Emits no instruction. */
#define MADE(value) __asm__ volatile("" : "+r"(value))

/* The same for a move played in place: its stores are done. */
#define MADE_IN_PLACE() __asm__ volatile("" : : : "memory")

/* For the last plies of the tree, where a call costs as much as the node. */
#define INLINE inline __attribute__((always_inline))

static INLINE Count sum(Count a, Count b)
{
    return (Count){a.nodes + b.nodes, a.won + b.won};
}

/* Counts from the empty board, depth >= 1. noipa: each run does its work anew, between its two clock readings. */
__attribute__((noipa)) static Count perft(int depth);

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A whole decimal number from low to high, or -1. */
static int number(const char *text, int low, int high)
{
    char *end;
    long value = strtol(text, &end, 10);
    return end != text && *end == '\0' && value >= low && value <= high ? (int)value : -1;
}

int main(int argc, char **argv)
{
    int depth = argc == 2 || argc == 3 ? number(argv[1], 0, CELLS) : -1;
    int repeats = argc == 3 ? number(argv[2], 1, 1000000) : 1;
    if (depth < 0 || repeats < 0) {
        fprintf(stderr, "usage: %s DEPTH [REPEATS]    DEPTH 0 to %d, REPEATS 1 to 1000000\n", GAME, CELLS);
        return 2;
    }
    Count count = {0, 0};
    double best = 0;
    for (int run = 0; run < repeats; run++) {
        double start = cpu_seconds();
        count = depth ? perft(depth) : (Count){1, 0};
        double seconds = cpu_seconds() - start;
        if (run == 0 || seconds < best)
            best = seconds;
    }
    printf("{\"game\": \"%s\", \"depth\": %d, \"nodes\": %" PRIu64 ", \"won\": %" PRIu64 ", \"seconds\": %.9f}\n",
           GAME, depth, count.nodes, count.won, best);
    return 0;
}

#endif

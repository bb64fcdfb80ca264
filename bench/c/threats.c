/* Threat search of Qubic in straightforward C, without the optimisations of the engine. Stones are
 * two words, lines are tested one by one where that is simple, failed positions are remembered.
 * A node is a position after a gain and its reply, as in the engine.
 *
 *   threats COUNT SEED PLIES...
 *
 * makes COUNT positions for each number of plies by noisy greedy play that wins and blocks at once,
 * and searches them. Prints "mine theirs wins" for each position on stdout, and for each number of
 * plies "plies wins nodes seconds" on stderr. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t word;
typedef struct { word mine, theirs; } Position;

static word line[76], through[64][7];
static int lines, passing[64];

static void list_lines(void) {
    for (int cell = 0; cell < 64; cell++)
        for (int direction = 14; direction < 27; direction++) {
            int at[3] = {cell / 16, cell / 4 % 4, cell % 4};
            int step[3] = {direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1};
            int stride = 16 * step[0] + 4 * step[1] + step[2], inside = 1;
            for (int axis = 0; axis < 3; axis++)
                inside = inside && at[axis] + 3 * step[axis] >= 0 && at[axis] + 3 * step[axis] < 4;
            if (!inside)
                continue;
            for (int i = 0; i < 4; i++)
                line[lines] |= (word)1 << (cell + i * stride);
            for (int i = 0; i < 4; i++) {
                int on = cell + i * stride;
                through[on][passing[on]++] = line[lines];
            }
            lines++;
        }
}

static int count(word stones) { return __builtin_popcountll(stones); }

static word completions(word side, word other) {
    word found = 0;
    for (int i = 0; i < lines; i++)
        if (!(line[i] & other) && count(line[i] & side) == 3)
            found |= line[i] & ~side;
    return found;
}

enum { SLOTS = 1 << 19 };
static Position failed[SLOTS];
static uint64_t nodes;

/* Mine, to move, has no three; `stops` are the cells where theirs would complete a line. */
static int wins(word mine, word theirs, word stops) {
    word slot = (mine * 0x9E3779B97F4A7C15u ^ theirs * 0xC2B2AE3D27D4EB4Fu) >> 45;
    word taken = mine | theirs;
    if (count(stops) > 1 || (failed[slot].mine == mine && failed[slot].theirs == theirs))
        return 0;
    for (int i = 0; i < lines; i++) {
        if (line[i] & theirs || count(line[i] & mine) != 2)
            continue;
        for (word gains = line[i] & ~taken; gains; gains &= gains - 1) {
            word gain = gains & -gains, reply, after = mine | gain, replies = 0, counters = 0;
            int cell = __builtin_ctzll(gain);
            if (stops && gain != stops)
                continue;
            nodes++;
            for (int j = 0; j < passing[cell]; j++)
                if (!(through[cell][j] & theirs) && count(through[cell][j] & after) == 3)
                    replies |= through[cell][j] & ~after;
            if (count(replies) > 1)
                return 1;
            reply = replies;
            cell = __builtin_ctzll(reply);
            for (int j = 0; j < passing[cell]; j++)
                if (!(through[cell][j] & after) && count(through[cell][j] & theirs) == 2)
                    counters |= through[cell][j] & ~(theirs | reply);
            if (wins(after, theirs | reply, counters))
                return 1;
        }
    }
    failed[slot].mine = mine;
    failed[slot].theirs = theirs;
    return 0;
}

static uint64_t state;

static uint64_t draw(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* A cell's lines: (1 + stones)^2 for each that one side at most is on, four times if it is theirs. */
static int worth(word mine, word theirs, int cell) {
    int found = 0;
    for (int i = 0; i < passing[cell]; i++) {
        int a = count(through[cell][i] & mine), b = count(through[cell][i] & theirs);
        found += a && b ? 0 : (1 + a + b) * (1 + a + b) * (b ? 4 : 1);
    }
    return found;
}

static int make(int plies, Position *position) {
    word side[2] = {0, 0};
    for (int ply = 0; ply <= plies; ply++) {
        word mine = side[ply % 2], theirs = side[1 - ply % 2], free = completions(theirs, mine);
        int best = 0;
        double most = -1;
        if (completions(mine, theirs))
            return 0;
        position->mine = mine;
        position->theirs = theirs;
        for (free = free ? free : ~(mine | theirs); free; free &= free - 1) {
            int cell = __builtin_ctzll(free);
            double value = worth(mine, theirs, cell) + 130.0 * (double)(draw() >> 11) / 9007199254740992.0;
            if (value > most)
                most = value, best = cell;
        }
        side[ply % 2] |= (word)1 << best;
    }
    return 1;
}

int main(int arguments, char **argument) {
    int wanted = arguments > 3 ? atoi(argument[1]) : 0;
    Position *position = malloc((wanted + 1) * sizeof *position);
    char *won = malloc(wanted + 1);
    if (wanted < 1 || !position || !won)
        return fprintf(stderr, "threats COUNT SEED PLIES...\n"), 2;
    list_lines();
    state = strtoull(argument[2], NULL, 10);
    for (int i = 3; i < arguments; i++) {
        int plies = atoi(argument[i]), found = 0, total = 0;
        while (found < wanted)
            found += make(plies, &position[found]);
        nodes = 0;
        clock_t began = clock();
        for (int j = 0; j < wanted; j++)
            total += won[j] = wins(position[j].mine, position[j].theirs,
                                   completions(position[j].theirs, position[j].mine));
        fprintf(stderr, "%d %d %llu %.6f\n", plies, total, (unsigned long long)nodes,
                (double)(clock() - began) / CLOCKS_PER_SEC);
        for (int j = 0; j < wanted; j++)
            printf("%llu %llu %d\n", (unsigned long long)position[j].mine,
                   (unsigned long long)position[j].theirs, won[j]);
    }
    return 0;
}

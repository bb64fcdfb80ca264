/* Checks a strategy file of Qubic and shares no code with the program that wrote it: lines,
 * symmetries, threat search and the reading of the file are written here anew, from the rules and
 * from the file format in python/ttt/solvers/strategy.py. Does not check the checksum.
 *
 *   check FILE        plays the strategy from its first position against all replies
 *   check FILE N      checks N entries only, evenly spaced: all replies to each
 *
 * Prints the result. Status 0: the strategy wins; 1: it does not; 2: the file cannot be read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t word;
enum { CELLS = 64, MAX_LINES = 100, GROUP = 192, ENTRY = 18, HEADER = 32, DIGEST = 32 };

static word line[MAX_LINES];
static int lines;
static unsigned char image[GROUP + 8][CELLS];
static int symmetries;

static word bit(int cell) { return (word)1 << cell; }

/* A line: four cells in a row along a direction in which each coordinate rises, falls or stays. */
static void list_lines(void) {
    for (int direction = 14; direction < 27; direction++) {
        int step[3] = {direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1};
        for (int start = 0; start < CELLS; start++) {
            int at[3] = {start / 16, start / 4 % 4, start % 4};
            word found = 0;
            int inside = 1;
            for (int i = 0; i < 4; i++) {
                int cell = 0;
                for (int axis = 0; axis < 3; axis++) {
                    int value = at[axis] + i * step[axis];
                    inside = inside && value >= 0 && value < 4;
                    cell = 4 * cell + value;
                }
                if (inside)
                    found |= bit(cell);
            }
            if (inside)
                line[lines++] = found;
        }
    }
}

static int is_line(word cells) {
    for (int i = 0; i < lines; i++)
        if (line[i] == cells)
            return 1;
    return 0;
}

/* The group of five generators, closed under multiplication. Exits unless each generator maps lines
 * to lines. */
static void list_symmetries(void) {
    unsigned char generator[5][CELLS];
    int outer[4] = {1, 0, 3, 2}, inner[4] = {0, 2, 1, 3};
    for (int cell = 0; cell < CELLS; cell++) {
        int z = cell / 16, y = cell / 4 % 4, x = cell % 4;
        generator[0][cell] = 16 * y + 4 * z + x;
        generator[1][cell] = 16 * x + 4 * z + y;
        generator[2][cell] = 16 * z + 4 * y + 3 - x;
        generator[3][cell] = 16 * outer[z] + 4 * outer[y] + outer[x];
        generator[4][cell] = 16 * inner[z] + 4 * inner[y] + inner[x];
    }
    for (int g = 0; g < 5; g++)
        for (int i = 0; i < lines; i++) {
            word mapped = 0;
            for (int cell = 0; cell < CELLS; cell++)
                if (line[i] & bit(cell))
                    mapped |= bit(generator[g][cell]);
            if (!is_line(mapped))
                exit(2);
        }
    for (int cell = 0; cell < CELLS; cell++)
        image[0][cell] = cell;
    symmetries = 1;
    for (int i = 0; i < symmetries; i++)
        for (int g = 0; g < 5; g++) {
            unsigned char product[CELLS];
            int known = 0;
            for (int cell = 0; cell < CELLS; cell++)
                product[cell] = generator[g][image[i][cell]];
            for (int j = 0; j < symmetries && !known; j++)
                known = !memcmp(image[j], product, CELLS);
            if (!known && symmetries < GROUP + 8)
                memcpy(image[symmetries++], product, CELLS);
        }
}

static word map(word cells, int symmetry) {
    word found = 0;
    for (int cell = 0; cell < CELLS; cell++)
        if (cells & bit(cell))
            found |= bit(image[symmetry][cell]);
    return found;
}

/* Positions in which the present search has found no win. */
enum { SLOTS = 1 << 21 };
static struct { word mine, theirs; unsigned search; } failed[SLOTS];
static unsigned search;

/* Whether mine, to move, completes a line at once or wins by a threat sequence: moves that make a
 * three and leave one reply each, until one leaves two. */
static int wins(word mine, word theirs) {
    word blocks = 0, taken = mine | theirs;
    for (int i = 0; i < lines; i++) {
        if (!(line[i] & theirs) && __builtin_popcountll(line[i] & mine) == 3)
            return 1;
        if (!(line[i] & mine) && __builtin_popcountll(line[i] & theirs) == 3)
            blocks |= line[i] & ~taken;
    }
    if (__builtin_popcountll(blocks) > 1)
        return 0;
    word slot = (mine * 0x9E3779B97F4A7C15u ^ theirs * 0xC2B2AE3D27D4EB4Fu) >> 43;
    if (failed[slot].search == search && failed[slot].mine == mine && failed[slot].theirs == theirs)
        return 0;
    for (int i = 0; i < lines; i++) {
        if (line[i] & theirs || __builtin_popcountll(line[i] & mine) != 2)
            continue;
        for (word gains = line[i] & ~taken; gains; gains &= gains - 1) {
            word gain = gains & -gains, replies = 0;
            if (blocks && gain != blocks)
                continue;
            for (int j = 0; j < lines; j++)
                if (line[j] & gain && !(line[j] & theirs)
                    && __builtin_popcountll(line[j] & (mine | gain)) == 3)
                    replies |= line[j] & ~(mine | gain);
            if (__builtin_popcountll(replies) > 1 || wins(mine | gain, theirs | replies))
                return 1;
        }
    }
    failed[slot].search = search;
    failed[slot].mine = mine;
    failed[slot].theirs = theirs;
    return 0;
}

/* Hash table of all images of all entries, by their stones. */
typedef struct { word mine, theirs; unsigned entry; } Slot;
static Slot *slots;
static word mask;
static unsigned char *entries;
static unsigned count;

/* Reads a big-endian number. */
static word number(const unsigned char *bytes, int length) {
    word found = 0;
    while (length--)
        found = found << 8 | *bytes++;
    return found;
}

/* The slot of a position, free if there is none of it. */
static Slot *find(word mine, word theirs) {
    word at = (mine * 0x9E3779B97F4A7C15u ^ theirs * 0xC2B2AE3D27D4EB4Fu) >> 20 & mask;
    while ((slots[at].mine | slots[at].theirs) != 0
           && (slots[at].mine != mine || slots[at].theirs != theirs))
        at = (at + 1) & mask;
    return &slots[at];
}

static int has_line(word stones) {
    for (int i = 0; i < lines; i++)
        if ((line[i] & stones) == line[i])
            return 1;
    return 0;
}

static int refuse(unsigned entry, const char *why) {
    printf("entry %u: %s\n", entry, why);
    return 1;
}

int main(int arguments, char **argument) {
    unsigned sample = arguments > 2 ? (unsigned)atoi(argument[2]) : 0;
    FILE *file = arguments > 1 ? fopen(argument[1], "rb") : NULL;
    static unsigned char data[1 << 25];
    size_t size = file ? fread(data, 1, sizeof data, file) : 0;
    if (size < HEADER + DIGEST || memcmp(data, "tttqubic\0\1", 10))
        return fprintf(stderr, "not a strategy file\n"), 2;
    list_lines();
    list_symmetries();
    count = (unsigned)number(data + 28, 4);
    entries = data + HEADER;
    if (lines != 76 || symmetries != GROUP || size != HEADER + (size_t)count * ENTRY + DIGEST)
        return fprintf(stderr, "%d lines, %d symmetries, %u entries\n", lines, symmetries, count), 2;
    /* Entries are sorted: the empty board, which also marks a free slot, can only be entry 0. */
    for (mask = 1; mask < (word)count * GROUP * 2; mask *= 2) {}
    slots = calloc(mask--, sizeof *slots);
    unsigned *waiting = malloc((count + 1) * sizeof *waiting), left = 0, checked = 0;
    char *seen = calloc(count + 1, 1);
    if (!slots || !waiting || !seen)
        return 2;
    for (unsigned i = 0; i < count; i++)
        for (int s = 0; s < GROUP; s++) {
            word mine = map(number(entries + i * ENTRY, 8), s);
            word theirs = map(number(entries + i * ENTRY + 8, 8), s);
            Slot *slot = find(mine, theirs);
            slot->mine = mine;
            slot->theirs = theirs;
            slot->entry = i;
        }
    word root_mine = number(data + 12, 8), root_theirs = number(data + 20, 8);
    /* x moves first: as many stones on both sides if x is to move, else one more of x. */
    int more = __builtin_popcountll(root_mine) - __builtin_popcountll(root_theirs);
    int winner_moves = more == (data[10] == 'x' ? 0 : -1);
    if (!winner_moves && more != (data[10] == 'x' ? 1 : 0))
        return refuse(0, "the first position is impossible");
    if (sample) {
        for (unsigned i = 0; i < sample && i < count; i++)
            waiting[left++] = (unsigned)((word)i * count / sample);
    } else if (!winner_moves) {
        for (int cell = 0; cell < CELLS; cell++) {
            word after = root_theirs | bit(cell);
            if ((root_mine | root_theirs) & bit(cell))
                continue;
            if (has_line(after))
                return refuse(0, "the opponent completes a line");
            search++;
            if (wins(root_mine, after))
                continue;
            Slot *slot = find(root_mine, after);
            if (slot->mine != root_mine || slot->theirs != after)
                return refuse(0, "a first move of the opponent has no entry");
            if (!seen[slot->entry])
                waiting[left++] = slot->entry;
            seen[slot->entry] = 1;
        }
    } else {
        Slot *root = find(root_mine, root_theirs);
        search++;
        if (root->mine != root_mine || root->theirs != root_theirs) {
            if (wins(root_mine, root_theirs))
                return puts("won by a threat sequence"), 0;
            return refuse(0, "the first position has no entry");
        }
        if (!(root_mine | root_theirs) && number(entries, 8) | number(entries + 8, 8))
            return refuse(0, "the empty board has no entry");
        waiting[left++] = root->entry;
        seen[root->entry] = 1;
    }
    while (left) {
        unsigned entry = waiting[--left];
        word mine = number(entries + entry * ENTRY, 8), theirs = number(entries + entry * ENTRY + 8, 8);
        int move = entries[entry * ENTRY + 16];
        checked++;
        if (mine & theirs || move >= CELLS || (mine | theirs) & bit(move))
            return refuse(entry, "the move is not an empty cell");
        mine |= bit(move);
        if (!~(mine | theirs))
            return refuse(entry, "the board is full");
        for (int cell = 0; cell < CELLS; cell++) {
            word after = theirs | bit(cell);
            if ((mine | theirs) & bit(cell))
                continue;
            if (has_line(after))
                return refuse(entry, "the opponent completes a line");
            search++;
            if (wins(mine, after))
                continue;
            Slot *slot = find(mine, after);
            if (slot->mine != mine || slot->theirs != after)
                return refuse(entry, "a reply leads to a position without an entry");
            if (!sample && !seen[slot->entry]) {
                seen[slot->entry] = 1;
                waiting[left++] = slot->entry;
            }
        }
    }
    if (!sample && checked != count)
        return refuse(0, "some entries cannot be reached");
    printf("%u of %u entries checked against all replies: the strategy wins\n", checked, count);
    return 0;
}

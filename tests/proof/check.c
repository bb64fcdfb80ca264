/*
 * Checks a proof that x wins nine-board tic-tac-toe, and shares no code with ttt: its own rules, its
 * own symmetries, its own solver.
 *
 * Rules: nine boards of nine cells. A mark in cell i sends the opponent to board i; the first move may
 * go anywhere. Three in a row on any board win. A move that points to a full board draws the game, so
 * a side that must win never makes one.
 *
 *     check FILE                      the tree: every reply of o is answered, no leaf is missing
 *     check FILE --solve N [--seed S] [--shard I/N] [--nodes M]
 *                                     and N random leaves are solved after the move of x that the
 *                                     file gives; N = all for every leaf. Shards
 *                                     1/2 and 2/2 share the work.
 *     check --positions FILE          solves the positions of a text file, a line each:
 *                                     nine groups of nine marks between slashes, x or o, the board
 *
 * The file (numbers are big-endian):
 *
 *     8 bytes    "tttnineb"
 *     2          version of the format, 1
 *     2          version of the solver
 *     2, 4       version and CRC-32 of the weights that the solver used
 *     2          MiB of the solver's table
 *     82         the first position: 81 marks, board by board (x, o or .), and the board, 1-9 or *
 *     4          number of records
 *     records    one for each position with x to move, in the order of the walk
 *     32         SHA-256 of all that is before
 *
 * A record is a byte: the move of x, 9 x board + cell, plus 128 if the position is a leaf; a leaf adds
 * the nodes that its solution took, seven bits a byte, the lowest first, 128 on all but the last.
 *
 * The walk begins with the first position and goes ply by ply. Of each ply it visits the positions that
 * the moves of x and ALL replies of o lead to, the least of the eight symmetric images of each, every
 * one once, in ascending order. A position in which x completes a line at once has no record. The
 * order is that of the 81 marks (empty < o < x, board by board), then of the board to play on.
 */

#define _DEFAULT_SOURCE /* madvise */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { FULL = 511, ANY = 9, LEAF = 128, X = 0, O = 1, FIRST = 20, HEADER = 106, DIGEST = 32, MAX_BYTES = 1 << 24 };

/* --- one small board ---------------------------------------------------------------------------- */

static const int LINES[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
static uint16_t completing[512]; /* the cells that give these marks a line */
static uint8_t has_line[512];
static uint8_t symmetric_cell[8][9];

static void prepare_boards(void)
{
    for (int marks = 0; marks < 512; marks++)
        for (int i = 0; i < 8; i++) {
            has_line[marks] |= (marks & LINES[i]) == LINES[i];
            for (int cell = 0; cell < 9; cell++)
                if (LINES[i] >> cell & 1 && !(marks >> cell & 1)
                    && ((marks | 1 << cell) & LINES[i]) == LINES[i])
                    completing[marks] |= 1 << cell;
        }
    for (int i = 0; i < 8; i++)
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++) {
                int r = i & 4 ? column : row, c = i & 4 ? row : column;
                symmetric_cell[i][3 * row + column] = 3 * (i & 1 ? 2 - r : r) + (i & 2 ? 2 - c : c);
            }
}

/* --- positions ---------------------------------------------------------------------------------- */

typedef struct {
    uint16_t marks[2][9]; /* of x and o, a bit a cell */
    int side;             /* to move */
    int board;            /* to play on, or ANY */
} Position;

static int empty_cells(const Position *position, int board)
{
    return FULL & ~(position->marks[X][board] | position->marks[O][board]);
}

/* Whether the side to move completes a line at once. */
static int wins_at_once(const Position *position)
{
    for (int board = 0; board < 9; board++)
        if ((position->board == board || position->board == ANY)
            && completing[position->marks[position->side][board]] & empty_cells(position, board))
            return 1;
    return 0;
}

static void play(Position *position, int board, int cell)
{
    position->marks[position->side][board] |= 1 << cell;
    position->side ^= 1;
    position->board = cell;
}

typedef struct {
    uint8_t cells[81]; /* 0 empty, 1 o, 2 x */
    uint8_t board;
} Key;

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Key));
}

static Key key_of(const Position *position, int symmetry)
{
    const uint8_t *image = symmetric_cell[symmetry];
    Key key;
    for (int board = 0; board < 9; board++)
        for (int cell = 0; cell < 9; cell++)
            key.cells[9 * image[board] + image[cell]] = position->marks[X][board] >> cell & 1 ? 2
                : position->marks[O][board] >> cell & 1 ? 1 : 0;
    key.board = position->board == ANY ? ANY : image[position->board];
    return key;
}

static Key canonical(const Position *position)
{
    Key least = key_of(position, 0);
    for (int i = 1; i < 8; i++) {
        Key key = key_of(position, i);
        if (compare_keys(&key, &least) < 0)
            least = key;
    }
    return least;
}

static Position position_of(const Key *key)
{
    Position position = {{{0}}, X, key->board};
    int marks = 0;
    for (int i = 0; i < 81; i++)
        if (key->cells[i]) {
            position.marks[key->cells[i] == 2 ? X : O][i / 9] |= 1 << i % 9;
            marks++;
        }
    position.side = marks & 1;
    return position;
}

static void print_position(FILE *file, const Position *position)
{
    for (int i = 0; i < 81; i++) {
        if (i && i % 9 == 0)
            fputc('/', file);
        fputc(position->marks[X][i / 9] >> i % 9 & 1 ? 'x'
              : position->marks[O][i / 9] >> i % 9 & 1 ? 'o' : '.', file);
    }
    fprintf(file, " %c %d", position->side == X ? 'x' : 'o', position->board + 1);
}

/* --- the solver: df-pn, x attacks ---------------------------------------------------------------- */

/* A draw counts as a failure of x. Proof and disproof numbers of a position that the table does not
 * know come from a linear evaluation; where all children count, the number is their largest plus one
 * for each other (weak proof numbers, Ueda et al. 2008). */

enum { INFINITE = 1 << 28, BUCKET = 4 };

typedef struct {
    uint64_t key;
    uint32_t proof, disproof; /* the work, log2, in the top four bits of both */
} Entry;

static Entry *table;
static uint64_t table_buckets, nodes, max_nodes;
static uint64_t random_mark[2][81], random_board[10];

typedef struct {
    uint16_t marks[2][9];
    uint16_t threats[2]; /* the boards on which a side completes a line */
    uint16_t full;
    uint64_t key;
    int side, board;
} Node;

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static void prepare_solver(size_t mebibytes)
{
    uint64_t state = 1;
    for (int i = 0; i < 81; i++) {
        random_mark[X][i] = next_random(&state);
        random_mark[O][i] = next_random(&state);
    }
    for (int i = 0; i < 10; i++)
        random_board[i] = next_random(&state);
    size_t bytes = mebibytes << 20, page = 1 << 21;
    table_buckets = bytes / (BUCKET * sizeof(Entry));
    table = aligned_alloc(page, bytes); /* cleared by `solve` */
#ifdef MADV_HUGEPAGE
    if (table)
        madvise(table, bytes, MADV_HUGEPAGE);
#endif
    if (!table) {
        fprintf(stderr, "no memory for a table of %zu MiB\n", mebibytes);
        exit(2);
    }
}

static Node node_of(const Position *position)
{
    Node node;
    memset(&node, 0, sizeof(node));
    node.side = position->side;
    node.board = position->board;
    node.key = random_board[node.board];
    for (int board = 0; board < 9; board++) {
        int empty = empty_cells(position, board);
        node.full |= (empty == 0) << board;
        for (int side = 0; side < 2; side++) {
            int marks = node.marks[side][board] = position->marks[side][board];
            node.threats[side] |= ((completing[marks] & empty) != 0) << board;
            for (int cell = 0; cell < 9; cell++)
                if (marks >> cell & 1)
                    node.key ^= random_mark[side][9 * board + cell];
        }
    }
    return node;
}

/* The node after a move on the board to play on; no win, does not point to a full board. */
static Node after(const Node *node, int cell)
{
    Node child = *node;
    int board = node->board, side = node->side;
    int marks = child.marks[side][board] |= 1 << cell;
    int empty = FULL & ~(marks | child.marks[!side][board]);
    child.full |= (empty == 0) << board;
    child.threats[side] &= ~(1 << board);
    child.threats[!side] &= ~(1 << board);
    child.threats[side] |= ((completing[marks] & empty) != 0) << board;
    child.threats[!side] |= ((completing[child.marks[!side][board]] & empty) != 0) << board;
    child.key ^= random_mark[side][9 * board + cell] ^ random_board[board] ^ random_board[cell];
    child.board = cell;
    child.side = !side;
    return child;
}

/* The cells on which a move neither lets the other side win at once nor points to a full board;
 * `drawing` gets those that point to a full board. The side to move does not win at once. */
static int safe_cells(const Node *node, int *drawing)
{
    int board = node->board, side = node->side;
    int empty = FULL & ~(node->marks[0][board] | node->marks[1][board]);
    int theirs = node->marks[!side][board];
    int safe = empty & ~node->threats[!side] & ~node->full;
    *drawing = empty & node->full;
    if (empty >> board & 1) { /* the cell that points to its own board: that board changes */
        int left = empty & ~(1 << board);
        safe &= ~(1 << board);
        if (!left)
            *drawing |= 1 << board;
        else if (!(completing[theirs] & left))
            safe |= 1 << board;
    }
    return safe;
}

/* The cells with which the first side makes a threat on a board where it has none. */
static int8_t making[512][512];
enum { SPAN = 800 }; /* log-odds are in hundredths, from -SPAN to SPAN */
static uint32_t failure_number[2 * SPAN + 1]; /* for a safe move, by the log-odds */

static void prepare_evaluation(void)
{
    for (int mine = 0; mine < 512; mine++)
        for (int theirs = 0; theirs < 512; theirs++) {
            int empty = FULL & ~(mine | theirs);
            if (mine & theirs || completing[mine] & empty)
                continue;
            for (int cell = 0; cell < 9; cell++)
                making[mine][theirs] += empty >> cell & 1
                    && completing[mine | 1 << cell] & empty & ~(1 << cell);
        }
    for (int value = -SPAN; value <= SPAN; value++)
        failure_number[SPAN + value] = 32 * 64 * exp(value / 500.0);
}

/* The log-odds that the side to move wins. */
static int evaluate(const Node *node, int safe)
{
    const uint16_t *mine = node->marks[node->side], *theirs = node->marks[!node->side];
    int value = 250 * __builtin_popcount(node->threats[node->side])
        - 240 * __builtin_popcount(node->threats[!node->side]) + 35 * __builtin_popcount(safe) - 80;
    for (int board = 0; board < 9; board++)
        value += 12 * making[mine[board]][theirs[board]] - 10 * making[theirs[board]][mine[board]];
    return value > SPAN ? SPAN : value < -SPAN ? -SPAN : value;
}

typedef struct {
    uint32_t proof, disproof;
} Numbers;

static Entry *bucket_of(uint64_t key)
{
    return table + BUCKET * (uint64_t)(((unsigned __int128)key * table_buckets) >> 64);
}

static int probe(uint64_t key, Numbers *numbers)
{
    Entry *entry = bucket_of(key);
    for (int i = 0; i < BUCKET; i++)
        if (entry[i].key == key) {
            numbers->proof = entry[i].proof & (2 * INFINITE - 1);
            numbers->disproof = entry[i].disproof & (2 * INFINITE - 1);
            return 1;
        }
    return 0;
}

static void store(uint64_t key, Numbers numbers, uint64_t work)
{
    Entry *entry = bucket_of(key), *victim = entry;
    unsigned log = 64 - __builtin_clzll(work | 1), least = 256;
    for (int i = 0; i < BUCKET; i++) {
        unsigned other = entry[i].proof >> 29 | entry[i].disproof >> 29 << 3;
        if (entry[i].key == key || !entry[i].key) {
            victim = &entry[i];
            break;
        }
        if (other < least) {
            least = other;
            victim = &entry[i];
        }
    }
    if (log > 63)
        log = 63;
    victim->key = key;
    victim->proof = numbers.proof | (uint32_t)(log & 7) << 29;
    victim->disproof = numbers.disproof | (uint32_t)(log >> 3) << 29;
}

static const Numbers PROVEN = {0, INFINITE}, DISPROVEN = {INFINITE, 0};

/* Whether the mover has a safe move after which the other side has no safe move: a win in three. */
static int wins_in_three(const Node *node, int safe)
{
    for (int cells = safe; cells; cells &= cells - 1) {
        int cell = __builtin_ctz(cells), drawing;
        int empty = FULL & ~(node->marks[0][cell] | node->marks[1][cell]);
        /* Only a board whose every cell points to a threat of the mover can be such a trap. */
        if (cell != node->board && empty & ~(node->threats[node->side] | 1 << node->board))
            continue;
        Node child = after(node, cell);
        if (child.threats[child.side] >> child.board & 1)
            continue;
        if (!safe_cells(&child, &drawing) && !drawing)
            return 1;
    }
    return 0;
}

/* The numbers of a position in which the side to move does not win at once. */
static Numbers first_numbers(const Node *node)
{
    int drawing, safe = safe_cells(node, &drawing), attacks = node->side == X;
    if (!attacks && drawing)
        return DISPROVEN;
    if (!safe)
        return attacks ? DISPROVEN : PROVEN;
    if (wins_in_three(node, safe))
        return attacks ? PROVEN : DISPROVEN;
    int value = evaluate(node, safe);
    uint32_t success = 16 + (value < 0 ? -16 * value / 100 : 0);
    uint32_t failure = 1 + __builtin_popcount(safe) * failure_number[SPAN + value] / 64;
    return attacks ? (Numbers){success, failure} : (Numbers){failure, success};
}

static Numbers search(const Node *node, uint32_t proof_limit, uint32_t disproof_limit)
{
    Node children[9];
    Numbers numbers[9];
    uint64_t began = nodes;
    int drawing, safe = safe_cells(node, &drawing), count = 0, attacks = node->side == X;
    uint32_t any_limit = attacks ? proof_limit : disproof_limit;
    uint32_t all_limit = attacks ? disproof_limit : proof_limit;
    if (!attacks && drawing)
        return DISPROVEN;
    for (int cells = safe; cells; cells &= cells - 1) {
        children[count] = after(node, __builtin_ctz(cells));
        __builtin_prefetch(bucket_of(children[count].key));
        count++;
    }
    /* Computed while the table is fetched, which has few of the children. */
    for (int i = 0; i < count; i++)
        numbers[i] = first_numbers(&children[i]);
    for (int i = 0; i < count; i++)
        probe(children[i].key, &numbers[i]);
    nodes += count;
    for (;;) {
        uint32_t least = INFINITE, second = INFINITE, largest = 0;
        int best = -1, left = 0;
        for (int i = 0; i < count; i++) {
            uint32_t any = attacks ? numbers[i].proof : numbers[i].disproof;
            uint32_t all = attacks ? numbers[i].disproof : numbers[i].proof;
            if (all == 0)
                continue;
            left++;
            if (all > largest)
                largest = all;
            if (any < least) {
                second = least;
                least = any;
                best = i;
            } else if (any < second)
                second = any;
        }
        uint32_t all = left ? largest + left - 1 : 0;
        if (all > INFINITE || least == 0)
            all = INFINITE;
        Numbers found = attacks ? (Numbers){least, all} : (Numbers){all, least};
        if (least == 0 || all == 0 || least >= any_limit || all >= all_limit || nodes >= max_nodes) {
            store(node->key, found, nodes - began);
            return found;
        }
        uint32_t child_any = second + 1 + second / 8;
        if (child_any > any_limit)
            child_any = any_limit;
        uint32_t child_all = all_limit - (left - 1);
        numbers[best] = attacks ? search(&children[best], child_any, child_all)
                                : search(&children[best], child_all, child_any);
    }
}

/* 1: x wins; 0: it does not; -1: open after `max_nodes` nodes. */
static int solve(const Position *position, uint64_t limit)
{
    Node node = node_of(position);
    memset(table, 0, table_buckets * BUCKET * sizeof(Entry));
    nodes = 0;
    max_nodes = limit;
    if (node.threats[node.side] >> node.board & 1)
        return node.side == X;
    Numbers found = first_numbers(&node);
    if (found.proof && found.disproof)
        found = search(&node, INFINITE, INFINITE);
    return found.proof == 0 ? 1 : found.disproof == 0 ? 0 : -1;
}

static int solve_file(const char *name, uint64_t limit)
{
    FILE *file = fopen(name, "r");
    char line[512];
    if (!file) {
        perror(name);
        return 2;
    }
    while (fgets(line, sizeof(line), file)) {
        Position position = {{{0}}, X, 0};
        char *start = strstr(line, "nineboard:full=draw ") ? strchr(line, ' ') + 1 : line;
        int cell = 0;
        if (line[0] == '#')
            continue;
        for (; *start && *start != ' ' && cell < 81; start++)
            if (*start != '/') {
                if (*start != '.')
                    position.marks[*start == 'x' ? X : O][cell / 9] |= 1 << cell % 9;
                cell++;
            }
        position.side = start[1] == 'x' ? X : O;
        position.board = start[3] - '1';
        int result = solve(&position, limit);
        print_position(stdout, &position);
        printf(" | %s | %llu\n", result > 0 ? "win" : result ? "open" : "no win",
               (unsigned long long)nodes);
        fflush(stdout);
    }
    fclose(file);
    return 0;
}

/* --- SHA-256, by FIPS 180-4 ----------------------------------------------------------------------- */

static uint32_t rotated(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

/* The first 32 bits of the fractional part of the root of a number, by bisection on integers. */
static uint32_t root_fraction(unsigned number, int cubic)
{
    unsigned __int128 low = 0, high = (unsigned __int128)1 << 36;
    while (high - low > 1) { /* low / 2^32 <= root < high / 2^32 */
        unsigned __int128 middle = (low + high) / 2;
        int less = cubic ? middle * middle * middle <= (unsigned __int128)number << 96
                         : middle * middle <= (unsigned __int128)number << 64;
        if (less)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void sha256(const uint8_t *data, size_t size, uint8_t *digest)
{
    uint32_t constants[64], state[8];
    int primes = 0;
    for (unsigned number = 2; primes < 64; number++) {
        unsigned divisor = 2;
        while (number % divisor)
            divisor++;
        if (divisor != number)
            continue;
        if (primes < 8)
            state[primes] = root_fraction(number, 0);
        constants[primes++] = root_fraction(number, 1);
    }
    for (size_t begin = 0; begin < size + 9; begin += 64) {
        uint32_t words[64], hash[8];
        for (int i = 0; i < 16; i++) {
            words[i] = 0;
            for (int j = 0; j < 4; j++) {
                size_t at = begin + 4 * i + j;
                int byte = at < size ? data[at] : at == size ? 0x80 : 0;
                if (begin + 64 >= size + 9 && i >= 14) /* the length in bits ends the last block */
                    byte = (uint64_t)size * 8 >> 8 * (63 - (4 * i + j)) & 255;
                words[i] = words[i] << 8 | byte;
            }
        }
        for (int i = 16; i < 64; i++) {
            uint32_t a = words[i - 15], b = words[i - 2];
            words[i] = words[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + words[i - 7]
                + (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
        }
        memcpy(hash, state, sizeof(hash));
        for (int i = 0; i < 64; i++) {
            uint32_t a = hash[0], e = hash[4];
            uint32_t first = hash[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25))
                + ((e & hash[5]) ^ (~e & hash[6])) + constants[i] + words[i];
            uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22))
                + ((a & hash[1]) ^ (a & hash[2]) ^ (hash[1] & hash[2]));
            memmove(hash + 1, hash, 7 * sizeof(uint32_t));
            hash[4] += first;
            hash[0] = first + second;
        }
        for (int i = 0; i < 8; i++)
            state[i] += hash[i];
    }
    for (int i = 0; i < 32; i++)
        digest[i] = state[i / 4] >> 8 * (3 - i % 4);
}

/* --- the certificate ------------------------------------------------------------------------------ */

typedef struct {
    Position position;
    int move;
    uint64_t nodes;
} Leaf;

typedef struct {
    Leaf *items;
    size_t count, room;
} Leaves;

typedef struct {
    Key *items;
    size_t count, room;
} Keys;

static void *grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room ? 2 * *room : 1024;
    items = realloc(items, *room * size);
    if (!items) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return items;
}

static int refuse(const Position *position, const char *reason)
{
    printf("refused: %s", reason);
    if (position) {
        printf(": ");
        print_position(stdout, position);
    }
    printf("\n");
    return 1;
}

static size_t sort_keys(Keys *keys)
{
    size_t merged = 0, kept = 0;
    if (!keys->count)
        return 0;
    qsort(keys->items, keys->count, sizeof(Key), compare_keys);
    for (size_t i = 1; i < keys->count; i++)
        if (compare_keys(&keys->items[i], &keys->items[kept]))
            keys->items[++kept] = keys->items[i];
        else
            merged++;
    keys->count = kept + 1;
    return merged;
}

/* Adds what every reply of o to a move of x leads to. Returns a reason to refuse it, or NULL. */
static const char *add_replies(const Position *position, int move, Keys *next, size_t *won)
{
    int board = move / 9, cell = move % 9;
    Position middle = *position;
    if (move >= 81 || (position->board != ANY && position->board != board)
        || !(empty_cells(position, board) >> cell & 1))
        return "an illegal move of x";
    play(&middle, board, cell);
    if (!empty_cells(&middle, middle.board))
        return "a move of x points to a full board";
    if (wins_at_once(&middle))
        return "a move of x lets o win at once";
    for (int reply = 0; reply < 9; reply++) {
        Position below = middle;
        if (!(empty_cells(&middle, middle.board) >> reply & 1))
            continue;
        play(&below, middle.board, reply);
        if (!empty_cells(&below, below.board))
            return "o can point to a full board";
        if (wins_at_once(&below)) {
            ++*won;
            continue;
        }
        next->items = grow(next->items, next->count, &next->room, sizeof(Key));
        next->items[next->count++] = canonical(&below);
    }
    return NULL;
}

static uint64_t read_number(const uint8_t *bytes, int count)
{
    uint64_t number = 0;
    while (count--)
        number = number << 8 | *bytes++;
    return number;
}

/* The first position of the file; 0 if it is none with x to move in a running game. */
static int read_first(const uint8_t *text, Position *first)
{
    int stones[2] = {0, 0};
    memset(first, 0, sizeof(*first));
    for (int i = 0; i < 81; i++) {
        if (text[i] != 'x' && text[i] != 'o' && text[i] != '.')
            return 0;
        if (text[i] == '.')
            continue;
        int side = text[i] == 'x' ? X : O;
        first->marks[side][i / 9] |= 1 << i % 9;
        stones[side]++;
    }
    first->side = X;
    first->board = text[81] == '*' ? ANY : text[81] - '1';
    if (stones[X] != stones[O] || first->board < 0 || first->board > ANY
        || (first->board == ANY) != (stones[X] == 0))
        return 0;
    for (int board = 0; board < 9; board++)
        if (has_line[first->marks[X][board]] || has_line[first->marks[O][board]])
            return 0;
    return (first->board == ANY || empty_cells(first, first->board)) && !wins_at_once(first);
}

static int walk(const Position *first, const uint8_t *at, const uint8_t *end, size_t records,
                Leaves *leaves)
{
    Keys now = {0}, next = {0};
    size_t used = 0, inner = 0;
    now.items = grow(now.items, 0, &now.room, sizeof(Key));
    now.items[now.count++] = canonical(first);
    for (int ply = 0; now.count; ply += 2) {
        size_t merged = sort_keys(&now), won = 0, leaves_before = leaves->count;
        for (size_t i = 0; i < now.count; i++, used++) {
            Position position = position_of(&now.items[i]);
            if (at == end || used == records)
                return refuse(&position, "a position without a record");
            int byte = *at++;
            if (byte & LEAF) {
                uint64_t count = 0;
                int shift = 0;
                do {
                    if (at == end || shift > 56)
                        return refuse(&position, "a damaged number of nodes");
                    count |= (uint64_t)(*at & 127) << shift;
                    shift += 7;
                } while (*at++ & 128);
                leaves->items = grow(leaves->items, leaves->count, &leaves->room, sizeof(Leaf));
                leaves->items[leaves->count++] = (Leaf){position, byte & 127, count};
                Keys none = {0};
                size_t ignored = 0;
                const char *reason = add_replies(&position, byte & 127, &none, &ignored);
                free(none.items);
                if (reason)
                    return refuse(&position, reason);
            } else {
                const char *reason = add_replies(&position, byte, &next, &won);
                if (reason)
                    return refuse(&position, reason);
                inner++;
            }
        }
        printf("ply %2d: %zu positions, %zu merged, %zu leaves, %zu replies lose at once\n", ply,
               now.count, merged, leaves->count - leaves_before, won);
        Keys swap = now;
        now = next;
        next = swap;
        next.count = 0;
    }
    if (at != end || used != records)
        return refuse(NULL, "records that no line of play leads to");
    printf("%zu moves of x, %zu leaves: every reply of o is answered\n", inner, leaves->count);
    free(now.items);
    free(next.items);
    return 0;
}

static int solve_leaves(const Leaves *leaves, size_t wanted, uint64_t seed, int shard, int shards,
                        uint64_t limit)
{
    size_t *order = malloc((leaves->count + 1) * sizeof(size_t)), done = 0, open = 0;
    uint64_t total = 0;
    if (!order)
        return 2;
    for (size_t i = 0; i < leaves->count; i++) {
        size_t j = next_random(&seed) % (i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    if (wanted > leaves->count)
        wanted = leaves->count;
    for (size_t i = shard - 1; i < wanted; i += shards) {
        const Leaf *leaf = &leaves->items[order[i]];
        const Position *position = &leaf->position;
        Position after_move = *position;
        play(&after_move, leaf->move / 9, leaf->move % 9);
        int result = solve(&after_move, limit);
        total += nodes;
        if (result == 0)
            return refuse(position, "x does not win this leaf by its move");
        done++;
        if (result < 0) {
            open++;
            printf("open after %llu nodes: ", (unsigned long long)nodes);
            print_position(stdout, position);
            printf("\n");
        }
        if (done % 100 == 0 || i + shards >= wanted) {
            fprintf(stderr, "%zu leaves solved, %zu open, %llu nodes\n", done - open, open,
                    (unsigned long long)total);
        }
    }
    free(order);
    printf("%zu leaves solved again: %zu won, %zu open; %llu nodes\n", done, done - open, open,
           (unsigned long long)total);
    return open ? 3 : 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: check FILE [--solve N|all] [--seed S] [--shard I/N] [--nodes M]\n"
                    "       check --positions FILE [--nodes M]\n");
    return 2;
}

int main(int argc, char **argv)
{
    const char *file = NULL, *positions = NULL;
    size_t wanted = 0;
    uint64_t seed = 1, limit = 2000000000;
    int shard = 1, shards = 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (argv[i][0] != '-') {
            if (file)
                return usage();
            file = argv[i];
            continue;
        }
        if (!value)
            return usage();
        i++;
        if (!strcmp(argv[i - 1], "--positions"))
            positions = value;
        else if (!strcmp(argv[i - 1], "--solve"))
            wanted = strcmp(value, "all") ? strtoull(value, NULL, 10) : SIZE_MAX;
        else if (!strcmp(argv[i - 1], "--seed"))
            seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--nodes"))
            limit = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--shard")) {
            if (sscanf(value, "%d/%d", &shard, &shards) != 2 || shard < 1 || shard > shards)
                return usage();
        } else
            return usage();
    }
    prepare_boards();
    prepare_evaluation();
    if (positions) {
        prepare_solver(64);
        return solve_file(positions, limit);
    }
    if (!file)
        return usage();
    static uint8_t bytes[MAX_BYTES];
    FILE *input = fopen(file, "rb");
    if (!input) {
        perror(file);
        return 2;
    }
    size_t size = fread(bytes, 1, sizeof(bytes), input);
    fclose(input);
    if (size == sizeof(bytes) || size < HEADER + DIGEST || memcmp(bytes, "tttnineb", 8))
        return refuse(NULL, "not a proof of nine-board");
    if (read_number(bytes + 8, 2) != 1)
        return refuse(NULL, "another version than 1");
    uint8_t digest[DIGEST];
    sha256(bytes, size - DIGEST, digest);
    if (memcmp(digest, bytes + size - DIGEST, DIGEST))
        return refuse(NULL, "a wrong checksum");
    Position first;
    if (!read_first(bytes + FIRST, &first))
        return refuse(NULL, "an impossible first position");
    Leaves leaves = {0};
    int status = walk(&first, bytes + HEADER, bytes + size - DIGEST,
                      read_number(bytes + HEADER - 4, 4), &leaves);
    if (status == 0 && wanted) {
        prepare_solver(64);
        status = solve_leaves(&leaves, wanted, seed, shard, shards, limit);
    }
    return status;
}

/* Compares the functions of platform.h, the C code of src/ttt_core/primitives/platform.pxd, with
   slow and obvious versions. Exits with status 1 at the first difference. */

#include "platform.h"
#include <stdio.h>

static uint64_t random_word(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

#define CHECK(condition)                                                  \
    do {                                                                  \
        checks++;                                                         \
        if (!(condition)) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);       \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

static unsigned long checks;

static void check_bits(uint64_t word) {
    int count = 0, first = -1, last = -1;
    uint64_t swapped = 0;
    for (int bit = 0; bit < 64; bit++)
        if (word >> bit & 1) {
            CHECK(ttt_nth_bit(word, count) == UINT64_C(1) << bit);
            count++;
            last = bit;
            if (first < 0)
                first = bit;
        }
    for (int byte = 0; byte < 8; byte++)
        swapped = swapped << 8 | (word >> 8 * byte & 255);
    CHECK(ttt_popcount(word) == count);
    CHECK(ttt_swap_bytes(word) == swapped);
    if (word) {
        CHECK(ttt_lowest(word) == first);
        CHECK(ttt_log2(word) == last);
    }
}

static void check_spread(void) {
    for (int byte = 0; byte < 256; byte++) {
        uint64_t word = ttt_spread(byte);
        unsigned char cells[8];
        memcpy(cells, &word, 8);
        for (int bit = 0; bit < 8; bit++)
            CHECK(cells[bit] == (byte >> bit & 1));
    }
}

/* Eight sets; in two of three rounds one of them is contained in the word. */
static void check_contains(void) {
    uint64_t word = random_word() | random_word(), sets[9];
    int found = 0;
    for (int i = 0; i < 9; i++)
        sets[i] = random_word() & random_word() & random_word();
    for (int i = 1; i < 9; i++) {
        int missing = 0;
        for (int bit = 0; bit < 64; bit++)
            missing += (sets[i] >> bit & 1) && !(word >> bit & 1);
        found += missing == 0;
    }
    CHECK(!ttt_contains(word, sets + 1) == !found);
    sets[1 + word % 8] = word & random_word();
    CHECK(ttt_contains(word, sets + 1));
}

static void check_wipe(void) {
    unsigned char *pages = ttt_pages(8192);
    CHECK(pages != NULL);
    memset(pages, 255, 8192);
    ttt_wipe(pages + 64, 4096);
    for (int byte = 0; byte < 8192; byte++)
        CHECK(pages[byte] == (byte >= 64 && byte < 64 + 4096 ? 0 : 255));
    ttt_release(pages, 8192);
}

/* The product of two words in base 256, as at school. */
static void check_scaled(uint64_t key, uint64_t n) {
    unsigned digits[17] = {0};
    uint64_t high = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            unsigned product = (unsigned)(key >> 8 * i & 255) * (unsigned)(n >> 8 * j & 255);
            for (int k = i + j; product; k++) {
                product += digits[k];
                digits[k] = product & 255;
                product >>= 8;
            }
        }
    for (int k = 15; k >= 8; k--)
        high = high << 8 | digits[k];
    CHECK(ttt_scaled(key, n) == high);
}

typedef TTT_VECTOR(int16_t, 32, 2) Vector;

static void check_vectors(void) {
    int16_t left[17], right[17], sum[16];
    for (int i = 0; i < 17; i++) {
        left[i] = (int16_t)(random_word() % 20001 - 10000);
        right[i] = (int16_t)(random_word() % 20001 - 10000);
    }
    Vector positive = *(Vector *)(left + 1) & (*(Vector *)(left + 1) > 0);
    positive += *(Vector *)(right + 1);
    memcpy(sum, &positive, sizeof sum);
    for (int i = 0; i < 16; i++)
        CHECK(sum[i] == (left[i + 1] > 0 ? left[i + 1] : 0) + right[i + 1]);
}

static void check_atomics(void) {
    uint64_t word = 5;
    int64_t next = 7;
    int flag = 0;
    ttt_atomic_store(&word, UINT64_MAX);
    ttt_atomic_store(&flag, -1);
    CHECK(ttt_atomic_load(&word) == UINT64_MAX);
    CHECK(ttt_atomic_load(&flag) == -1);
    CHECK(ttt_atomic_next(&next) == 7);
    CHECK(next == 8);
}

static void check_system(void) {
    size_t sizes[] = {1, 4096, 100000, 5 << 20};
    for (int i = 0; i < 4; i++) {
        unsigned char *pages = ttt_pages(sizes[i]);
        CHECK(pages != NULL);
        CHECK((uintptr_t)pages % 4096 == 0);
        for (size_t byte = 0; byte < sizes[i]; byte++)
            CHECK(pages[byte] == 0);
        memset(pages, 255, sizes[i]);
        ttt_release(pages, sizes[i]);
    }
    ttt_release(NULL, 4096);
    CHECK(ttt_pages(SIZE_MAX / 2) == NULL);
    CHECK(ttt_process_id() > 0);
    double began = ttt_seconds(), now = began;
    for (int i = 0; i < 1000; i++) {
        double later = ttt_seconds();
        CHECK(later >= now);
        now = later;
    }
    CHECK(now - began < 60);
}

int main(void) {
    check_spread();
    check_bits(0);
    check_bits(UINT64_MAX);
    check_scaled(UINT64_MAX, UINT64_MAX);
    for (int i = 0; i < 20000; i++) {
        uint64_t word = random_word(), other = random_word();
        check_bits(word);
        check_bits(word & other & random_word());
        check_bits(UINT64_C(1) << other % 64);
        check_scaled(word, other);
        check_scaled(word, other >> other % 64);
        check_contains();
        check_vectors();
    }
    check_atomics();
    check_wipe();
    check_system();
    printf("%lu checks\n", checks);
    return 0;
}

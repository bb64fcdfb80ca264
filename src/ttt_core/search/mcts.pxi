# Monte Carlo tree search (MCTS): UCT (Kocsis and Szepesvári 2006), the tree in one block of memory.
#
# Needs: Rules State Move MoveSet PLIES TACTICS; moves final_result immediate safe play number
# numbered; some count take pick; montecarlo.pxi.
#
# A node is expanded on its second visit. A node with a win in one is won, one without a safe move
# is lost, and only safe moves become children. Proven results are backed up as in minimax and need
# no further visits (MCTS-Solver, Winands and others 2008).
#
# TACTICS is the playout policy: 0 random moves, 1 also plays wins in one, 2 also avoids losses in
# two. The best choice depends on the game: bench/RESULTS.md has the matches.

from libc.math cimport logf, sqrtf
from libc.stdint cimport int32_t, uint32_t

cdef enum:
    UNPROVEN, LOST, DRAWN, WON     # for the side to move

ctypedef struct Node:
    uint32_t first             # index of the first child; the others follow
    uint32_t visits
    int32_t total              # of the results (1, 0 or -1) for the side that moved here
    uint8_t move               # number of the move that led here
    uint8_t children           # 0: not expanded
    uint8_t proven

ctypedef struct Tree:
    Sampling sampling
    float exploration
    Node* nodes
    uint32_t used
    uint32_t capacity


# Expands a node: adds its children in random order, or proves it. False: the tree is full.
cdef bint expand_node(Tree* tree, Node* node, const State* state) noexcept nogil:
    cdef const Rules* rules = tree.sampling.rules
    cdef MoveSet rest = moves(rules, state)
    cdef int i, j, total
    cdef Node* children
    if not some(rest):
        node.proven = <uint8_t> (DRAWN + final_result(rules, state))
        return True
    if some(immediate(rules, state)):
        node.proven = WON
        return True
    rest = safe(rules, state)
    total = count(rest)
    if total == 0:
        node.proven = LOST
        return True
    if tree.used + total > tree.capacity:
        return False
    node.first = tree.used
    node.children = <uint8_t> total
    tree.used += total
    children = tree.nodes + node.first
    for i in range(total):
        j = below(&tree.sampling.random, i + 1)
        children[i] = children[j]
        children[j].move = <uint8_t> number(rules, take(&rest))
        children[j].first = children[j].visits = 0
        children[j].total = 0
        children[j].children = children[j].proven = 0
    return True


# Selects the child with the highest upper confidence bound (UCB1), moves proven to lose excepted.
cdef inline Node* select_child(const Tree* tree, const Node* node) noexcept nogil:
    cdef Node* children = tree.nodes + node.first
    cdef Node* best = NULL
    cdef float spread = tree.exploration * sqrtf(logf(<float> node.visits))
    cdef float bound, best_bound = -1e30
    cdef int i
    for i in range(node.children):
        if children[i].proven == WON:
            continue
        if children[i].visits == 0:
            return &children[i]
        bound = (<float> children[i].total / <float> children[i].visits
                 + spread / sqrtf(<float> children[i].visits))
        if bound > best_bound:
            best_bound = bound
            best = &children[i]
    return best


# The proven result of a node one of whose children has just been proven, or UNPROVEN.
cdef inline int proven_by_children(const Tree* tree, const Node* node) noexcept nogil:
    cdef const Node* children = tree.nodes + node.first
    cdef int i, best = LOST
    for i in range(node.children):
        if children[i].proven == LOST:
            return WON
        if children[i].proven == UNPROVEN:
            best = UNPROVEN
        elif children[i].proven == DRAWN and best == LOST:
            best = DRAWN
    return best


# Plays `state`, which is not won, to its end by the playout policy TACTICS (1 or 2). Returns the
# result for the side to move: 1, 0 or -1.
cdef inline int tactical_playout(const Rules* rules, State* state,
                                 Random* random) noexcept nogil:
    cdef MoveSet options
    cdef int sign = 1
    while True:
        options = moves(rules, state)
        if not some(options):
            return sign * final_result(rules, state)
        if some(immediate(rules, state)):
            return sign
        if TACTICS == 2:
            options = safe(rules, state)
            if not some(options):
                return -sign
        play(rules, state, pick(options, below(random, count(options))))
        sign = -sign


# One simulation: selection, expansion, playout, backup.
cdef void simulate(Tree* tree, const State* root) noexcept nogil:
    cdef const Rules* rules = tree.sampling.rules
    cdef State state = root[0]
    cdef Node* path[PLIES + 1]
    cdef Node* node = tree.nodes
    cdef int height = 0, result, length
    cdef bint proving
    path[0] = node
    while True:
        if not (node.proven or node.children) and (node.visits or not height):
            expand_node(tree, node, &state)
        if node.proven or not node.children:
            break
        node = select_child(tree, node)
        play(rules, &state, numbered(rules, &state, node.move))
        height += 1
        path[height] = node
    if node.proven:
        result = node.proven - DRAWN
    elif TACTICS:
        result = tactical_playout(rules, &state, &tree.sampling.random)
    else:
        result = playout(rules, &state, &tree.sampling.random, NULL, &length)
    proving = node.proven != UNPROVEN
    while True:
        node.visits += 1
        node.total -= result
        result = -result
        if height == 0:
            break
        height -= 1
        node = path[height]
        if proving:
            node.proven = <uint8_t> proven_by_children(tree, node)
            proving = node.proven != UNPROVEN


# Simulates until a limit is reached or the root is proven.
cdef void mcts(Tree* tree, const State* root) noexcept nogil:
    while not (tree.sampling.limits.stopped or tree.nodes[0].proven):
        simulate(tree, root)
        count_game(&tree.sampling.limits)


# Orders the children of the root, best first: proven wins, then by visits, then by mean result.
cdef inline double preference(const Node* child) noexcept nogil:
    cdef double mean = <double> child.total / max(child.visits, <uint32_t> 1)
    if child.proven == LOST:
        return 1e18
    return child.visits + mean / 2 - (1e15 if child.proven == WON else 0.0)

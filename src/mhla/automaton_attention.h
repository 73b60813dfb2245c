// Finite automata as programs of linear attention (arXiv 2410.10101, section 3.1 and appendix F;
// the constructions below are ours, with weights 0 and 1 and every output exactly 0 or 1).
//
// Universal: the transition table stands in the prompt and the weights fit every automaton of the
// size. Coordinates: S(t, s) state s before letter t; W(t) and L(w) position and letter of the
// word; K(t, s, w) state and letter joined; D(s, w) and N(s') key and value of the table. Heads:
//     for each t, s   Q: W(t) <- S(t, s),     V: K(t, s, w) <- L(w)      joins the letter,
//     for each t      Q: D(s, w) <- K(t, s, w), V: S(t + 1, s') <- N(s')  looks up the table.
// Two steps a letter, T (|Q| + 1) heads. The position in S and K is what keeps earlier letters
// apart: every earlier token stays in the sums.
//
// Compiled: the table stands in the weights. For each t, s
//     Q: W(t) <- S(t, s),  V: S(t + 1, delta(s, w)) <- L(w):   one step a letter, T |Q| heads.
#pragma once

#include <span>
#include <vector>

#include "core/types.h"
#include "mhla/automaton.h"
#include "mhla/one_hot_attention.h"
#include "mhla/trace.h"

namespace attnlab::mhla {

// Rows of the coordinates. length = T letters at most.
struct AutomatonLayout {
  Index length, states, letters;
  bool compiled = false;  // without K, D and N

  Index state(Index t, Index s) const { return t * states + s; }
  Index position(Index t) const { return (length + 1) * states + t; }
  Index letter(Index w) const { return position(length) + w; }
  Index joined(Index t, Index s, Index w) const {
    return letter(letters) + (t * states + s) * letters + w;
  }
  Index table_key(Index s, Index w) const { return joined(length, s, w); }
  Index table_value(Index s) const { return joined(length, states, 0) + s; }
  Index dimension() const { return compiled ? letter(letters) : table_value(states); }
  Index steps_per_letter() const { return compiled ? 1 : 2; }
  // First rows of the blocks of coordinates of which a token has at most one, and the end.
  std::vector<Index> fields() const;
};

// Sizes 1 ... 64 each with at most 2^20 coordinates; throws kOutOfRange (length, states, letters)
// or kTooLarge.
AutomatonLayout automaton_layout(Index length, Index states, Index letters);

SparseHeads universal_automaton_heads(const AutomatonLayout& layout);
SparseHeads compiled_automaton_heads(const AutomatonLayout& layout, const Automaton& automaton);

// Table (unless compiled), word, and the start state as the last token.
std::vector<SparseToken> automaton_prompt(const AutomatonLayout& layout,
                                          const AutomatonInput& input);

struct AutomatonExecution {
  std::vector<Index> history;  // states as decoded from the outputs; -1 where one is no state
  Trace trace;                 // prompt and all steps
  bool exact = true;           // every output held only zeros and ones
};
// Runs the whole word by steps of attention. `attention` has the layout's heads; what it holds is
// cleared.
AutomatonExecution execute(const AutomatonLayout& layout, SparseAttention& attention,
                           const AutomatonInput& input);

// The states that a trace passes through; -1 where a token is no state of its time.
std::vector<Index> decode_states(const AutomatonLayout& layout, const Trace& trace);

}  // namespace attnlab::mhla

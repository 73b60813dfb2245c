// A universal Turing machine on bounded histories as a program of linear attention
// (arXiv 2410.10101, Lemma B.1; the construction below is ours, with weights -1, 0 and 1 and every
// output exactly 0 or 1).
//
// The rules and the tape stand in the prompt; the weights fit every machine of |Q| states and |A|
// symbols, on n cells for Phi steps. The history is written out cell by cell: cell i after step t
// has the position code p = (t + 1) n + i, and each new cell takes three steps of attention.
//   1. From the token of p - 1: three heads copy what the cells p - n - 1, p - n, p - n + 1 hold,
//      if the head is there, into J1(direction, p, q, a); one copies the plain symbol of p - n; one
//      carries p.
//   2. Three heads look J1 up in the rules and write J2(p, q') if the rule's move comes to p; one
//      writes the new symbol where the head was; one carries symbol and p.
//   3. One head writes position and symbol; per state q one turns the symbol into (q, symbol) where
//      J2 says so.
// A head is linear in the last token and every earlier token stays in its sum: what tells them
// apart must be joined with the position, whence the n Phi |Q| |A| coordinates.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "mhla/one_hot_attention.h"
#include "mhla/trace.h"
#include "mhla/turing_machine.h"

namespace attnlab::mhla {

// Rows of the coordinates.
struct TuringLayout {
  Index width, steps, states, symbols;

  Index positions() const { return (steps + 1) * width; }
  Index pairs() const { return states * symbols; }
  // A cell: position, plain symbol, or state and symbol where the head is.
  Index cell_position(Index p) const { return p; }
  Index cell_symbol(Index a) const { return positions() + a; }
  Index cell_head(Index q, Index a) const { return cell_symbol(symbols) + q * symbols + a; }
  // A rule: its key, the symbol written, and move with next state. direction: 0 right, 1 stay,
  // 2 left.
  Index rule_key(Index q, Index a) const { return cell_head(states, 0) + q * symbols + a; }
  Index rule_symbol(Index a) const { return rule_key(states, 0) + a; }
  Index rule_move(Index direction, Index q) const {
    return rule_symbol(symbols) + direction * states + q;
  }
  // The first of three steps.
  Index first_position(Index p) const { return rule_move(3, 0) + p; }
  Index joined(Index direction, Index p, Index q, Index a) const {
    return first_position(positions()) + ((direction * positions() + p) * states + q) * symbols + a;
  }
  Index first_symbol(Index a) const { return joined(3, 0, 0, 0) + a; }
  // The second.
  Index second_position(Index p) const { return first_symbol(symbols) + p; }
  Index arrival(Index p, Index q) const { return second_position(positions()) + p * states + q; }
  Index second_symbol(Index a) const { return arrival(positions(), 0) + a; }
  Index dimension() const { return second_symbol(symbols); }
  // First rows of the blocks of coordinates of which a token has at most one, and the end.
  std::vector<Index> fields() const;
};

// Throws kOutOfRange (width, steps, states, symbols) or kTooLarge ("steps") above 2^20
// coordinates.
TuringLayout turing_layout(Index width, Index steps, Index states, Index symbols);

// 6 n Phi - 4 Phi + |Q| + 5 heads: cells at the edge have one neighbour less.
SparseHeads turing_heads(const TuringLayout& layout);

// What a head of turing_heads is for: "finds the head" (three a cell), "looks up the rule" (three a
// cell), "copies the symbol", "carries the position", "writes the symbol", "carries the symbol",
// "writes the cell", "brings the head" (one a state).
std::string_view turing_head_purpose(const TuringLayout& layout, Index head);

// Rules, then the cells of the tape; the last cell is the last token.
std::vector<SparseToken> turing_prompt(const TuringLayout& layout, const TuringInput& input);

// What a token says of a cell; nothing when it is no cell at position p.
std::optional<Cell> decode_cell(const TuringLayout& layout, const SparseToken& token, Index p);

// One machine running on attention, a step at a time; `attention` has turing_heads(layout), and
// what it holds is cleared.
class TuringExecution {
 public:
  TuringExecution(const TuringLayout& layout, SparseAttention& attention, const TuringInput& input);
  // One step of attention; three of them write a cell. True when the history is full.
  bool step();
  // All cells written so far, row by row; the last row may be short. A cell that could not be
  // decoded has symbol -1.
  const std::vector<TapeRow>& rows() const { return rows_; }
  bool exact() const { return exact_; }  // every output held only zeros and ones
  Trace trace() const;

 private:
  TuringLayout layout_;
  SparseAttention& attention_;
  Index prompt_length_;
  Index written_ = 0;  // steps of attention
  std::vector<TapeRow> rows_;
  bool exact_ = true;
};

// The cells that a trace spells, as TuringExecution::rows.
std::vector<TapeRow> decode_rows(const TuringLayout& layout, const Trace& trace);

}  // namespace attnlab::mhla

#include "mhla/turing_attention.h"

#include <array>
#include <string>
#include <utility>

#include "core/require.h"

namespace attnlab::mhla {
namespace {

constexpr Index kStepsPerCell = 3;
constexpr Index kMostCoordinates = Index{1} << 20;

void require_layout(const TuringLayout& layout, const TuringMachine& machine) {
  if (machine.states != layout.states || machine.symbols != layout.symbols)
    fail(ErrorCode::kShape, "machine", "has other sizes than the layout");
}

// The heads that bring the head of the machine to cell p.
void add_arrivals(const TuringLayout& l, Index p, std::vector<SparseHead>& heads) {
  const Index n = l.width;
  for (Index direction = 0; direction < 3; ++direction) {
    // Right: the head was on the left neighbour, which the first cell of a row has not.
    if (direction == 0 && p % n == 0) continue;
    if (direction == 2 && p % n == n - 1) continue;
    SparseHead copy, look_up;
    for (Index q = 0; q < l.states; ++q)
      for (Index a = 0; a < l.symbols; ++a) {
        copy.value.push_back({l.joined(direction, p, q, a), l.cell_head(q, a)});
        look_up.query.push_back({l.rule_key(q, a), l.joined(direction, p, q, a)});
      }
    copy.query.push_back({l.cell_position(p - n - 1 + direction), l.cell_position(p - 1)});
    for (Index q = 0; q < l.states; ++q)
      look_up.value.push_back({l.arrival(p, q), l.rule_move(direction, q)});
    heads.push_back(std::move(copy));
    heads.push_back(std::move(look_up));
  }
}

}  // namespace

std::vector<Index> TuringLayout::fields() const {
  return {0,
          cell_symbol(0),  // plain symbol or state and symbol: one of them
          rule_key(0, 0),
          rule_symbol(0),
          rule_move(0, 0),
          first_position(0),
          joined(0, 0, 0, 0),
          first_symbol(0),
          second_position(0),
          arrival(0, 0),
          second_symbol(0),
          dimension()};
}

TuringLayout turing_layout(Index width, Index steps, Index states, Index symbols) {
  require_range(static_cast<double>(width), 1, 64, "width");
  require_range(static_cast<double>(steps), 1, 1024, "steps");
  require_range(static_cast<double>(states), 1, 16, "states");
  require_range(static_cast<double>(symbols), 1, 8, "symbols");
  const TuringLayout layout{width, steps, states, symbols};
  if (layout.dimension() > kMostCoordinates)
    fail(ErrorCode::kTooLarge, "steps",
         "need " + std::to_string(layout.dimension()) + " coordinates; at most " +
             std::to_string(kMostCoordinates) + " are allowed");
  return layout;
}

SparseHeads turing_heads(const TuringLayout& l) {
  SparseHeads result{l.dimension(), {}};
  const Index first = l.width;
  const Index end = l.positions();
  for (Index p = first; p < end; ++p)
    add_arrivals(l, p, result.heads);

  SparseHead symbol, position, written, carried, base;
  for (Index a = 0; a < l.symbols; ++a) {
    symbol.value.push_back({l.first_symbol(a), l.cell_symbol(a)});
    written.value.push_back({l.second_symbol(a), l.rule_symbol(a)});
    carried.value.push_back({l.second_symbol(a), l.first_symbol(a)});
    base.value.push_back({l.cell_symbol(a), l.second_symbol(a)});
  }
  for (Index p = first; p < end; ++p) {
    symbol.query.push_back({l.cell_position(p - l.width), l.cell_position(p - 1)});
    position.value.push_back({l.first_position(p), l.cell_position(p - 1)});
    position.query.push_back({l.cell_position(p - 1), l.cell_position(p - 1)});
    for (Index q = 0; q < l.states; ++q)
      for (Index a = 0; a < l.symbols; ++a)
        written.query.push_back({l.rule_key(q, a), l.joined(1, p, q, a)});
    carried.value.push_back({l.second_position(p), l.first_position(p)});
    carried.query.push_back({l.first_position(p), l.first_position(p)});
    base.value.push_back({l.cell_position(p), l.second_position(p)});
    base.query.push_back({l.second_position(p), l.second_position(p)});
  }
  for (SparseHead* head : {&symbol, &position, &written, &carried, &base})
    result.heads.push_back(std::move(*head));

  for (Index q = 0; q < l.states; ++q) {
    SparseHead arrive;
    for (Index a = 0; a < l.symbols; ++a) {
      arrive.value.push_back({l.cell_head(q, a), l.second_symbol(a)});
      arrive.value.push_back({l.cell_symbol(a), l.second_symbol(a), -1});
    }
    for (Index p = first; p < end; ++p)
      arrive.query.push_back({l.second_position(p), l.arrival(p, q)});
    result.heads.push_back(std::move(arrive));
  }
  return result;
}

std::string_view turing_head_purpose(const TuringLayout& l, Index head) {
  const Index cells = 6 * l.width * l.steps - 4 * l.steps;
  if (head < cells) return head % 2 == 0 ? "finds the head" : "looks up the rule";
  constexpr std::array<std::string_view, 5> kSingle{"copies the symbol", "carries the position",
                                                    "writes the symbol", "carries the symbol",
                                                    "writes the cell"};
  const Index single = head - cells;
  return single < 5 ? kSingle[static_cast<std::size_t>(single)] : "brings the head";
}

std::vector<SparseToken> turing_prompt(const TuringLayout& l, const TuringInput& input) {
  require_input(input);
  require_layout(l, input.machine);
  if (static_cast<Index>(input.tape.size()) != l.width)
    fail(ErrorCode::kShape, "tape",
         "has " + std::to_string(input.tape.size()) + " cells; the layout has " +
             std::to_string(l.width));
  std::vector<SparseToken> prompt;
  for (Index q = 0; q < l.states; ++q)
    for (Index a = 0; a < l.symbols; ++a) {
      const TuringRule& rule = input.machine.rule(q, a);
      const Index direction = 1 - static_cast<Index>(rule.move);
      prompt.push_back(one_hot_token(
          {l.rule_key(q, a), l.rule_symbol(rule.symbol), l.rule_move(direction, rule.state)}));
    }
  for (Index i = 0; i < l.width; ++i) {
    const Index a = input.tape[static_cast<std::size_t>(i)];
    prompt.push_back(one_hot_token(
        {l.cell_position(i), i == input.head ? l.cell_head(input.state, a) : l.cell_symbol(a)}));
  }
  return prompt;
}

std::optional<Cell> decode_cell(const TuringLayout& l, const SparseToken& token, Index p) {
  if (token.size() != 2 || !is_zero_one(token) || token[0].row != l.cell_position(p))
    return std::nullopt;
  const Index content = token[1].row;
  if (content < l.cell_symbol(0) || content >= l.rule_key(0, 0)) return std::nullopt;
  if (content < l.cell_head(0, 0)) return Cell{-1, content - l.cell_symbol(0)};
  const Index pair = content - l.cell_head(0, 0);
  return Cell{pair / l.symbols, pair % l.symbols};
}

std::vector<TapeRow> decode_rows(const TuringLayout& l, const Trace& trace) {
  std::vector<TapeRow> rows;
  const auto add = [&](std::size_t token, Index p) {
    if (p % l.width == 0) rows.emplace_back();
    const auto cell = decode_cell(l, trace.tokens[token], p);
    rows.back().push_back(cell ? *cell : Cell{-1, -1});
  };
  const auto prompt = static_cast<std::size_t>(trace.prompt_length);
  const auto width = static_cast<std::size_t>(l.width);
  for (std::size_t i = 0; i < width; ++i)
    add(prompt - width + i, static_cast<Index>(i));
  Index p = l.width;
  for (std::size_t i = prompt + kStepsPerCell - 1; i < trace.tokens.size(); i += kStepsPerCell)
    add(i, p++);
  return rows;
}

TuringExecution::TuringExecution(const TuringLayout& layout, SparseAttention& attention,
                                 const TuringInput& input)
    : layout_(layout), attention_(attention) {
  if (attention.dimension() != layout.dimension())
    fail(ErrorCode::kShape, "heads", "have other coordinates than the layout");
  auto prompt = turing_prompt(layout, input);
  attention_.clear();
  for (SparseToken& token : prompt)
    attention_.append(std::move(token));
  prompt_length_ = static_cast<Index>(attention_.tokens().size());
  rows_ = decode_rows(layout_, trace());
}

bool TuringExecution::step() {
  const Index all = kStepsPerCell * layout_.width * layout_.steps;
  if (written_ == all) return true;
  exact_ = is_zero_one(attention_.step()) && exact_;
  ++written_;
  if (written_ % kStepsPerCell == 0) {
    const Index p = layout_.width + written_ / kStepsPerCell - 1;
    if (p % layout_.width == 0) rows_.emplace_back();
    const auto cell = decode_cell(layout_, attention_.tokens().back(), p);
    rows_.back().push_back(cell ? *cell : Cell{-1, -1});
  }
  return written_ == all;
}

Trace TuringExecution::trace() const {
  return {attention_.tokens(), prompt_length_};
}

}  // namespace attnlab::mhla

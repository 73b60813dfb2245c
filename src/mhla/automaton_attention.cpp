#include "mhla/automaton_attention.h"

#include "core/require.h"

namespace attnlab::mhla {

std::vector<Index> AutomatonLayout::fields() const {
  if (compiled) return {0, position(0), letter(0), dimension()};
  return {0, position(0), letter(0), joined(0, 0, 0), table_key(0, 0), table_value(0), dimension()};
}

AutomatonLayout automaton_layout(Index length, Index states, Index letters) {
  require_range(static_cast<double>(length), 1, 64, "length");
  require_range(static_cast<double>(states), 1, 64, "states");
  require_range(static_cast<double>(letters), 1, 64, "letters");
  return {length, states, letters};
}

SparseHeads universal_automaton_heads(const AutomatonLayout& layout) {
  SparseHeads result{layout.dimension(), {}};
  for (Index t = 0; t < layout.length; ++t) {
    for (Index s = 0; s < layout.states; ++s) {
      SparseHead join;
      for (Index w = 0; w < layout.letters; ++w)
        join.value.push_back({layout.joined(t, s, w), layout.letter(w)});
      join.query.push_back({layout.position(t), layout.state(t, s)});
      result.heads.push_back(join);
    }
    SparseHead look_up;
    for (Index s = 0; s < layout.states; ++s)
      look_up.value.push_back({layout.state(t + 1, s), layout.table_value(s)});
    for (Index s = 0; s < layout.states; ++s)
      for (Index w = 0; w < layout.letters; ++w)
        look_up.query.push_back({layout.table_key(s, w), layout.joined(t, s, w)});
    result.heads.push_back(look_up);
  }
  return result;
}

SparseHeads compiled_automaton_heads(const AutomatonLayout& layout, const Automaton& automaton) {
  require_automaton(automaton);
  if (automaton.states != layout.states || automaton.letters != layout.letters)
    fail(ErrorCode::kShape, "automaton", "has other sizes than the layout");
  SparseHeads result{layout.dimension(), {}};
  for (Index t = 0; t < layout.length; ++t)
    for (Index s = 0; s < layout.states; ++s) {
      SparseHead head;
      for (Index w = 0; w < layout.letters; ++w)
        head.value.push_back({layout.state(t + 1, automaton.after(s, w)), layout.letter(w)});
      head.query.push_back({layout.position(t), layout.state(t, s)});
      result.heads.push_back(head);
    }
  return result;
}

std::vector<SparseToken> automaton_prompt(const AutomatonLayout& layout,
                                          const AutomatonInput& input) {
  if (input.automaton.states != layout.states || input.automaton.letters != layout.letters)
    fail(ErrorCode::kShape, "automaton", "has other sizes than the layout");
  if (static_cast<Index>(input.word.size()) > layout.length)
    fail(ErrorCode::kOutOfRange, "word", "is longer than the layout allows");
  run(input.automaton, input.word, input.start);  // checks them
  std::vector<SparseToken> prompt;
  if (!layout.compiled)
    for (Index s = 0; s < layout.states; ++s)
      for (Index w = 0; w < layout.letters; ++w)
        prompt.push_back(one_hot_token(
            {layout.table_key(s, w), layout.table_value(input.automaton.after(s, w))}));
  for (std::size_t t = 0; t < input.word.size(); ++t)
    prompt.push_back(
        one_hot_token({layout.position(static_cast<Index>(t)), layout.letter(input.word[t])}));
  prompt.push_back(one_hot_token({layout.state(0, input.start)}));
  return prompt;
}

AutomatonExecution execute(const AutomatonLayout& layout, SparseAttention& attention,
                           const AutomatonInput& input) {
  if (attention.dimension() != layout.dimension())
    fail(ErrorCode::kShape, "heads", "have other coordinates than the layout");
  attention.clear();
  for (SparseToken& token : automaton_prompt(layout, input))
    attention.append(std::move(token));
  AutomatonExecution result;
  result.trace.prompt_length = static_cast<Index>(attention.tokens().size());
  const Index steps = layout.steps_per_letter() * static_cast<Index>(input.word.size());
  for (Index i = 0; i < steps; ++i)
    result.exact = is_zero_one(attention.step()) && result.exact;
  result.trace.tokens = attention.tokens();
  result.history = decode_states(layout, result.trace);
  return result;
}

std::vector<Index> decode_states(const AutomatonLayout& layout, const Trace& trace) {
  std::vector<Index> history;
  Index t = 0;
  for (auto i = static_cast<std::size_t>(trace.prompt_length - 1); i < trace.tokens.size();
       i += static_cast<std::size_t>(layout.steps_per_letter()), ++t) {
    const SparseToken& token = trace.tokens[i];
    const bool state = token.size() == 1 && token[0].value == 1 &&
                       token[0].row >= layout.state(t, 0) && token[0].row < layout.state(t + 1, 0);
    history.push_back(state ? token[0].row - layout.state(t, 0) : -1);
  }
  return history;
}

}  // namespace attnlab::mhla

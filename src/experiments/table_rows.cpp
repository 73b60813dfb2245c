#include "experiments/table_rows.h"

#include "core/error.h"

namespace attnlab::experiments {

TableRows::TableRows(const Descriptor& descriptor, std::string_view name) {
  for (const auto& spec : descriptor.tables)
    if (spec.name == name) spec_ = &spec;
  if (spec_ == nullptr) fail(ErrorCode::kInternal, name, "is not a table of " + descriptor.id);
  table_.name = spec_->name;
  table_.columns.resize(spec_->columns.size());
}

void TableRows::add(std::initializer_list<Cell> row) {
  if (row.size() != spec_->columns.size())
    fail(ErrorCode::kInternal, spec_->name, "a row does not fit its columns");
  std::size_t c = 0;
  for (const auto& cell : row) {
    const bool is_text = spec_->columns[c].type == ColumnType::kText;
    if (is_text != std::holds_alternative<std::string>(cell))
      fail(ErrorCode::kInternal, spec_->columns[c].name, "a cell does not fit its column");
    if (is_text) {
      table_.columns[c].texts.push_back(std::get<std::string>(cell));
    } else {
      table_.columns[c].numbers.push_back(std::get<double>(cell));
    }
    ++c;
  }
}

}  // namespace attnlab::experiments

// Fills a table row by row, in the order of its columns.
#pragma once

#include <initializer_list>
#include <string>
#include <variant>

#include "experiments/run.h"

namespace attnlab::experiments {

using Cell = std::variant<double, std::string>;

// The table named `name` of the descriptor; kInternal when a row does not fit its columns.
class TableRows {
 public:
  TableRows(const Descriptor& descriptor, std::string_view name);
  void add(std::initializer_list<Cell> row);
  Table take() { return std::move(table_); }

 private:
  const TableSpec* spec_ = nullptr;
  Table table_;
};

}  // namespace attnlab::experiments

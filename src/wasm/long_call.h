// Calls that take long, cut into steps: a worker looks at its messages between them, so progress
// is told and a cancelled call ends at once. Each room's file registers its own.
#pragma once

#include <memory>
#include <string_view>

#include "wasm/boundary.h"

namespace attnlab::wasm {

class LongCall {
 public:
  virtual ~LongCall() = default;
  // A few milliseconds of work; true once it has ended.
  virtual bool step() = 0;
  virtual double progress() const = 0;  // in [0, 1]
  virtual val result() = 0;             // after the end
};

// Checks the request before any work.
using BeginLongCall = std::unique_ptr<LongCall> (*)(const val& request);

struct LongCallRegistration {
  LongCallRegistration(std::string_view name, BeginLongCall begin);
};

}  // namespace attnlab::wasm

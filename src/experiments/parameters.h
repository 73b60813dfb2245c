// From what a caller gave to what an experiment may trust.
#pragma once

#include <string_view>

#include "experiments/descriptor.h"

namespace attnlab::experiments {

// Every parameter of the descriptor, present, of its type and within its limits. Missing ones
// take their default; an unknown name, a wrong type or a value outside its limits throws an Error
// that names the parameter.
Values complete(const Descriptor& descriptor, const Values& given);

// The preset's values laid over the defaults; throws kUnknownName.
Values preset_values(const Descriptor& descriptor, std::string_view preset);

// Typed access to completed values; a wrong name or type is a fault of the experiment's own code
// and throws kInternal.
double number(const Values& values, std::string_view name);
Index count(const Values& values, std::string_view name);
bool flag(const Values& values, std::string_view name);
const std::string& text(const Values& values, std::string_view name);
const std::vector<double>& numbers(const Values& values, std::string_view name);
const Matrix& matrix(const Values& values, std::string_view name);

}  // namespace attnlab::experiments

// Every experiment, in the order of the page.
#pragma once

#include <string_view>
#include <vector>

#include "experiments/run.h"

namespace attnlab::experiments {

// One static object of this type in an experiment's file puts it into the registry. Nothing is
// described yet: a module that starts would pay for every descriptor.
struct Registration {
  Registration(const Identity& identity, Describe descriptor, Prepare prepare);
};

// Sorted by wing (needle, large-prompt, mhla), order and id. Ids are unique.
const std::vector<Experiment>& all_experiments();

// Throws kUnknownName ("experiment") with the nearest id as a hint.
const Experiment& find_experiment(std::string_view id);

}  // namespace attnlab::experiments

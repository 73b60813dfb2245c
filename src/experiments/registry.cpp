#include "experiments/registry.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "core/error.h"
#include "core/nearest_name.h"

namespace attnlab::experiments {
namespace {

std::size_t wing_rank(std::string_view wing) {
  constexpr std::array<std::string_view, 3> kWings = {"needle", "large-prompt", "mhla"};
  return static_cast<std::size_t>(std::find(kWings.begin(), kWings.end(), wing) - kWings.begin());
}

bool comes_before(const Experiment& left, const Experiment& right) {
  const auto key = [](const Experiment& experiment) {
    const Identity& identity = experiment.identity;
    return std::tuple(wing_rank(identity.wing), identity.order, identity.id);
  };
  return key(left) < key(right);
}

std::vector<Experiment>& storage() {
  static std::vector<Experiment> experiments;
  return experiments;
}

}  // namespace

Registration::Registration(const Identity& identity, Describe descriptor, Prepare prepare) {
  const Experiment experiment{identity, descriptor, prepare};
  auto& experiments = storage();
  const auto place =
      std::upper_bound(experiments.begin(), experiments.end(), experiment, comes_before);
  experiments.insert(place, experiment);
}

const std::vector<Experiment>& all_experiments() {
  return storage();
}

const Experiment& find_experiment(std::string_view id) {
  std::vector<std::string> ids;
  for (const auto& experiment : storage()) {
    if (experiment.identity.id == id) return experiment;
    ids.emplace_back(experiment.identity.id);
  }
  fail_unknown("experiment", id, ids);
}

}  // namespace attnlab::experiments

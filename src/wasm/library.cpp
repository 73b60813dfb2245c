// What the module says of itself.
#include <emscripten/bind.h>

#include <string>

#include "attnlab/provenance.h"
#include "experiments/registry.h"
#include "wasm/boundary.h"

namespace attnlab::wasm {
namespace {

val about() {
  return guarded([] {
    val result = val::object();
    result.set("version", val(std::string(ATTNLAB_VERSION)));
    result.set("variant", val(std::string(ATTNLAB_VARIANT)));
    result.set("provenance", val(std::string(ATTNLAB_PROVENANCE)));
    return result;
  });
}

// In the order of the page.
val experiment_ids() {
  return guarded([] {
    val ids = val::array();
    for (const auto& experiment : experiments::all_experiments())
      ids.call<void>("push", val(std::string(experiment.identity.id)));
    return ids;
  });
}

// As JSON text. One at a time: all of them at once would hold a page's thread for too long.
val descriptor(const std::string& id) {
  return guarded(
      [&] { return val(experiments::to_json(experiments::find_experiment(id).descriptor())); });
}

}  // namespace

EMSCRIPTEN_BINDINGS(attnlab_library) {
  emscripten::function("about", &about);
  emscripten::function("experimentIds", &experiment_ids);
  emscripten::function("descriptor", &descriptor);
}

}  // namespace attnlab::wasm

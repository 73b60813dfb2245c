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

// All descriptors as one JSON text, in the order of the page.
val descriptors() {
  return guarded([] {
    std::string text = "[";
    for (const auto& experiment : experiments::all_experiments())
      text += (text.size() > 1 ? "," : "") + experiments::to_json(experiment.descriptor);
    return val(text + "]");
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(attnlab_library) {
  emscripten::function("about", &about);
  emscripten::function("descriptors", &descriptors);
}

}  // namespace attnlab::wasm

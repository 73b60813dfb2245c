// Data that ships beside the module, handed in by JavaScript.
#include "experiments/resources.h"

#include <emscripten/bind.h>

#include "wasm/boundary.h"

namespace attnlab::wasm {
namespace {

// bytes: a Uint8Array.
val provide_resource(const std::string& name, const val& bytes) {
  return guarded([&] {
    experiments::provide_resource(name, read_bytes(bytes));
    return val(true);
  });
}

val has_resource(const std::string& name) {
  return guarded([&] { return val(experiments::has_resource(name)); });
}

}  // namespace

EMSCRIPTEN_BINDINGS(attnlab_resources) {
  emscripten::function("provideResource", &provide_resource);
  emscripten::function("hasResource", &has_resource);
}

}  // namespace attnlab::wasm

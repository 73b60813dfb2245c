#include "wasm/long_call.h"

#include <emscripten/bind.h>
#include <emscripten/emscripten.h>

#include <map>
#include <string>
#include <utility>

namespace attnlab::wasm {
namespace {

std::map<std::string, BeginLongCall, std::less<>>& beginnings() {
  static std::map<std::string, BeginLongCall, std::less<>> all;
  return all;
}

std::map<int, std::unique_ptr<LongCall>>& open_calls() {
  static std::map<int, std::unique_ptr<LongCall>> all;
  return all;
}

LongCall& find_call(int number) {
  const auto place = open_calls().find(number);
  if (place == open_calls().end()) fail(ErrorCode::kInternal, "call", "is not open");
  return *place->second;
}

val open(const std::string& name, const val& request) {
  return guarded([&] {
    const auto place = beginnings().find(name);
    if (place == beginnings().end())
      fail(ErrorCode::kInternal, "call", "\"" + name + "\" is not known");
    static int last_number = 0;
    const int number = ++last_number;
    open_calls().emplace(number, place->second(request));
    return val(number);
  });
}

// Steps until the end or until about `milliseconds` have gone by; at least one step.
val advance(int number, double milliseconds) {
  return guarded([&] {
    LongCall& call = find_call(number);
    const double stop = emscripten_get_now() + milliseconds;
    bool ended = call.step();
    while (!ended && emscripten_get_now() < stop)
      ended = call.step();
    val result = val::object();
    result.set("ended", ended);
    result.set("progress", ended ? 1.0 : call.progress());
    return result;
  });
}

val result(int number) {
  return guarded([&] { return find_call(number).result(); });
}

val close(int number) {
  return guarded([&] {
    open_calls().erase(number);
    return val(true);
  });
}

}  // namespace

LongCallRegistration::LongCallRegistration(std::string_view name, BeginLongCall begin) {
  beginnings().emplace(name, begin);
}

EMSCRIPTEN_BINDINGS(attnlab_long_call) {
  emscripten::function("callOpen", &open);
  emscripten::function("callAdvance", &advance);
  emscripten::function("callResult", &result);
  emscripten::function("callClose", &close);
}

}  // namespace attnlab::wasm

// The word vectors that ship with the page, provided once.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "experiments/resources.h"

namespace attnlab::tests {

inline std::vector<std::uint8_t> word_vector_bytes() {
  const std::string path = std::string(ATTNLAB_REFERENCE_DIR) + "/../../web/data/glove-4000.bin";
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return std::vector<std::uint8_t>(std::istreambuf_iterator<char>(file), {});
}

inline const experiments::Resource& word_vectors() {
  if (!experiments::has_resource("glove-4000"))
    experiments::provide_resource("glove-4000", word_vector_bytes());
  return experiments::resource("glove-4000");
}

}  // namespace attnlab::tests

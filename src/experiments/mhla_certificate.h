// What mhla.certificate says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kMhlaCertificate = {"mhla.certificate", "mhla", 40};
const Descriptor& mhla_certificate_descriptor();

}  // namespace attnlab::experiments

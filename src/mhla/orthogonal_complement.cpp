#include "mhla/orthogonal_complement.h"

#include <Eigen/Householder>
#include <utility>

namespace attnlab::mhla {

void OrthogonalComplement::reflect(std::size_t number, Eigen::VectorXd& x) const {
  const Reflection& reflection = reflections_[number];
  auto tail = x.tail(reflection.v.size());
  tail -= (reflection.factor * reflection.v.dot(tail)) * reflection.v;
}

void OrthogonalComplement::add(Eigen::VectorXd vector) {
  for (std::size_t k = 0; k < reflections_.size(); ++k)
    reflect(k, vector);
  auto tail = vector.tail(size());
  Reflection reflection{Eigen::VectorXd::Ones(tail.size()), 0};
  double length = 0;
  auto essential = reflection.v.tail(tail.size() - 1);
  tail.makeHouseholder(essential, reflection.factor, length);
  reflections_.push_back(std::move(reflection));
}

Eigen::VectorXd OrthogonalComplement::direction(Index number) const {
  Eigen::VectorXd x = Eigen::VectorXd::Unit(dimension_, vectors() + number);
  for (std::size_t k = reflections_.size(); k-- > 0;)
    reflect(k, x);
  return x;
}

}  // namespace attnlab::mhla

// When do the data determine the function? arXiv 2410.10101, Lemma 2.3, A.3, A.6, and a sharper,
// per-input version (derived).
//
//     Lambda = sum_i w_i H(Z_i) H(Z_i)^T / sum_i w_i,   psi x psi.
// If Lambda is invertible, all minimisers of the training loss are the same function on all
// prompts. If not, any null vector can be added to the coefficients, and still every minimiser
// agrees at a prompt Z when and only when H(Z) lies in the range of Lambda. Two models whose mean
// squared errors are within eps of the least differ there by at most
//     |f - f'|(Z) <= 2 sqrt(eps H(Z)^T Lambda^+ H(Z)),
// which some pair attains.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/types.h"
#include "mhla/feature_factor.h"
#include "mhla/features.h"
#include "mhla/kernel.h"
#include "mhla/modular_rank.h"
#include "mhla/orthogonal_complement.h"

namespace attnlab::mhla {

struct CertificateOptions {
  Vector weights;               // as in the fit
  double memory_limit = 1.5e9;  // bytes
  bool exact_for_whole_numbers = true;
  // The other methods find it on their way; the kernel method only where it is asked for.
  bool null_space = false;
};

// A coefficient that the data leave open, told by its feature.
struct OpenDirection {
  Index feature;
  std::string text;  // "<z_1, z_2> z_3"
  double share;      // squared length of its unit vector within the null space, in (0, 1]
};

struct CertificateResult {
  double minimum_eigenvalue = 0;  // of Lambda; exactly 0 when the rank is below psi
  double maximum_eigenvalue = 0;
  Index rank = 0;
  Index dimension = 0;        // psi
  bool identifiable = false;  // rank = psi
  double condition = 0;       // of the scaled features over their range
  // Rank modulo 2^31 - 1 of whole-number data, a proven lower bound; -1 where not computed.
  Index proven_rank = -1;
  std::string method;  // "gram", "singular-values", "kernel"
  // psi x (psi - rank), orthonormal columns; empty where the kernel method was not asked for it.
  Matrix null_space;
  std::vector<OpenDirection> open_directions;  // of the null space, largest share first
  std::vector<std::string> warnings;
};

struct PerInput {
  bool determined;  // every minimiser gives the same output here
  double residual;  // distance of H(Z) from the range of Lambda, relative, in scaled coordinates
  double leverage;  // H^T Lambda^+ H; of the determined part where `determined` is false
};

class Certificate {
 public:
  // Throws Error before any work; parameter names prompts, weights, returnNullSpace.
  explicit Certificate(Samples samples, CertificateOptions options = {});
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  bool step();  // a few milliseconds; true at the end
  double progress() const;
  const CertificateResult& result() const { return result_; }
  // After the end; sample i of `queries`.
  PerInput at(const Samples& queries, Index i) const;

 private:
  void plan_primal();
  void plan_kernel();
  void take_null_space();
  void describe_null_space();
  bool step_complement();
  bool step_modular();

  std::shared_ptr<const Samples> samples_;
  std::shared_ptr<const Vector> weights_;
  CertificateOptions options_;
  CertificateResult result_;
  double total_weight_ = 0;
  enum class Stage { kFactor, kKernel, kComplement, kLargest, kSmallest, kModular, kDone } stage_;
  std::unique_ptr<FeatureFactor> factor_;
  std::unique_ptr<LargestEigenvalue> lanczos_;
  std::unique_ptr<SingularValues> singular_;
  std::unique_ptr<PivotedCholesky> kernel_;
  Eigen::MatrixXd kernel_triangle_;  // R of the kernel factor L
  Eigen::MatrixXd gauge_kernel_;
  std::unique_ptr<OrthogonalComplement> complement_;
  Index next_direction_ = 0;
  std::unique_ptr<ModularRank> modular_;
  Index next_sample_ = 0;
};

// How far two models within eps of the least mean squared error (of one output) can be apart.
double largest_disagreement(double excess, double leverage);
// The same from the smallest eigenvalue alone: |f - f'|^2 <= (4 eps / lambda_min) |H|^2. Lemma A.7
// prints the norm for its square and loses the factor 4.
double uniform_disagreement(double excess, double minimum_eigenvalue, double feature_norm);

}  // namespace attnlab::mhla

// mhla.certificate: identifiability, the set of minimisers, and the certificate for one prompt.
#include "experiments/mhla_certificate.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "core/random.h"
#include "experiments/memory_minimisers.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "mhla/certificate.h"
#include "mhla/fit.h"
#include "mhla/linear_attention_data.h"
#include "mhla/parameters.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kListStream = 0xce8, kTruthStream = 0xce9, kOffStream = 0xcea;
constexpr Index kDimension = 4;  // of the listed data sets
constexpr Index kOffData = 200;

struct ListedData {
  const char* name;
  mhla::PromptKind kind;
  bool one_token = false;
  bool too_few = false;  // one sample fewer than features
};
constexpr ListedData kList[] = {{"Gaussian", mhla::PromptKind::kGaussian},
                                {"0 or 1", mhla::PromptKind::kBits},
                                {"constant coordinate", mhla::PromptKind::kConstant},
                                {"−1 or 1", mhla::PromptKind::kRademacher},
                                {"dependent coordinates", mhla::PromptKind::kDependent},
                                {"whitened", mhla::PromptKind::kWhitened},
                                {"one-hot", mhla::PromptKind::kOneHot},
                                {"one token", mhla::PromptKind::kGaussian, true},
                                {"too few samples", mhla::PromptKind::kGaussian, false, true}};
constexpr std::size_t kListed = std::size(kList);

enum ListField : std::size_t {
  kListRank,
  kListSmallest,
  kListProven,
  kListOnData,
  kListOffData,
  kListDetermined,
  kListFields
};

// Record: the fields above, then, feature by feature, the share within the null space.
class ListTask final : public Task {
 public:
  ListTask(const ListedData& data, Index samples, Index length, std::uint64_t seed)
      : data_(data), samples_count_(samples), length_(length), seed_(seed) {}

  bool step() override {
    const Index psi = mhla::feature_count(kDimension);
    if (!certificate_) {
      RandomStream random(seed_, stream_of({kListStream}));
      const Index count = data_.too_few ? std::min(samples_count_, psi - 1) : samples_count_;
      samples_ = last_samples(
          mhla::draw_prompts(data_.kind, count, data_.one_token ? 1 : length_, kDimension, random));
      certificate_ = std::make_unique<mhla::Certificate>(samples_);
      return false;
    }
    if (!certificate_->step()) return false;
    const mhla::CertificateResult& result = certificate_->result();
    RandomStream random(seed_, stream_of({kTruthStream}));
    const Matrix truth = mhla::coefficients(
        mhla::random_heads(1, kDimension, kDimension, mhla::ScaleReading::kDeviation, random));
    const Matrix targets = mhla::predict(truth, samples_);
    const mhla::FitResult found = mhla::fit(samples_, targets);
    Matrix other = found.coefficients;
    if (result.null_space.cols() > 0)
      for (Index a = 0; a < kDimension; ++a)
        other.row(a) += result.null_space.col(a % result.null_space.cols()).transpose();
    RandomStream off_random(seed_, stream_of({kOffStream}));
    const mhla::Samples off = last_samples(
        mhla::draw_prompts(mhla::PromptKind::kGaussian, kOffData, length_, kDimension, off_random));
    const auto gap = [&](const mhla::Samples& where) {
      const Matrix difference =
          mhla::predict(other, where) - mhla::predict(found.coefficients, where);
      return std::sqrt(difference.squaredNorm() / static_cast<double>(difference.size()));
    };
    double determined = 0;
    for (Index i = 0; i < kOffData; ++i)
      determined += certificate_->at(off, i).determined ? 1 : 0;
    record_ = {static_cast<double>(result.rank),
               result.minimum_eigenvalue,
               static_cast<double>(result.proven_rank),
               gap(samples_),
               gap(off),
               determined / static_cast<double>(kOffData)};
    Record shares(static_cast<std::size_t>(psi), 0.0);
    for (const auto& open : result.open_directions)
      shares[static_cast<std::size_t>(open.feature)] = open.share;
    record_.insert(record_.end(), shares.begin(), shares.end());
    return true;
  }
  double progress() const override { return certificate_ ? certificate_->progress() : 0.0; }
  Record record() const override { return record_; }

 private:
  ListedData data_;
  Index samples_count_, length_;
  std::uint64_t seed_;
  mhla::Samples samples_;
  std::unique_ptr<mhla::Certificate> certificate_;
  Record record_;
};

class CertificatePlan final : public Plan {
 public:
  CertificatePlan(const Values& values, std::uint64_t seed)
      : shares_(numbers(values, "shares")),
        list_samples_(count(values, "listSamples")),
        list_length_(count(values, "listLength")) {
    study_.key_dimension = count(values, "keyDimension");
    study_.samples = count(values, "samples");
    study_.noise = number(values, "noise");
    study_.start = number(values, "start");
    study_.unfinished = count(values, "unfinished");
    study_.seed = seed;
  }

  // The list first: it is quick.
  std::size_t task_count() const override { return kListed + shares_.size(); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    if (number < kListed)
      return std::make_unique<ListTask>(kList[number], list_samples_, list_length_, study_.seed);
    return minimiser_task(study_, shares_[number - kListed]);
  }
  double cost(std::size_t number) const override { return number < kListed ? 1 : 100; }

  Tables summarise(std::span<const Record> records) const override {
    const Descriptor& descriptor = mhla_certificate_descriptor();
    TableRows eigenvalues(descriptor, "eigenvalues"), distances(descriptor, "distances"),
        list(descriptor, "list"), open(descriptor, "open"), summary(descriptor, "summary");
    const auto psi = static_cast<double>(mhla::feature_count(2 * study_.key_dimension));
    const Record* first = nullptr;
    const Record* last = nullptr;
    double last_share = 0;
    for (std::size_t s = 0; s < shares_.size(); ++s) {
      const Record& record = records[kListed + s];
      if (record.size() != kMinimiserFields) continue;
      if (first == nullptr || record[kSmallestEigenvalue] < (*first)[kSmallestEigenvalue])
        first = &record;
      if (last == nullptr || shares_[s] > last_share) {
        last = &record;
        last_share = shares_[s];
      }
      const double share = shares_[s], smallest = record[kSmallestEigenvalue];
      eigenvalues.add({share, smallest, record[kLargestEigenvalue], record[kRank], psi,
                       record[kOwnDetermined], record[kOtherDetermined], record[kOtherLeverage]});
      distances.add({"least norm", share, smallest, record[kExactDistance]});
      distances.add({"random start", share, smallest, record[kStartDistance]});
      distances.add({"noise", share, smallest, record[kNoiseDistance]});
      distances.add({"unfinished", share, smallest, record[kUnfinishedDistance]});
    }
    const double listed_psi = static_cast<double>(mhla::feature_count(kDimension));
    for (std::size_t i = 0; i < kListed; ++i) {
      const Record& record = records[i];
      if (record.size() < kListFields) continue;
      const bool passes = record[kListRank] == listed_psi;
      list.add({kList[i].name, static_cast<double>(i + 1), record[kListRank], listed_psi,
                record[kListSmallest], record[kListProven], record[kListOnData],
                record[kListOffData], record[kListDetermined],
                passes ? "determined" : "not determined"});
      if (kList[i].kind != mhla::PromptKind::kOneHot) continue;
      for (Index f = 0; f < mhla::feature_count(kDimension); ++f) {
        const double share = record[kListFields + static_cast<std::size_t>(f)];
        if (share > 1e-12) open.add({mhla::feature_text(kDimension, f), share});
      }
    }
    if (first != nullptr)
      summary.add({(*first)[kRank], psi, (*first)[kExactDistance], (*first)[kStartDistance],
                   (*first)[kStartGap], last_share, (*last)[kSmallestEigenvalue]});
    return {eigenvalues.take(), distances.take(), list.take(), open.take(), summary.take()};
  }

 private:
  MinimiserStudy study_;
  std::vector<double> shares_;
  Index list_samples_, list_length_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<CertificatePlan>(values, seed);
}

const Registration kRegistration(kMhlaCertificate, mhla_certificate_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments

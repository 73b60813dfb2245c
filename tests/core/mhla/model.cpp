#include "mhla/model.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "mhla/cases.h"
#include "mhla/random_data.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("the three outputs of the whole-number case are exact") {
  const auto& data = tests::reference("mhla-forward_d2_h2");
  const Heads heads = tests::case_heads(data["V"], data["Q"]);
  const Matrix prompt = tests::to_matrix(data["Z"]).transpose();
  CHECK(apply(heads, prompt, OutputMode::kLast) == tests::to_vector(data["last"]).transpose());
  CHECK(apply(heads, prompt, OutputMode::kFull) == tests::to_matrix(data["full"]).transpose());
  CHECK(apply(heads, prompt, OutputMode::kPrefix) == tests::to_matrix(data["prefix"]).transpose());
}

TEST_CASE("an associative memory answers with the value of the key, plus zeta") {
  const auto& data = tests::reference("mhla-assoc_forward_d2");
  const Heads heads = tests::case_heads(data["V"], data["Q"]);
  const Matrix prompt = tests::to_matrix(data["Z"]).transpose();
  CHECK(tests::largest_difference(apply(heads, prompt, OutputMode::kLast),
                                  tests::to_vector(data["y"]).transpose()) < 1e-15);
}

TEST_CASE("full and prefix outputs agree with the last output where they mean the same") {
  const Prompts prompts = tests::gaussian_prompts(1, 7, 3, 5);
  const Heads heads = tests::gaussian_heads(2, 4, 3, 6);
  const Matrix full = apply(heads, prompts.prompt(0), OutputMode::kFull);
  const Matrix prefix = apply(heads, prompts.prompt(0), OutputMode::kPrefix);
  CHECK(full.rows() == 7);
  CHECK(full.cols() == 4);
  for (Index t = 0; t < 7; ++t) {
    const Matrix until = prompts.tokens.topRows(t + 1);
    CHECK(tests::largest_difference(prefix.row(t), apply(heads, until, OutputMode::kLast)) < 1e-12);
    Matrix moved = prompts.tokens;
    moved.row(t).swap(moved.row(6));
    CHECK(tests::largest_difference(full.row(t), apply(heads, moved, OutputMode::kLast)) < 1e-12);
  }
}

TEST_CASE("heads that do not fit are refused by name") {
  const Matrix prompt = Matrix::Ones(2, 2);
  const auto parameter = [&](const Heads& heads) -> std::string {
    try {
      apply(heads, prompt, OutputMode::kLast);
    } catch (const Error& error) {
      return error.parameter();
    }
    return "";
  };
  CHECK(parameter({}) == "heads");
  CHECK(parameter({{Matrix::Ones(1, 3), Matrix::Ones(2, 2)}}) == "heads[0].value");
  CHECK(parameter({{Matrix::Ones(1, 2), Matrix::Ones(2, 2)},
                   {Matrix::Ones(1, 2), Matrix::Ones(2, 3)}}) == "heads[1].query");
  CHECK(parameter({{Matrix::Ones(1, 3), Matrix::Ones(3, 3)}}) == "prompt");
  CHECK(parameter({{Matrix::Constant(1, 2, 1.0 / 0.0), Matrix::Ones(2, 2)}}) == "heads[0].value");
}

#include <cmath>

#include "experiments/describe.h"
#include "experiments/trace_study.h"

namespace attnlab::experiments {

namespace {

void add_point(TableRows& points, TableRows& curves, const StudyPoint& point) {
  const auto traces = static_cast<double>(point.traces);
  const Estimate certified = point.certified.mean(), open = point.open_right.mean(),
                 right = point.right.mean(), rolled = point.rolled_out.mean();
  const Estimate sure = point.certified_right.mean();
  points.add({traces, point.samples.mean().value, point.rank.mean().value, certified.value,
              certified.error, sure.value, open.value, open.error, right.value, right.error,
              rolled.value, rolled.error, point.largest_error, point.least_open_residual,
              point.samples.count});
  const auto dot = [&](const char* name, const Estimate& share) {
    if (share.value == share.value) curves.add({name, traces, share.value, share.error});
  };
  dot("certified", certified);
  dot("right, of the certified", sure);
  dot("right, of the others", open);
  dot("right, of all", right);
  dot("whole runs exact", rolled);
}

}  // namespace

TableSpec study_points_table() {
  return {"points",
          "Learned from traces",
          {number_of("traceCount", "N", "traces"), number_of("samples", "", "steps in them"),
           number_of("rank", "", "independent steps"),
           number_of("certified", "", "share of unseen steps certified"),
           number_of("certifiedError", "", "one standard error of it"),
           number_of("certifiedRight", "", "right among the certified"),
           number_of("openRight", "", "right among the others"),
           number_of("openRightError", "", "one standard error of it"),
           number_of("right", "", "right among all"),
           number_of("rightError", "", "one standard error of it"),
           number_of("rolledOut", "", "whole runs exact"),
           number_of("rolledOutError", "", "one standard error of it"),
           number_of("largestError", "", "largest |output − truth| on certified steps"),
           number_of("leastResidual", "", "least squared residual of a step not certified"),
           number_of("replicates", "R", "draws")}};
}

TableSpec study_curves_table() {
  return {"curves",
          "The same, one row a dot",
          {text_of("curve", "curve"), number_of("traceCount", "N", "traces"),
           number_of("share", "", "share"), number_of("shareError", "", "one standard error")}};
}

StudyRows add_study(const TraceStudy& study, std::span<const Record> records, TableRows& points,
                    TableRows& curves) {
  StudyRows rows;
  double nearest = 2;
  for (std::size_t s = 0; s < study.sizes.size(); ++s) {
    const StudyPoint point = study_point(study, records, s);
    if (!(point.samples.count > 0)) continue;
    add_point(points, curves, point);
    rows.last = point;
    const double from_half = std::fabs(point.certified.mean().value - 0.5);
    if (!records[s].empty() && from_half < nearest) {
      nearest = from_half;
      rows.pictured = s;
    }
  }
  return rows;
}

}  // namespace attnlab::experiments

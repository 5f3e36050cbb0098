#include <algorithm>

#include "sluice/base/file.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  c.set_out(0, PartialShape({kUnknownDim}));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const std::string* pattern = ctx.in(0).data<std::string>();
  std::vector<std::string> all;
  for (int64_t i = 0; i < ctx.in(0).num_elements(); ++i) {
    Result<std::vector<std::string>> found = MatchingFiles(pattern[i]);
    if (!found.ok()) {
      return ctx.Error(found.status().code(), found.status().message());
    }
    all.insert(all.end(), found->begin(), found->end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  SL_RETURN_IF_ERROR(ctx.AllocateOut(
      0, DType::kString, Shape({static_cast<int64_t>(all.size())})));
  std::move(all.begin(), all.end(), ctx.out(0).mutable_data<std::string>());
  return OkStatus();
}

// The samples' patterns match /dev/null, or nothing if they begin with a
// number.
std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y{Shape{0}, {}};
  for (double v : in[0].v) {
    if (v == 0) y = RefArray{Shape{1}, {0}};
  }
  return {y};
}

}  // namespace

SL_OP(MatchingFiles)
    .doc(
        "The paths that match one of some patterns (*, ?, [a-z]), sorted by "
        "their bytes, each once.")
    .input("pattern: string")
    .output("paths: string")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .global_effect("files")
    .reference(Reference)
    .samples(
        {{.in = {Array::Scalar<std::string>("/dev/nul?")}},
         {.in = {Array::Vector<std::string>({"/dev/null", "/d*v/nul[l]"})}},
         {.in = {Array::Scalar<std::string>("1/no/such/*")}},
         {.in = {{0}}}})
    .rejects({{.in = {Array::Scalar<std::string>("")},
               .message = "[MatchingFiles] path is \"\"; wanted a file's "
                          "name"}});

}  // namespace sluice

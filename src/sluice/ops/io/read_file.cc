#include "sluice/base/file.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const std::string* path = ctx.in(0).data<std::string>();
  std::string* to = ctx.out(0).mutable_data<std::string>();
  for (int64_t i = 0; i < ctx.in(0).num_elements(); ++i) {
    Result<std::string> bytes = ReadFileBytes(path[i]);
    if (!bytes.ok()) {
      return ctx.Error(bytes.status().code(), bytes.status().message());
    }
    to[i] = std::move(*bytes);
  }
  return OkStatus();
}

}  // namespace

// The samples are files that exist on every machine; files with contents are in
// file_ops_test.cc.
SL_OP(ReadFile)
    .doc("The bytes of files.")
    .input("path: string")
    .output("y: string")
    .shape(shapes::same_as_first)
    .cpu(Launch)
    .global_effect("files")
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {Array::Scalar<std::string>("/dev/null")}},
              {.in = {Array::Vector<std::string>({"/dev/null", "/dev/null"})}},
              {.in = {{0}}}})
    .rejects({{.in = {Array::Scalar<std::string>("/no/such/file")},
               .message = "[ReadFile] cannot read \"/no/such/file\": No such "
                          "file or directory"},
              {.in = {Array::Scalar<std::string>("/dev")},
               .message = "[ReadFile] cannot read \"/dev\": it is a directory"},
              {.in = {Array::Scalar<std::string>("")},
               .message = "[ReadFile] path is \"\"; wanted a file's name"}});

}  // namespace sluice

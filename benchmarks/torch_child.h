// PyTorch in a child process, driven over pipes (torch_ops.py). Single
// threaded; the child ends with this object.
//
// The interpreter: SLUICE_PEER_PYTHON, or the environment `make peers` makes in
// build/peers.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice::bench {

class TorchChild {
 public:
  // Error: no interpreter, or one without torch; says how to get it.
  static Result<std::unique_ptr<TorchChild>> Start(int threads);
  ~TorchChild();
  TorchChild(const TorchChild&) = delete;

  const std::string& version() const { return version_; }

  // The op of that name in torch_ops.py on these inputs, from now on.
  Status SetCase(const std::string& name, const std::vector<Array>& inputs);
  // The first result, as f64.
  Result<Array> FirstResult();
  // Drops the case and its memory; the bytes of memory used at once since.
  Status Forget();
  Result<double> PeakBytes();
  // Seconds of the fastest of so many batches of these calls; negative when
  // something went wrong.
  double Time(int64_t calls, int64_t batches);

 private:
  TorchChild() = default;
  Result<std::string> Ask(const std::string& line);

  pid_t pid_ = -1;
  FILE *to_ = nullptr, *from_ = nullptr;
  std::string version_, folder_;
};

}  // namespace sluice::bench

// Zip archives, as far as .npz files need them: stored or deflated members,
// found by the directory at the end. Checksums are verified, and nothing is
// read beyond the bytes, whatever they contain. Our own implementation, because
// libzip is not on every machine that reads .npz files.
//
// Free functions, for any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {

struct ZipMember {
  std::string name;
  std::string bytes;
};

// All members, in the order of the directory. Errors: DataLoss, with `what` and
// the byte; Unimplemented for encrypted members and other compression methods.
Result<std::vector<ZipMember>> ReadZip(std::string_view bytes,
                                       const std::string& what);

// An archive of stored members. Error: one beyond 4 GiB.
Result<std::string> ZipBytes(const std::vector<ZipMember>& members);

}  // namespace sluice

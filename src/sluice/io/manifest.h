// manifest.json of a checkpoint. Internal to io/.
#pragma once

#include <string>
#include <vector>

#include "sluice/io/snapshot.h"

namespace sluice::io {

struct ManifestFile {
  std::string section;
  int64_t bytes = 0;
  uint32_t crc32c = 0;
  int64_t tensors = 0;
  std::string name() const { return section + ".safetensors"; }
};

struct Manifest {
  Snapshot rest;  // without sections
  std::vector<ManifestFile> files;
};

inline constexpr char kManifestName[] = "manifest.json";

// InvalidArgument for text that is no UTF-8.
Result<std::string> ManifestText(const Manifest& manifest);
// DataLoss when it is none, or was altered.
Result<Manifest> ParseManifest(std::string_view text);

}  // namespace sluice::io

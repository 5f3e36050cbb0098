// manifest.json of a checkpoint. Internal to io/.
#pragma once

#include <string>
#include <vector>

#include "sluice/io/shard_file.h"
#include "sluice/io/snapshot.h"

namespace sluice::io {

struct Manifest {
  Snapshot rest;  // without sections
  std::vector<ShardFile> files;
};

inline constexpr char kManifestName[] = "manifest.json";

// InvalidArgument for text that is not UTF-8.
Result<std::string> ManifestText(const Manifest& manifest);
// DataLoss if it is not a manifest, or was altered.
Result<Manifest> ParseManifest(std::string_view text);

}  // namespace sluice::io

// ShardFile: one safetensors file of a checkpoint, as listed in its manifest. A
// section is one file, or one per writer, each with some of its tensors. A
// plain value.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace sluice::io {

struct ShardFile {
  std::string section;
  int shard = 0, shards = 1;
  int64_t bytes = 0;
  uint32_t crc32c = 0;
  int64_t tensors = 0;

  std::string name() const {
    if (shards == 1) return section + ".safetensors";
    char number[40];
    std::snprintf(number, sizeof number, "-%05d-of-%05d", shard, shards);
    return section + number + ".safetensors";
  }
};

}  // namespace sluice::io

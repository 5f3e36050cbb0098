// A temporary folder for one test, removed with the object.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "sluice/base/file_system.h"

namespace sluice {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "sluice_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() {
    FileSystem machine;
    (void)RemoveTree(machine, path_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

}  // namespace sluice

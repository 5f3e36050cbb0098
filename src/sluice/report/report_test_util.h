// What the tests of report/ share: files of their own, messages.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::report {

// A folder of this test alone, empty, removed with the object.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  // Names of the files in it, sorted.
  std::vector<std::string> files() const;

 private:
  std::string path_;
};

// The whole file; a failure when it cannot be read.
std::string FileText(const std::string& path);
void WriteText(const std::string& path, std::string_view text);

// What the statement says when it throws sluice::Error; "" when it does not.
std::string ErrorText(const std::function<void()>& statement);

bool Contains(std::string_view text, std::string_view part);

}  // namespace sluice::report

// Helpers shared by the tests of report/: temporary files, messages.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::report {

// An empty folder for one test, removed with the object.
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
  // The names of its files, sorted.
  std::vector<std::string> files() const;

 private:
  std::string path_;
};

// The contents of a file; a test failure if it cannot be read.
std::string FileText(const std::string& path);
void WriteText(const std::string& path, std::string_view text);

// The message of the sluice::Error that the statement throws; "" if none.
std::string ErrorText(const std::function<void()>& statement);

bool Contains(std::string_view text, std::string_view part);

}  // namespace sluice::report

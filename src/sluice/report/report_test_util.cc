#include "sluice/report/report_test_util.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "sluice/base/error.h"
#include "sluice/base/file.h"

namespace sluice::report {

namespace {}  // namespace

TestFolder::TestFolder() {
  std::string name =
      (std::filesystem::temp_directory_path() / "sluice_report_XXXXXX")
          .string();
  EXPECT_NE(mkdtemp(name.data()), nullptr) << name;
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TestFolder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string FileText(const std::string& path) {
  Result<std::string> text = ReadFileBytes(path);
  EXPECT_TRUE(text.ok()) << text.status().message();
  return text.ok() ? *text : "";
}

void WriteText(const std::string& path, std::string_view text) {
  Status status = WriteFileBytes(path, text, /*append=*/false);
  EXPECT_TRUE(status.ok()) << status.message();
}

std::string ErrorText(const std::function<void()>& statement) {
  try {
    statement();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

bool Contains(std::string_view text, std::string_view part) {
  bool found = text.find(part) != std::string_view::npos;
  EXPECT_TRUE(found) << "\"" << part << "\" is not in:\n" << text;
  return found;
}

}  // namespace sluice::report

#include "sluice/report/report_test_util.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/formats/inflate.h"

namespace sluice::report {

namespace {
void AppendLittle32(std::string* to, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    to->push_back(static_cast<char>(value >> shift));
  }
}
}  // namespace

std::string InflateRaw(std::string_view packed, std::string_view expected) {
  std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  gzip += packed;
  AppendLittle32(&gzip, Crc32(expected));
  AppendLittle32(&gzip, static_cast<uint32_t>(expected.size()));
  Result<std::string> bytes =
      Gunzip(gzip, static_cast<int64_t>(expected.size()));
  return bytes.ok() ? *bytes : bytes.status().message();
}

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

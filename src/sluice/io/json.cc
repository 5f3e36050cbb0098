#include "sluice/io/json.h"

#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/base/file_system.h"
#include "sluice/base/strings.h"

namespace sluice::io {

Json parse_json(std::string_view text) {
  Result<Json> value = Json::Parse(text);
  if (value.ok()) return *std::move(value);
  throw Error(Status(value.status().code(),
                     StrCat("this is no JSON: ", value.status().message())));
}

Json read_json(const std::string& path) {
  std::string text = ValueOrThrow(ReadFileBytes(path));
  Result<Json> value = Json::Parse(text);
  if (value.ok()) return *std::move(value);
  throw Error(Status(value.status().code(),
                     StrCat("\"", EscapeString(path),
                            "\" is no JSON: ", value.status().message())));
}

void write_json(const std::string& path, const Json& value, int indent) {
  ThrowIfError(WriteFileSafely(FileSystem::Current(), path,
                               StrCat(value.dump(indent), "\n")));
}

}  // namespace sluice::io

// JSON for programs: the value (formats/json.h), and files of it.
#pragma once

#include <string>
#include <string_view>

#include "sluice/formats/json.h"

namespace sluice::io {

using Json = sluice::Json;

// Throws when the text is no JSON; the message names the byte.
Json parse_json(std::string_view text);
// The same of a file; the message names it, too.
Json read_json(const std::string& path);
// Written beside, synced and renamed: the file is the old one or the new one.
void write_json(const std::string& path, const Json& value, int indent = 2);

}  // namespace sluice::io

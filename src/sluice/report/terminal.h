// Properties of the output terminal, from the system and the environment;
// thread safe.
#pragma once

#include <cstdio>

namespace sluice::report {

// Whether it is a terminal on which a line can be redrawn (TERM is not "dumb").
bool IsTerminal(std::FILE* out);
// The number of characters per line; 80 if unknown.
int TerminalColumns(std::FILE* out);
// Whether to use colours: NO_COLOR is unset or empty.
bool WantsColor();
// Whether the locale uses UTF-8.
bool WantsUtf8();

}  // namespace sluice::report

// Arrays as bytes: a description (type, sizes, list structure), then the
// contents, which for numbers are the array's own bytes. Lists and strings can
// be sent, handles cannot.
//
// The bytes are untrusted: counts are checked against the remaining bytes
// before memory is allocated. Plain functions.
#pragma once

#include <string>
#include <string_view>

#include "sluice/cluster/payload.h"
#include "sluice/tensor/array.h"

namespace sluice::cluster {

// Appends the description to `head` and the contents to `contents`. Contiguous
// numbers on the host are not copied (CopiedToSend counts the copied bytes).
// Error: a handle.
Status WriteArray(const Array& array, std::string* head, Payload* contents);

// Reads one array from the front of `head` and `contents`, into newly allocated
// memory. Errors: DataLoss, ResourceExhausted.
Result<Array> ReadArray(std::string_view* head, PayloadReader* contents);

// Reads the description of the next array in `head`, whose contents are plain
// bytes that the caller fetches: returns the array to be filled.
Result<Array> ReadArrayShape(std::string_view* head);

// Bytes of tensors that this process copied in order to send them.
int64_t CopiedToSend();

}  // namespace sluice::cluster

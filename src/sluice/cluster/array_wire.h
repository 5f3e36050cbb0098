// Arrays as bytes: a description (type, sizes, what a list holds) and then the
// contents, which for numbers are the very bytes of the array. Lists and
// strings may be sent, handles may not.
//
// The bytes may come from anyone: counts are held against the bytes that are
// left before anything is allocated. Plain functions.
#pragma once

#include <string>
#include <string_view>

#include "sluice/cluster/payload.h"
#include "sluice/tensor/array.h"

namespace sluice::cluster {

// Appends the description to `head` and the contents to `contents`. Numbers
// that lie contiguous on the host are not copied (CopiedToSend counts those
// that are). Error: a handle.
Status WriteArray(const Array& array, std::string* head, Payload* contents);

// One array off the front of `head`, its contents off `contents`, into memory
// of its own. Errors: DataLoss, ResourceExhausted.
Result<Array> ReadArray(std::string_view* head, PayloadReader* contents);

// What the next array of `head` is, when its contents are plain bytes that
// whoever asks will fetch: an array to be filled, and how many bytes that is.
Result<Array> ReadArrayShape(std::string_view* head);

// Bytes of tensors that were copied in this process in order to be sent.
int64_t CopiedToSend();

}  // namespace sluice::cluster

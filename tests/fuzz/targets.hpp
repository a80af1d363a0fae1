// What the fuzzers call, with any bytes. Each reads them as a file of its kind, looks at everything
// that comes out, and lets no exception through but the one that its reader promises; a broken
// promise ends the program.
#pragma once

#include <string_view>

namespace bert::test {

void fuzz_safetensors(std::string_view bytes);
void fuzz_npz(std::string_view bytes);
void fuzz_config(std::string_view bytes);
void fuzz_vocabulary(std::string_view bytes);
void fuzz_tokenizer(std::string_view bytes);

}  // namespace bert::test

#include "common/io/npz.hpp"

#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace bert::test {

namespace {

// A number, whole or not, or a string: what an array is must not matter to the other readers.
template <typename Read>
void try_to(const std::string& path, const Read& read) {
    try {
        read();
    } catch (const FileError& e) {
        check_message(e, path);
    }
}

}  // namespace

void fuzz_npz(std::string_view bytes) {
    const MemoryFile memory{bytes};
    const std::string path = memory.path();
    try_to(path, [&path] {
        for (const auto& entry : read_npz(path)) {
            const NpyArray& array = entry.second;
            const std::size_t size = array.size();
            try_to(path,
                   [&] { promise(array.to_tensor().size() == size, "each number is there"); });
            try_to(path, [&] { promise(array.to_ints().size() == size, "each integer is there"); });
            try_to(path,
                   [&] { promise(array.to_strings().size() == size, "each string is there"); });
        }
    });
    try_to(path, [&path] { promise(read_npy(path).to_tensor().rank() < 100, "a rank is small"); });
}

}  // namespace bert::test

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/io/safetensors.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace bert::test {

namespace {

void look_at(const SafetensorsFile& file, std::string_view bytes) {
    std::size_t covered = 0;
    for (const SafetensorsEntry& entry : file.entries()) {
        promise(file.find(entry.name) == &entry, "an entry is found by its name");
        const std::string_view data = file.bytes(entry);
        promise(data.size() == safetensors_bytes(entry.type, entry.shape), "the size fits");
        std::uint32_t sum = 0;
        for (const char c : data)
            sum += static_cast<unsigned char>(c);
        covered += data.size() + (sum > 0 && data.empty() ? 1U : 0U);
        try {
            const Tensor x = file.tensor(entry);
            promise(x.shape() == entry.shape, "the shape is that of the header");
            Real total = 0;
            for (const Real value : x.values())
                total += value;
            promise(total == total || total != total, "every number can be read");
        } catch (const FileError& e) {
            check_message(e, file.path());
        } catch (const std::length_error&) {
            promise(data.empty(), "only shapes without elements are too large");
        }
    }
    const std::size_t header = bytes.size() - covered;
    promise(header >= 8, "tensors and header make up the file");
}

}  // namespace

void fuzz_safetensors(std::string_view bytes) {
    const MemoryFile memory{bytes};
    try {
        const SafetensorsFile file{memory.path()};
        look_at(file, bytes);
    } catch (const FileError& e) {
        check_message(e, memory.path());
    }
}

}  // namespace bert::test

#include "common/io/mapped_file.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

// What the handler may look at: numbers without locks. An end of 0 marks a free slot.
struct Slot {
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> damaged{false};
};

constexpr int slot_count = 1024;
std::array<Slot, slot_count> slots;
std::mutex slots_mutex;
std::array<const MappedFile*, slot_count> mapped_files{};  // under the mutex
struct sigaction handler_before;
std::atomic<std::uintptr_t> page_size{4096};

std::uintptr_t address_of(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}

// mmap is not on POSIX's list of what a handler may call; on Linux it is a plain system call.
bool put_zeros_at(std::uintptr_t address) {
    for (Slot& slot : slots) {
        const std::uintptr_t begin = slot.begin.load();
        const std::uintptr_t end = slot.end.load();
        if (address < begin || address >= end) continue;
        slot.damaged.store(true);
        const std::uintptr_t page = address - address % page_size.load();
        void* const place = reinterpret_cast<void*>(page);
        return ::mmap(place, page_size.load(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                      -1, 0) == place;
    }
    return false;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
    const int reason = errno;
    const bool repaired = put_zeros_at(address_of(info->si_addr));
    errno = reason;
    if (repaired) return;
    if ((handler_before.sa_flags & SA_SIGINFO) != 0 && handler_before.sa_sigaction != nullptr) {
        handler_before.sa_sigaction(signal, info, context);
        return;
    }
    // Not ours: the fault comes again and finds the handler that was there before.
    ::sigaction(signal, &handler_before, nullptr);
}

void set_handler() {
    page_size.store(static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &handler_before);
}

int take_slot(std::uintptr_t begin, std::uintptr_t end) {
    static std::once_flag once;
    std::call_once(once, set_handler);
    const std::lock_guard lock{slots_mutex};
    for (int i = 0; i < slot_count; ++i) {
        Slot& slot = slots.at(static_cast<std::size_t>(i));
        if (slot.end.load() != 0) continue;
        slot.damaged.store(false);
        slot.begin.store(begin);
        slot.end.store(end);
        return i;
    }
    return -1;
}

}  // namespace

MappedFile::MappedFile(std::string path, Links links) : file_(std::move(path), links) {
    size_ = static_cast<std::size_t>(file_.size());
    if (size_ == 0) return;
    void* const place = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file_.descriptor(), 0);
    if (place == MAP_FAILED) {
        throw IoError{file_.path() +
                      ": cannot map this file: " + std::generic_category().message(errno)};
    }
    begin_ = static_cast<const char*>(place);
    slot_ = take_slot(address_of(place), address_of(place) + size_);
    if (slot_ >= 0) {
        const std::lock_guard lock{slots_mutex};
        mapped_files.at(static_cast<std::size_t>(slot_)) = this;
    } else {
        ::munmap(place, size_);
        throw IoError{file_.path() + ": cannot map this file: " + std::to_string(slot_count) +
                      " are mapped already"};
    }
}

MappedFile::~MappedFile() {
    if (slot_ < 0) return;
    Slot& slot = slots.at(static_cast<std::size_t>(slot_));
    {
        const std::lock_guard lock{slots_mutex};
        mapped_files.at(static_cast<std::size_t>(slot_)) = nullptr;
        slot.end.store(0);
        slot.begin.store(0);
    }
    ::munmap(const_cast<char*>(begin_), size_);
}

void MappedFile::require_intact() const {
    const bool damaged = slot_ >= 0 && slots.at(static_cast<std::size_t>(slot_)).damaged.load();
    if (damaged || !file_.is_unchanged()) {
        throw FileError{file_.path(), "file", "changed while it was read",
                        damaged ? "a file cut short" : "a new size or time of change",
                        "the " + std::to_string(size_) + " bytes that were opened"};
    }
}

void require_mapped_files_intact() {
    const std::lock_guard lock{slots_mutex};
    for (const MappedFile* const file : mapped_files)
        if (file != nullptr) file->require_intact();
}

void release_mapped_pages(const void* begin, std::size_t size) {
    const std::uintptr_t page = page_size.load();
    const std::uintptr_t first = (address_of(begin) + page - 1) / page * page;
    const std::uintptr_t last = (address_of(begin) + size) / page * page;
    if (first >= last) return;
    const std::lock_guard lock{slots_mutex};
    for (const Slot& slot : slots) {
        if (first < slot.begin.load() || last > slot.end.load()) continue;
        ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
        return;
    }
}

}  // namespace bert

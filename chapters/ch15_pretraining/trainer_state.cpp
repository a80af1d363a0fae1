#include "ch15_pretraining/trainer_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

constexpr std::string_view name_start = "step_";
constexpr std::string_view name_end = ".safetensors";

std::optional<std::uint64_t> step_in(std::string_view name) {
    if (!name.starts_with(name_start) || !name.ends_with(name_end)) return std::nullopt;
    name.remove_prefix(name_start.size());
    name.remove_suffix(std::min(name.size(), name_end.size()));
    std::uint64_t step = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), step);
    if (fault != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return step;
}

}  // namespace

TrainerState::TrainerState(const std::string& training_folder)
    : folder_((std::filesystem::path{training_folder} / "trainer_state").string()) {}

std::string TrainerState::path(std::uint64_t step) const {
    return fmt::format("{}/{}{:08}{}", folder_, name_start, step, name_end);
}

std::vector<std::uint64_t> TrainerState::steps() const {
    std::vector<std::uint64_t> steps;
    std::error_code fault;
    for (const auto& entry : std::filesystem::directory_iterator{folder_, fault}) {
        const auto step = step_in(entry.path().filename().string());
        if (step && path(*step) == entry.path().string()) steps.push_back(*step);
    }
    if (fault && fault != std::errc::no_such_file_or_directory)
        throw IoError{folder_ + ": cannot read the folder: " + fault.message()};
    std::sort(steps.begin(), steps.end());
    return steps;
}

std::optional<PretrainingCheckpoint> TrainerState::load_newest(const PretrainingOptions& options,
                                                               const Teller& tell) const {
    std::vector<std::uint64_t> left = steps();
    std::optional<FileError> first;
    for (; !left.empty(); left.pop_back()) {
        try {
            PretrainingCheckpoint checkpoint =
                load_pretraining_checkpoint(path(left.back()), options);
            if (first) tell(fmt::format("{}; going on from step {}", first->what(), left.back()));
            return checkpoint;
        } catch (const FileError& e) {
            if (!first) first = e;
        }
    }
    if (first) throw *first;
    return std::nullopt;
}

void TrainerState::save(const PretrainingCheckpoint& checkpoint, std::size_t keep) const {
    const std::uint64_t step = checkpoint.state.step;
    save_pretraining_checkpoint(path(step), checkpoint);
    try {
        verify_pretraining_checkpoint(path(step));
    } catch (const FileError& e) {
        throw IoError{fmt::format("{}; it was only just written", e.what())};
    }
    prune(step, keep);
}

void TrainerState::prune(std::uint64_t step, std::size_t keep) const {
    std::size_t kept = 0;
    const std::vector<std::uint64_t> there = steps();
    for (auto i = there.rbegin(); i != there.rend(); ++i) {
        if (*i <= step && kept++ < keep) continue;
        remove(*i);
    }
}

// The oldest first: what a program that is killed leaves ends with the newest.
void TrainerState::clear() const {
    for (const std::uint64_t step : steps())
        remove(step);
}

void TrainerState::remove(std::uint64_t step) const {
    std::error_code fault;
    std::filesystem::remove(path(step), fault);
    if (fault) throw IoError{path(step) + ": cannot remove: " + fault.message()};
}

}  // namespace bert

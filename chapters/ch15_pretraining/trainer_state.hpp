// trainer_state/ in the folder of a training: a file for each of the last checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ch15_pretraining/pretraining_checkpoint.hpp"

namespace bert {

/// What is told to whoever watches, one line at a time.
using Teller = std::function<void(const std::string&)>;

class TrainerState {
  public:
    /// Of this training; nothing is made or read yet.
    explicit TrainerState(const std::string& training_folder);

    const std::string& folder() const { return folder_; }
    /// "trainer_state/step_00000500.safetensors".
    std::string path(std::uint64_t step) const;
    /// The steps of the files that are there, ascending.
    std::vector<std::uint64_t> steps() const;

    /// The newest that can be read; nothing when there is none at all. One that is damaged is told
    /// of before the one before it is taken. Throws the FileError of the newest when all are.
    std::optional<PretrainingCheckpoint> load_newest(const PretrainingOptions& options,
                                                     const Teller& tell) const;

    /// Writes a checkpoint, reads it back, and only then prunes. Throws as
    /// save_pretraining_checkpoint(), and IoError when it does not read back.
    void save(const PretrainingCheckpoint& checkpoint, std::size_t keep) const;

    /// Removes all but the last `keep` up to this step, and those of later steps, which are of a
    /// training that went on otherwise. Throws IoError.
    void prune(std::uint64_t step, std::size_t keep) const;

    /// Removes them all. Throws IoError.
    void clear() const;

  private:
    void remove(std::uint64_t step) const;

    std::string folder_;
};

}  // namespace bert

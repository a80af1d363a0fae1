// The options of this chapter's program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ch09_translation/training_run.hpp"
#include "common/cli/program.hpp"

namespace bert {

/// As they were typed; empty: not given.
struct CommandLine {
    std::string train, resume, quiet;
    std::string source, target;
    std::string steps, batch, learning_rate, warmup, seed, checkpoint_every;
    std::string layers, width, heads, inner_width, norm, max_length;
    std::string model, translate, beam, length_penalty;
    std::string check_loss, curve;

    std::vector<ExtraOption> options();
};

/// The training that was asked for. Throws UsageError for values out of range and for options that
/// do not go together.
RunOptions run_options(const CommandLine& line, const std::string& folder);

/// --beam and --length-penalty; a beam of 1 unless given.
struct Search {
    std::size_t beam_size = 1;
    double length_penalty = 0.6;
};
Search search_options(const CommandLine& line);

/// Throws UsageError when options of one kind of work are given together with those of another.
void require_one_task(const CommandLine& line);

}  // namespace bert

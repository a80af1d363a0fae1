#include "ch09_translation/grammar.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

#include "ch09_translation/grammar_clause.hpp"
#include "ch09_translation/grammar_random.hpp"
#include "common/random/random.hpp"

namespace bert {

namespace {

constexpr std::size_t most_pairs = 1'000'000;

bool has_good_length(std::string_view sentence) {
    const auto words =
        1 + static_cast<std::size_t>(std::count(sentence.begin(), sentence.end(), ' '));
    return words >= shortest_sentence && words <= longest_sentence;
}

enum class Part { train, validation, held_out };

}  // namespace

SentencePair documents_pair() {
    Clause clause;
    clause.subject.pronoun = {1, Number::singular, Gender::masculine};
    clause.profession = &profession("étudiant");
    return {french(clause), english(clause)};
}

std::vector<SentencePair> grammar_pairs(std::size_t count, std::uint64_t seed) {
    if (count == 0 || count > most_pairs) {
        throw std::invalid_argument{"grammar_pairs: " + std::to_string(count) +
                                    " pairs asked for (expected 1 to 1000000)"};
    }
    // [grammar]
    Random random{seed};
    std::vector<SentencePair> pairs{documents_pair()};
    std::unordered_set<std::string> sources{pairs.front().source};
    while (pairs.size() < count) {
        const Clause clause = random_clause(random);
        SentencePair pair{french(clause), english(clause)};
        if (!has_good_length(pair.source) || !has_good_length(pair.target)) continue;
        if (sources.insert(pair.source).second) pairs.push_back(std::move(pair));
    }
    // [grammar]
    return pairs;
}

CorpusSplit split_corpus(const std::vector<SentencePair>& pairs, std::size_t validation,
                         std::size_t held_out, std::uint64_t seed) {
    // [split]
    std::map<std::string_view, std::vector<std::size_t>> groups;  // by target
    for (std::size_t i = 0; i < pairs.size(); ++i)
        groups[pairs[i].target].push_back(i);
    std::vector<std::string_view> targets;
    for (const auto& [target, members] : groups)
        targets.push_back(target);
    Random random{seed};
    random.shuffle(std::span{targets});
    // [split]

    std::vector<Part> part(pairs.size(), Part::train);
    for (const std::string_view target : targets) {
        const std::vector<std::size_t>& members = groups[target];
        std::size_t& space = members.size() <= held_out ? held_out : validation;
        if (members.size() > space) continue;
        for (const std::size_t i : members)
            part[i] = &space == &held_out ? Part::held_out : Part::validation;
        space -= members.size();
    }
    CorpusSplit split;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        (part[i] == Part::held_out     ? split.held_out
         : part[i] == Part::validation ? split.validation
                                       : split.train)
            .push_back(pairs[i]);
    }
    if (held_out + validation > 0 || split.train.empty()) {
        throw std::invalid_argument{"split_corpus: " + std::to_string(pairs.size()) +
                                    " pairs cannot be split so"};
    }
    return split;
}

}  // namespace bert

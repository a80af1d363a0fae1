// Pairs of segments from a corpus (Devlin et al. 2018, sections 3.1 and A.2), as google-research's
// BERT packs them.
//
// The sentences of a document are packed into chunks of about the target length, which is that of
// the model's input, or a shorter one for some documents. A chunk is cut at random into A and B.
// With probability 1/2, B stays: it is what follows A. Otherwise B is from another document, and
// the sentences that it replaced begin the next chunk.
//
// The published code takes a random B whenever a chunk has one sentence, so that more than half of
// its pairs are random. Here half of them are, whatever the corpus: such a chunk takes the sentence
// after it as B, or is B to the one before it at the end of the document. A document of one
// sentence gives no pair; it serves as a random B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch15_pretraining/corpus.hpp"
#include "ch15_pretraining/pretraining_example.hpp"
#include "ch15_pretraining/pretraining_facts.hpp"
#include "common/random/random.hpp"

namespace bert {

struct PairOptions {
    std::size_t max_length = 128;  // of [CLS] A [SEP] B [SEP]
    double short_seq_prob = 0.1;   // of documents whose examples are shorter
};

/// Takes an example; false: no more are wanted.
using ExampleVisitor = std::function<bool(PretrainingExample&&)>;

/// The pairs of one document, without predictions. Returns false when the visitor did. The corpus
/// has at least two documents. Throws std::invalid_argument for a length below
/// least_example_length.
bool make_pairs(const TokenCorpus& corpus, std::size_t document, const SpecialIds& special,
                const PairOptions& options, Random& random, const ExampleVisitor& visit);

/// Checksums and sizes of the corpus into the facts.
void note_corpus(PretrainingFacts& facts, const CorpusText& text);

/// Documents done, and all of them, duplicates counted.
using ExampleProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// The examples that a file with these facts holds, in its order: every document once for each
/// duplicate, each with a stream of random numbers of its own. The same for the same facts and
/// corpus. Throws as require_facts().
void make_examples(const TokenCorpus& corpus, const Tokenizer& tokenizer,
                   const PretrainingFacts& facts, const ExampleVisitor& visit,
                   const ExampleProgress& progress = {});

}  // namespace bert

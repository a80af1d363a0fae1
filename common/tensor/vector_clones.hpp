// Loops compiled several times, for processors with wider and wider vectors; the program picks the
// widest at its start. No product is fused with a sum (-ffp-contract=off) and no order of additions
// changes, so all give the same bits.
#pragma once

// The one macro of the project: other processors know no such attribute.
#if defined(__x86_64__) && defined(__ELF__)
#define BERT_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define BERT_VECTOR_CLONES
#endif

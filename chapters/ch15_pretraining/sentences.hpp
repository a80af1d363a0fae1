// Prose as novels are printed, cut into documents of sentences: what pre-training reads.
//
// In a text file lines are wrapped, a blank line ends a paragraph, and headings stand alone. A
// corpus has one sentence a line and a blank line between documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bert {

/// The sentences of a paragraph, blanks at their ends taken off, runs of blanks and line ends made
/// one blank.
///
/// A sentence ends after . ! ? or several of them, the quotation marks and brackets that close
/// behind them, and a dash, when a blank (or that dash) follows and then what can begin one: a
/// capital letter, a digit, or a mark that opens a quotation. After . it does not when the word
/// before is a title or another abbreviation that something follows (Mr., St., viz.), an initial
/// (F. C. Weston; but "I." ends one), or No. before a number.
std::vector<std::string> split_sentences(std::string_view paragraph);

/// One document a chapter: the sentences under a heading, one string each. Headings are paragraphs
/// of one line: "CHAPTER IV", "Volume II", numbers alone, or capital letters without a stop at
/// their end. They are left out, and so are "Finis", lines without letters, the underscores that
/// mark italics, and what stands before the first chapter. A text without chapters is one document.
std::vector<std::vector<std::string>> split_prose(std::string_view text);

/// The documents as a corpus: one sentence a line, blank lines between documents.
std::string corpus_text(const std::vector<std::vector<std::string>>& documents);

}  // namespace bert

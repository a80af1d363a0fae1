#include "ch09_translation/grammar_random.hpp"

#include <cstdint>
#include <span>

namespace bert {

namespace {

bool chance(Random& random, std::uint64_t percent) {
    return random.below(100) < percent;
}

/// One of the entries that `allowed` admits, nullptr when there is none.
template <typename Entry>
const Entry* pick(Random& random, std::span<const Entry> entries, auto allowed) {
    std::vector<const Entry*> candidates;
    for (const Entry& entry : entries) {
        if (allowed(entry)) candidates.push_back(&entry);
    }
    return candidates.empty() ? nullptr : candidates[random.below(candidates.size())];
}

struct PhraseRules {
    Kinds kinds;
    bool indefinite = true;
    bool indefinite_plural = true;
    const Noun* other = nullptr;          // the subject's noun, not to be said again
    std::optional<Agreement> owner = {};  // the subject, when "his" and its kin mean it
};

Agreement random_speaker(Random& random) {
    const int person = chance(random, 50) ? 1 : 2;
    return {person, chance(random, 50) ? Number::singular : Number::plural};
}

void choose_determiner(Random& random, NounPhrase& phrase, const PhraseRules& rules) {
    const Possession possession = phrase.noun->possession;
    const std::uint64_t choice = random.below(100);
    if (possession == Possession::always || (choice < 25 && possession == Possession::free)) {
        phrase.determiner = Determiner::possessive;
        phrase.owner = rules.owner && chance(random, 50) ? *rules.owner : random_speaker(random);
    } else if (choice < 40) {
        phrase.determiner = Determiner::demonstrative;
    } else if (choice < 65 && rules.indefinite) {
        phrase.determiner = Determiner::indefinite;
        if (!rules.indefinite_plural) phrase.number = Number::singular;
    }
}

NounPhrase random_phrase(Random& random, const PhraseRules& rules) {
    NounPhrase phrase{pick(random, nouns(), [&rules](const Noun& noun) {
        const bool said = rules.other != nullptr && noun.english == rules.other->english;
        return (noun.kind & rules.kinds) != 0 && !said;
    })};
    phrase.number = chance(random, 65) ? Number::singular : Number::plural;
    choose_determiner(random, phrase, rules);
    for (const bool before : {true, false}) {
        if (!chance(random, 25)) continue;
        (before ? phrase.before : phrase.after) =
            pick(random, adjectives(), [&](const Adjective& adjective) {
                return adjective.before_noun == before &&
                       (adjective.attributive & phrase.noun->kind) != 0;
            });
    }
    return phrase;
}

// Pronouns name persons, so they are subjects of whatever persons are.
Subject random_subject(Random& random, Kinds kinds, bool indefinite) {
    if ((kinds & Kind::person) != 0 && chance(random, 50)) {
        const int person = 1 + static_cast<int>(random.below(3));
        const Number number = chance(random, 55) ? Number::singular : Number::plural;
        return {{person, number, chance(random, 50) ? Gender::masculine : Gender::feminine}};
    }
    Subject subject;
    subject.phrases.push_back(random_phrase(random, {kinds, indefinite}));
    if ((kinds & Kind::person) != 0 && chance(random, 12)) {
        const Noun* first = subject.phrases.front().noun;
        const bool person = (first->kind & Kind::person) != 0;
        subject.phrases.push_back(
            random_phrase(random, {person ? Kind::person : first->kind, false, false, first}));
    }
    return subject;
}

PhraseRules rules_for(const Subject& subject, Kinds kinds) {
    PhraseRules rules{kinds};
    const Agreement agreement = agreement_of(subject);
    if (!subject.phrases.empty()) rules.other = subject.phrases.front().noun;
    if (agreement.person == 3 && (agreement.kind & Kind::being) != 0) rules.owner = agreement;
    return rules;
}

void add_place(Random& random, Clause& clause, bool with) {
    constexpr Kinds kinds[] = {0, Kind::place, Kind::place, Kind::place | Kind::object,
                               Kind::person};
    clause.preposition = static_cast<Preposition>(1 + random.below(with ? 4 : 3));
    PhraseRules rules =
        rules_for(clause.subject, kinds[static_cast<std::size_t>(clause.preposition)]);
    rules.indefinite_plural = false;
    clause.place = random_phrase(random, rules);
}

void add_place_or_here(Random& random, Clause& clause, bool with) {
    clause.here = chance(random, 25);
    if (!clause.here) add_place(random, clause, with);
}

// me, te, nous, vous unless they are the subject's own person; le, la, les of this kind.
std::optional<Agreement> random_pronoun(Random& random, const Clause& clause) {
    const ObjectPronoun kind = clause.verb->pronoun;
    const int own = agreement_of(clause.subject).person;
    const Number number = chance(random, 50) ? Number::singular : Number::plural;
    const Gender gender = chance(random, 50) ? Gender::masculine : Gender::feminine;
    if (kind == ObjectPronoun::it) return Agreement{3, number, gender, Kind::object};
    // "l' aime" and "lui donne" do not say whether it is him or her.
    const bool third =
        kind == ObjectPronoun::him_or_her || (!clause.verb->gives && number == Number::plural);
    std::vector<int> persons;
    for (const int person : {1, 2, 3}) {
        if (person == 3 ? third : person != own) persons.push_back(person);
    }
    const int person = persons[random.below(persons.size())];
    return Agreement{person, number, gender};
}

void add_objects(Random& random, Clause& clause) {
    const Verb& verb = *clause.verb;
    if (verb.objects == 0) return;
    const bool pronoun = chance(random, 40);
    if (pronoun) clause.pronoun = random_pronoun(random, clause);
    PhraseRules rules = rules_for(clause.subject, verb.objects);
    rules.indefinite = verb.indefinite;
    if (!pronoun || verb.gives) clause.object = random_phrase(random, rules);
    if (pronoun || !verb.gives) return;
    rules.kinds = Kind::person;
    rules.indefinite_plural = false;
    clause.recipient = random_phrase(random, rules);
}

void add_verb(Random& random, Clause& clause) {
    clause.verb = pick(random, verbs(), [](const Verb&) { return true; });
    clause.subject =
        random_subject(random, clause.verb->subjects, !clause.negative && !clause.question);
    if (chance(random, 40)) clause.auxiliary = static_cast<Auxiliary>(1 + random.below(3));
    if (clause.auxiliary == Auxiliary::none && chance(random, 25)) {
        clause.frequency = static_cast<Frequency>(1 + random.below(2));
    }
    add_objects(random, clause);
    // "love" goes without a place.
    const std::uint64_t percent = !clause.verb->indefinite || clause.recipient ? 0
                                  : clause.verb->objects == 0                  ? 85
                                                                               : 20;
    if (chance(random, percent)) add_place_or_here(random, clause, true);
}

void add_adjective(Random& random, Clause& clause) {
    clause.adjective = pick(random, adjectives(), [](const Adjective&) { return true; });
    clause.subject = random_subject(random, clause.adjective->predicative, false);
    clause.very = clause.adjective->gradable && chance(random, 30);
}

}  // namespace

Clause random_clause(Random& random) {
    Clause clause;
    clause.negative = chance(random, 30);
    clause.question = chance(random, 20);
    const std::uint64_t choice = random.below(100);
    if (choice < 70) {
        add_verb(random, clause);
    } else if (choice < 86) {
        add_adjective(random, clause);
    } else if (choice < 94) {
        clause.subject = random_subject(random, Kind::any & ~Kind::place, false);
        add_place_or_here(random, clause, false);
        if (chance(random, 20)) clause.frequency = Frequency::often;
    } else {
        clause.subject = random_subject(random, Kind::person, false);
        clause.profession = pick(random, professions(), [](const Profession&) { return true; });
    }
    return clause;
}

}  // namespace bert

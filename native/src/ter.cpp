#include "rubrica/ter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "rubrica/interrupt.hpp"

namespace rubrica {
namespace {

using Words = std::span<const std::int64_t>;

// Tercom's limits, and how many shifts sacrebleu tries before it gives up.
constexpr std::size_t longest_shift = 10;
constexpr std::int64_t farthest_shift = 50;
constexpr std::int64_t beam_width = 25;
constexpr int most_candidates = 1000;

constexpr std::int32_t unreached = 1 << 29;
enum class Edit : std::uint8_t { keep, replace, remove, insert, none };

// Where the words of the summary and the reference meet, and which of them are edited.
struct Alignment {
    std::vector<std::int64_t> summary_place;         // by place in the reference; -1 before all
    std::vector<std::int32_t> summary_errors = {0};  // sums of all words before
    std::vector<std::int32_t> reference_errors = {0};
};

struct Shift {
    std::int32_t gain;
    std::size_t length, start, target;

    // The larger gain, then the longer phrase, then what stands earlier.
    auto rank() const {
        return std::tuple(gain, length, -static_cast<std::int64_t>(start),
                          -static_cast<std::int64_t>(target));
    }
};

std::vector<std::int64_t> shifted(const std::vector<std::int64_t>& words, const Shift& shift) {
    std::vector<std::int64_t> out = words;
    const auto to = [&](std::size_t place) {
        return out.begin() + static_cast<std::ptrdiff_t>(std::min(place, out.size()));
    };
    const std::size_t end = shift.start + shift.length;
    if (shift.target < shift.start) {
        std::rotate(to(shift.target), to(shift.start), to(end));
    } else {
        // A target inside the phrase counts from the phrase's end.
        const std::size_t target = shift.target > end ? shift.target : shift.target + shift.length;
        std::rotate(to(shift.start), to(end), to(target));
    }
    return out;
}

// Edit distances to one reference from summaries of one length. There is a row for each word of the
// summary, in which only the cells near the diagonal are reached.
class Distances {
public:
    Distances(Words reference, std::size_t length) : reference_(reference), bounds_(length + 1) {
        const auto wide = static_cast<std::int64_t>(reference.size());
        const double ratio =
            length == 0 ? 1.0 : static_cast<double>(wide) / static_cast<double>(length);
        const std::int64_t beam =
            static_cast<double>(beam_width) < ratio / 2
                ? static_cast<std::int64_t>(std::ceil(ratio / 2 + static_cast<double>(beam_width)))
                : beam_width;
        for (std::size_t i = 0; i <= length; ++i) {
            const auto diagonal =
                static_cast<std::int64_t>(std::floor(static_cast<double>(i) * ratio));
            const bool all = i == 0 || i == length;
            const std::int64_t first = i == 0 ? 0 : std::max<std::int64_t>(0, diagonal - beam);
            const std::int64_t end = all ? wide + 1 : std::min(wide + 1, diagonal + beam);
            bounds_[i] = {static_cast<std::size_t>(first), static_cast<std::size_t>(end)};
        }
        const std::size_t width = reference.size() + 1;
        costs_.assign((length + 1) * width, unreached);
        edits_.assign((length + 1) * width, Edit::none);
        for (std::size_t j = 0; j < width; ++j) {
            costs_[j] = static_cast<std::int32_t>(j);
            edits_[j] = Edit::insert;
        }
        for (auto& row : rows_) row.resize(width);
    }

    // The distance of a summary, whose rows are kept.
    std::int32_t keep(Words words) {
        const std::size_t width = reference_.size() + 1;
        for (std::size_t i = 1; i <= words.size(); ++i) {
            fill<true>(i, words[i - 1], &costs_[(i - 1) * width], &costs_[i * width],
                       &edits_[i * width]);
        }
        return costs_.back();
    }

    // The distance of one that begins with the same words as the kept one.
    std::int32_t changed(Words words, std::size_t same) {
        const std::int32_t* before = &costs_[same * (reference_.size() + 1)];
        for (std::size_t i = same + 1; i <= words.size(); ++i) {
            std::int32_t* row = rows_[i % 2].data();
            fill<false>(i, words[i - 1], before, row, nullptr);
            before = row;
        }
        return before[reference_.size()];
    }

    // Along the edits of the kept summary.
    Alignment alignment() const {
        const std::size_t width = reference_.size() + 1;
        std::vector<Edit> edits;
        std::size_t i = bounds_.size() - 1, j = reference_.size();
        while (i > 0 || j > 0) {
            const Edit edit = edits_[i * width + j];
            if (edit == Edit::none) throw std::logic_error("TER: no way to the reference");
            edits.push_back(edit);
            if (edit != Edit::insert) --i;
            if (edit != Edit::remove) --j;
        }
        Alignment out;
        std::int64_t place = -1;
        for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
            const std::int32_t wrong = *edit != Edit::keep;
            if (*edit != Edit::insert) {
                ++place;
                out.summary_errors.push_back(out.summary_errors.back() + wrong);
            }
            if (*edit != Edit::remove) {
                out.summary_place.push_back(place);
                out.reference_errors.push_back(out.reference_errors.back() + wrong);
            }
        }
        return out;
    }

private:
    struct Bounds {
        std::size_t first, end;
    };

    // Equally good edits: keep or replace before remove before insert.
    template <bool traced>
    void fill(std::size_t i, std::int64_t word, const std::int32_t* before, std::int32_t* row,
              Edit* edits) {
        const auto [first, end] = bounds_[i];
        // The next row looks one cell to the left, and as far to the right as it reaches itself.
        if (first > 0) row[first - 1] = unreached;
        for (std::size_t j = first; j < end; ++j) {
            std::int32_t best = unreached;
            Edit edit = Edit::none;
            const auto take = [&](std::int32_t cost, Edit kind) {
                if (cost < best) {
                    best = cost;
                    edit = kind;
                }
            };
            if (j > 0) {
                const bool same = word == reference_[j - 1];
                take(before[j - 1] + !same, same ? Edit::keep : Edit::replace);
            }
            take(before[j] + 1, Edit::remove);
            if (j > 0) take(row[j - 1] + 1, Edit::insert);
            row[j] = best;
            if constexpr (traced) edits[j] = edit;
        }
        const std::size_t reach = i + 1 < bounds_.size() ? bounds_[i + 1].end : end;
        for (std::size_t j = end; j < reach; ++j) row[j] = unreached;
    }

    Words reference_;
    std::vector<Bounds> bounds_;
    std::vector<std::int32_t> costs_;
    std::vector<Edit> edits_;
    std::vector<std::int32_t> rows_[2];
};

// The search for one shift after the other.
class Search {
public:
    Search(Words summary, Words reference)
        : words_(summary.begin(), summary.end()),
          reference_(reference),
          distances_(reference, summary.size()) {}

    std::int64_t edits() {
        for (std::int64_t shifts = 0;; ++shifts) {
            distance_ = distances_.keep(words_);
            best_ = {0, 0, 0, 0};
            found_ = false;
            look();
            if (candidates_ >= most_candidates || !found_ || best_.gain <= 0)
                return shifts + distance_;
            words_ = shifted(words_, best_);
        }
    }

private:
    // Tries to shift every phrase that both texts have at different places.
    void look() {
        alignment_ = distances_.alignment();
        const auto own = static_cast<std::int64_t>(words_.size());
        const auto others = static_cast<std::int64_t>(reference_.size());
        for (std::int64_t start = 0; start < own; ++start) {
            check_interrupt();
            const std::int64_t first = std::max<std::int64_t>(0, start - farthest_shift);
            const std::int64_t end = std::min(others, start + farthest_shift + 1);
            for (std::int64_t place = first; place < end; ++place) {
                phrases(static_cast<std::size_t>(start), static_cast<std::size_t>(place));
                if (candidates_ >= most_candidates) return;
            }
        }
    }

    void phrases(std::size_t start, std::size_t place) {
        for (std::size_t length = 1; length <= longest_shift && start + length <= words_.size() &&
                                     place + length <= reference_.size();
             ++length) {
            if (words_[start + length - 1] != reference_[place + length - 1]) return;
            if (wrong(start, place, length)) targets(start, place, length);
            if (candidates_ >= most_candidates) return;
        }
    }

    // A phrase is shifted only if it is wrong where it stands, and missing in another place.
    bool wrong(std::size_t start, std::size_t place, std::size_t length) const {
        const auto& [at, own, other] = alignment_;
        if (own[start + length] == own[start] || other[place + length] == other[place])
            return false;
        const std::int64_t now = at[place];
        return now < static_cast<std::int64_t>(start) ||
               now >= static_cast<std::int64_t>(start + length);
    }

    void targets(std::size_t start, std::size_t place, std::size_t length) {
        std::int64_t tried = -1;
        for (std::size_t k = 0; k <= length; ++k) {
            // After the word that is aligned with the one before; at the very start before all.
            const std::int64_t target =
                place + k == 0 ? 0 : alignment_.summary_place[place + k - 1] + 1;
            if (target == tried) continue;
            tried = target;
            Shift shift{0, length, start, static_cast<std::size_t>(target)};
            const std::size_t same = std::min(start, shift.target);
            shift.gain = distance_ - distances_.changed(shifted(words_, shift), same);
            ++candidates_;
            if (!found_ || shift.rank() > best_.rank()) best_ = shift;
            found_ = true;
        }
    }

    std::vector<std::int64_t> words_;
    Words reference_;
    Distances distances_;
    Alignment alignment_;
    std::int32_t distance_ = 0;
    int candidates_ = 0;
    Shift best_{0, 0, 0, 0};
    bool found_ = false;
};

}  // namespace

std::int64_t ter_edits(Words summary, Words reference) {
    if (reference.empty()) return static_cast<std::int64_t>(summary.size());
    return Search(summary, reference).edits();
}

}  // namespace rubrica

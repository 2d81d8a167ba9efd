// Lets long kernels stop: whoever embeds them sets a function that throws when they should.
#pragma once
#include <atomic>
#include <cstddef>

namespace rubrica {

inline std::atomic<void (*)()> interrupt_check{nullptr};

// Of the work that this thread shares with others: set once one of them has failed.
inline thread_local const std::atomic<bool>* others_failed = nullptr;

struct Stopped {};

// To be called every few thousand operations; throws what the embedding program wants thrown.
inline void check_interrupt() {
    if (others_failed != nullptr && others_failed->load(std::memory_order_relaxed)) throw Stopped();
    if (auto* check = interrupt_check.load(std::memory_order_relaxed)) check();
}

// Counts operations and checks now and then: for loops whose steps are too small to check at each.
class InterruptPoll {
public:
    void add(std::size_t operations) {
        done_ += operations + 1;
        if (done_ < (std::size_t{1} << 20)) return;
        done_ = 0;
        check_interrupt();
    }

private:
    std::size_t done_ = 0;
};

}  // namespace rubrica

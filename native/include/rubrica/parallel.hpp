// Work shared between threads; who does which part must not matter to the result.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "rubrica/interrupt.hpp"

namespace rubrica {

// More threads than cores only cost memory: hundreds of stacks can exhaust a process that has a limit.
inline std::size_t most_threads() {
    return 4 * std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
}

// Calls work(first, last) until [0, count) is done, in pieces of `piece`. Every thread has a
// worker of its own from make_worker(), for its scratch memory. The first exception is passed on.
template <class MakeWorker>
void in_parallel(std::size_t count, std::size_t piece, std::size_t threads, MakeWorker make_worker) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::mutex guard;
    const auto run = [&] {
        const auto* outer = std::exchange(others_failed, &failed);
        try {
            auto work = make_worker();
            for (std::size_t at; (at = next.fetch_add(piece)) < count;) {
                check_interrupt();
                work(at, std::min(at + piece, count));
            }
        } catch (...) {
            next.store(count);
            const std::lock_guard lock(guard);
            // The first failure is what matters: others only stop because of it.
            if (!failed.exchange(true)) failure = std::current_exception();
        }
        others_failed = outer;
    };
    std::vector<std::thread> others;
    const std::size_t pieces = count / piece + (count % piece != 0) + (count == 0);
    threads = std::clamp<std::size_t>(threads, 1, std::min(pieces, most_threads()));
    try {
        while (others.size() + 1 < threads) others.emplace_back(run);
    } catch (...) {
        // No more threads to be had: those that there are do it all.
    }
    run();
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace rubrica

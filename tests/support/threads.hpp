// A number of threads for as long as an object of this lives.
#pragma once

#include <omp.h>

namespace bert::test {

class ThreadsGuard {
  public:
    explicit ThreadsGuard(int threads) : before_(omp_get_max_threads()) {
        omp_set_num_threads(threads);
    }
    ~ThreadsGuard() { omp_set_num_threads(before_); }
    ThreadsGuard(const ThreadsGuard&) = delete;
    ThreadsGuard& operator=(const ThreadsGuard&) = delete;

  private:
    int before_;
};

}  // namespace bert::test

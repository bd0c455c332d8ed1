// SPDX-License-Identifier: Apache-2.0
#include "server/session/work_pool.h"

#include <utility>

namespace sluice::session {

WorkPool::WorkPool(int thread_count) {
  for (int i = 0; i < thread_count; ++i) {
    threads_.emplace_back([this] { work(); });
  }
  threads_.emplace_back([this] { wait_for_timers(); });
}

WorkPool::~WorkPool() { stop(); }

void WorkPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  task_ready_.notify_all();
  timers_changed_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) {
      thread.join();
    }
  }
  std::multimap<Clock::time_point, Task> forgotten;
  const std::lock_guard lock(mutex_);
  forgotten.swap(timers_);
}

void WorkPool::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return;
    }
    tasks_.push_back(std::move(task));
  }
  task_ready_.notify_one();
}

void WorkPool::post_after(std::chrono::milliseconds delay, Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return;
    }
    timers_.emplace(Clock::now() + delay, std::move(task));
  }
  timers_changed_.notify_one();
}

void WorkPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    task_ready_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) {
      return;
    }
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // Its captures may post again: not under the lock.
    lock.lock();
  }
}

void WorkPool::wait_for_timers() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (timers_.empty()) {
      timers_changed_.wait(lock);
      continue;
    }
    const Clock::time_point next = timers_.begin()->first;
    if (Clock::now() < next) {
      timers_changed_.wait_until(lock, next);
      continue;
    }
    tasks_.push_back(std::move(timers_.begin()->second));
    timers_.erase(timers_.begin());
    task_ready_.notify_one();
  }
}

void Strand::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (running_) {
      return;
    }
    running_ = true;
  }
  pool_.post([self = shared_from_this()] { self->run(); });
}

void Strand::post_after(std::chrono::milliseconds delay, Task task) {
  pool_.post_after(delay, [self = shared_from_this(), task = std::move(task)]() mutable {
    self->post(std::move(task));
  });
}

void Strand::run() {
  Task task;
  {
    const std::lock_guard lock(mutex_);
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  task();
  task = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) {
      running_ = false;
      return;
    }
  }
  // Behind whatever others posted meanwhile: a busy session must not starve the rest.
  pool_.post([self = shared_from_this()] { self->run(); });
}

}  // namespace sluice::session

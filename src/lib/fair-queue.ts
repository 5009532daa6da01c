/** Runs one task at a time; owners take turns, and the tasks of one owner run in order. */
export interface FairQueue {
  run<T>(owner: number, task: () => Promise<T>): Promise<T>
  /** Tasks that wait or run. */
  readonly size: number
}

export function createFairQueue(): FairQueue {
  // In the order of turns: the owner that was served goes to the end.
  const waiting = new Map<number, (() => Promise<void>)[]>()
  let isRunning = false
  let size = 0

  async function serve(): Promise<void> {
    if (isRunning) return
    isRunning = true
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [owner, tasks] = next
      const task = tasks.shift()
      waiting.delete(owner)
      if (tasks.length > 0) waiting.set(owner, tasks)
      await task?.()
    }
    isRunning = false
  }

  return {
    run(owner, task) {
      size++
      return new Promise((resolve, reject) => {
        const settled = () =>
          task()
            .then(resolve, reject)
            .finally(() => {
              size--
            })
        waiting.set(owner, [...(waiting.get(owner) ?? []), settled])
        void serve()
      })
    },
    get size() {
      return size
    },
  }
}

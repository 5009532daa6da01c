/** The values added last, up to a maximum number. */
export interface RecentSet<T> {
  has(value: T): boolean
  add(value: T): void
}

export function createRecentSet<T>(max: number): RecentSet<T> {
  const values = new Set<T>()
  return {
    has: (value) => values.has(value),
    add(value) {
      values.add(value)
      if (values.size <= max) return
      const [oldest] = values
      if (oldest !== undefined) values.delete(oldest)
    },
  }
}

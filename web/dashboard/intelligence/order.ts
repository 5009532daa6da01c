/** A copy of the list with one item moved. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const after = [...list]
  after.splice(to, 0, ...after.splice(from, 1))
  return after
}

export const replaced = <T>(list: readonly T[], place: number, item: T): T[] =>
  list.map((one, at) => (at === place ? item : one))

export const without = <T>(list: readonly T[], place: number): T[] => list.filter((_, at) => at !== place)

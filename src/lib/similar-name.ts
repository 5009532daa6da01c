const maxLength = 64

/** The known name that a misspelled one most resembles; undefined if none is close. */
export function similarName(given: string, known: readonly string[]): string | undefined {
  if (given.length > maxLength) return undefined
  const ranked = known.map((name) => ({ name, edits: editsBetween(given.toLowerCase(), name.toLowerCase()) }))
  const [best] = ranked.sort((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.max(1, Math.floor(given.length / 3)) ? best.name : undefined
}

/** Characters to insert, remove, replace or swap with their neighbour. */
function editsBetween(a: string, b: string): number {
  let [older, old] = [[] as number[], Array.from({ length: b.length + 1 }, (_, n) => n)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (old[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? (older[j - 2] ?? 0) + 1 : replaced
      row.push(Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped))
    }
    ;[older, old] = [old, row]
  }
  return old[b.length] ?? 0
}

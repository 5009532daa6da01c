/** Names that differ only in case or surrounding whitespace are the same name. */
export function nameKey(name: string): string {
  return name.trim().toLowerCase()
}

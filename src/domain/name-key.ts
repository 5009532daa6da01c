/** Names that differ only in case or in the blanks around them are the same name. */
export function nameKey(name: string): string {
  return name.trim().toLowerCase()
}

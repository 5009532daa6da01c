/** Names that differ only in case, in the blanks around them or in how accents are encoded are the same name. */
export function nameKey(name: string): string {
  return name.trim().normalize('NFKC').toLowerCase()
}

// Names of people, from what is known before they enter them.

/** The first word is the first name, all others are the last name. */
export function splitName(name: string): { first: string; last: string } {
  const [first = '', ...rest] = name.trim().split(/\s+/)
  return { first, last: rest.join(' ') }
}

/** `ada.lovelace+phone@…` → Ada Lovelace; blank if the address contains no name. */
export const nameInAddress = (email: string): string =>
  (email.split(/[@+]/, 1)[0] ?? '')
    .split(/[._-]+/)
    .filter((word) => /^\p{L}+$/u.test(word))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

const local = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u
const label = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

/** An address that mail servers accept: one @, a plain local part, a domain of at least two labels. */
export function isEmail(text: string): boolean {
  if (text.length > 254) return false
  const parts = text.split('@')
  const [name = '', domain = ''] = parts
  if (parts.length !== 2 || !local.test(name) || name.startsWith('.') || name.endsWith('.') || name.includes('..')) {
    return false
  }
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every((part) => label.test(part))
}

/** Normalized form for comparing addresses. */
export const emailKey = (email: string) => email.toLowerCase()

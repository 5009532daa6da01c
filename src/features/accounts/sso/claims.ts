import type { Role } from '../../../db/tables.ts'
import { isEmail } from '../../../domain/email.ts'
import { forbidden } from '../../../http/errors.ts'
import type { Sso } from './store.ts'

// What the claims of the provider say about a user. Every refusal names what to change, and where.

type Claims = Record<string, unknown>

/** The address, if the provider has verified it and the company admits its domain. */
export function emailIn(claims: Claims, { trustsEmail, domains }: Sso): string {
  const { email, email_verified: isVerified } = claims
  if (typeof email !== 'string' || !isEmail(email)) {
    throw forbidden('The provider sent no email address; let it include the scope `email`')
  }
  if (isVerified !== true && !(isVerified === undefined && trustsEmail)) {
    throw forbidden('The provider has not verified your email address; verify it there, then sign in again')
  }
  if (domains.length > 0 && !domains.includes(domainOf(email))) {
    throw forbidden(`Addresses at ${domainOf(email)} are not admitted by the single sign-on of your company`)
  }
  return email
}

export const domainOf = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

/** Undefined: roles are managed in the dashboard. */
export function rolesIn(claims: Claims, { roleClaim, roleMap, defaultRole }: Sso): Role[] | undefined {
  if (roleClaim === '') return undefined
  const given = claims[roleClaim]
  const values = new Set(Array.isArray(given) ? given : [given])
  const roles = [...new Set(roleMap.filter(({ value }) => values.has(value)).map(({ role }) => role))]
  if (roles.length > 0) return roles
  if (defaultRole !== null) return [defaultRole]
  throw forbidden(
    `The provider gives you no role for this phone system (claim \`${roleClaim}\`); ask your administrator`,
  )
}

/** From the standard claims, or from the address. */
export function nameOfClaims(claims: Claims, email: string): { firstName: string; lastName: string } {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim().slice(0, 255) : '')
  const [firstWord = '', ...others] = text(claims.name).split(/\s+/)
  const firstName = text(claims.given_name) || firstWord || email.slice(0, email.lastIndexOf('@'))
  return { firstName, lastName: text(claims.family_name) || others.join(' ') }
}

// Reads the fields of one node and records the first issue, so that each widget parser reads like its row in the
// table of widgets. After an issue the values are placeholders: use them only when `issue()` returns undefined.

import type { Limit } from './limits.ts'

export type FieldReader = ReturnType<typeof readFields>

export function readFields(source: Record<string, unknown>, where: string) {
  const asked = new Set(['branches'])
  const askedBranches = new Set<string>()
  const problems: string[] = []
  const branches = Object.hasOwn(source, 'branches') ? source.branches : {}

  const complain = (rule: string) => {
    problems.push(`${where}: ${rule}`)
  }
  const take = (name: string): unknown => {
    asked.add(name)
    return own(source, name)
  }
  if (!isRecord(branches)) complain('branches must be an object from branch name to node id')
  const takeBranch = (name: string): unknown => {
    askedBranches.add(name)
    return isRecord(branches) ? own(branches, name) : undefined
  }

  return {
    complain,
    take,

    integer(name: string, [min, max, fallback]: Limit): number {
      const value = take(name)
      if (value === undefined) return fallback
      if (isIntegerWithin(value, min, max)) return value
      complain(`${name} must be an Integer from ${min} to ${max}`)
      return fallback
    },

    oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
      const value = take(name)
      const choice = choices.find((known) => known === value)
      if (value !== undefined && choice === undefined) complain(`${name} must be one of ${choices.join(', ')}`)
      return choice ?? fallback
    },

    flag(name: string): boolean {
      const value = take(name)
      if (value !== undefined && typeof value !== 'boolean') complain(`${name} must be true or false`)
      return value === true
    },

    media(): string | null {
      const value = take('media')
      if (value === undefined || value === null) return null
      if (isWebAddress(value)) return value
      complain('media must be the http(s) URL of an audio file, or null')
      return null
    },

    branch(name: string): string {
      const to = takeBranch(name)
      if (typeof to === 'string') return to
      complain(to === undefined ? `the branch ${name} is not set` : `the branch ${name} must be the id of a node`)
      return ''
    },

    optionalBranch(name: string): Record<string, string> {
      const to = takeBranch(name)
      if (to === undefined) return {}
      if (typeof to === 'string') return { [name]: to }
      complain(`the branch ${name} must be the id of a node`)
      return {}
    },

    /** Called last: a field or branch that was not read is unknown. */
    problem(): string | undefined {
      const branch = Object.keys(isRecord(branches) ? branches : {}).find((name) => !askedBranches.has(name))
      if (branch !== undefined) complain(`${quoted(branch)} is no branch of this type`)
      const field = Object.keys(source).find((name) => !asked.has(name))
      if (field !== undefined) complain(`${quoted(field)} is no field of this type`)
      return problems[0]
    },
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isIntegerWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

/** An id may come as a numeric string, as everywhere in the API. */
export function idFromJson(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return isIntegerWithin(id, 1, Number.MAX_SAFE_INTEGER) ? id : undefined
}

/** User input, shortened for use in a sentence. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

function own(source: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(source, name) ? source[name] : undefined
}

export function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2048 && /^https?:\/\//i.test(value) && URL.canParse(value)
}

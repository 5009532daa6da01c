// cli/ is what an operator types: each command reads its words, does one thing and says it once, as text or as JSON.
import { type ParseArgsConfig, parseArgs } from 'node:util'

export interface Command {
  /** As it is typed: `keys create`. */
  name: string
  summary: string
  /** What follows the name, as help shows it. */
  usage?: string
  /** A paragraph for those who ask. */
  details?: string
  options?: NonNullable<ParseArgsConfig['options']>
  /** Fewest and most words after the name; none unless told. */
  words?: readonly [fewest: number, most: number]
  run(given: Given): Promise<Outcome | undefined>
}

/** What was typed after the name. */
export interface Given {
  words: string[]
  /** undefined: not given. */
  text(option: string): string | undefined
  flag(option: string): boolean
}

/** The same facts for people and for programs. */
export interface Outcome {
  text: string
  json: unknown
}

/** Wrong words on the command line. */
export class UsageError extends Error {}

export const usageOf = ({ name, usage }: Command) => ['hookswitch', name, usage].filter(Boolean).join(' ')

const always = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

/** Reads what follows the name; everything the command does not know is a mistake. */
export function readWords(command: Command, args: string[]): Given {
  const mistake = (what: string) => new UsageError(`${what}. Usage: ${usageOf(command)}`)
  const { values, positionals } = parsed(command, args, mistake)
  const [fewest, most] = command.words ?? [0, 0]
  if (!values.help && positionals.length < fewest) throw mistake('Something is missing')
  if (!values.help && positionals.length > most) throw mistake(`Unexpected ${positionals[most]}`)
  return {
    words: positionals,
    text(option) {
      const value = values[option]
      return typeof value === 'string' ? value : undefined
    },
    flag: (option) => values[option] === true,
  }
}

interface Parsed {
  values: Record<string, unknown>
  positionals: string[]
}

function parsed(command: Command, args: string[], mistake: (what: string) => UsageError): Parsed {
  try {
    return parseArgs({ args, options: { ...command.options, ...always }, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Node appends advice on quoting that does not help here.
    throw mistake(error.message.split(/[.\n]/, 1)[0] ?? 'Not understood')
  }
}

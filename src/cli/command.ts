// Commands of the command line. Each command parses its arguments, does one thing and prints the result as text or JSON.
import { type ParseArgsConfig, parseArgs } from 'node:util'

export interface Command {
  /** The command as typed: `keys create`. */
  name: string
  summary: string
  /** Arguments after the name, as shown by help. */
  usage?: string
  /** Additional paragraph for `hookswitch help COMMAND`. */
  details?: string
  options?: NonNullable<ParseArgsConfig['options']>
  /** Minimum and maximum number of positional arguments; default none. */
  words?: readonly [min: number, max: number]
  run(given: CommandArguments): Promise<CommandResult | undefined>
}

/** The parsed arguments after the name. */
export interface CommandArguments {
  words: string[]
  text(option: string): string | undefined
  flag(option: string): boolean
}

/** The result as text and as JSON. */
export interface CommandResult {
  text: string
  json: unknown
}

/** Invalid command line arguments; exit code 2. */
export class UsageError extends Error {}

export const usageOf = ({ name, usage }: Command) => ['hookswitch', name, usage].filter(Boolean).join(' ')

const always = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

/** Parses the arguments after the name; unknown options are usage errors. */
export function readWords(command: Command, args: string[]): CommandArguments {
  const usageError = (what: string) => new UsageError(`${what}. Usage: ${usageOf(command)}`)
  const { values, positionals } = parsed(command, args, usageError)
  const [min, max] = command.words ?? [0, 0]
  if (!values.help && positionals.length < min) throw usageError('Missing argument')
  if (!values.help && positionals.length > max) throw usageError(`Unexpected argument ${positionals[max]}`)
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

function parsed(command: Command, args: string[], usageError: (what: string) => UsageError): Parsed {
  try {
    return parseArgs({ args, options: { ...command.options, ...always }, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Node appends advice on quoting that does not help here.
    throw usageError(error.message.split(/[.\n]/, 1)[0] ?? 'Invalid arguments')
  }
}

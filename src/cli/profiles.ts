import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ConfigError, profilesFile } from '../config.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { type Command, type CommandArguments, UsageError } from './command.ts'
import { httpUrlIn } from './http-url.ts'
import { alignColumns } from './print.ts'

/** A server and an API key under a name, for commands that use the API. */
export interface Profile {
  url: string
  api_id: string
  api_token: string
}

interface Profiles {
  /** Used without --profile. */
  selected: string | null
  profiles: Record<string, Profile>
}

/** The named profile, or the selected one; undefined: there is none. */
export function findProfile(name: string | undefined): { name: string; file: string; profile: Profile } | undefined {
  const file = profilesFile()
  const { selected, profiles } = read(file)
  const wanted = name ?? selected
  if (wanted === null) return undefined
  const profile = Object.hasOwn(profiles, wanted) ? profiles[wanted] : undefined
  if (!profile) throw new ConfigError(`${file} has no profile ${wanted}; list them with \`hookswitch profiles list\``)
  return { name: wanted, file, profile }
}

function read(file: string): Profiles {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { selected: null, profiles: {} }
    throw new ConfigError(`${file} cannot be read`)
  }
  if ((statSync(file).mode & 0o077) !== 0)
    throw new ConfigError(`${file} contains API keys and is readable by other users; run \`chmod 600\` on it`)
  return parsed(file, text)
}

function parsed(file: string, text: string): Profiles {
  try {
    const { selected, profiles }: Partial<Profiles> = JSON.parse(text)
    if (typeof profiles === 'object' && profiles !== null) {
      const known = Object.entries(profiles).filter(([, profile]) => isProfile(profile))
      return { selected: typeof selected === 'string' ? selected : null, profiles: Object.fromEntries(known) }
    }
  } catch {
    // Reported below.
  }
  throw new ConfigError(`${file} is not a file of profiles`)
}

const isProfile = (value: Partial<Profile> | null) =>
  typeof value?.url === 'string' && typeof value.api_id === 'string' && typeof value.api_token === 'string'

/** Readable by this user only, and replaced as a whole. */
function write(profiles: Profiles): void {
  const file = profilesFile()
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  chmodSync(next, 0o600)
  renameSync(next, file)
}

const existing = ({ words: [name = ''] }: CommandArguments) => {
  const all = read(profilesFile())
  if (!Object.hasOwn(all.profiles, name)) throw new CommandRefused(`there is no profile ${name}`)
  return { name, all }
}

export const profileCommands: Command[] = [
  {
    name: 'profiles list',
    summary: 'List the servers that commands can use, without their tokens',
    async run() {
      const { selected, profiles } = read(profilesFile())
      const json = Object.entries(profiles).map(([name, { url, api_id }]) => ({
        name,
        url,
        api_id,
        selected: name === selected,
      }))
      const rows = json.map((one) => [one.selected ? '*' : '', one.name, one.url, one.api_id])
      const text = rows.length > 0 ? alignColumns([['', 'NAME', 'URL', 'API_ID'], ...rows]) : 'No profiles.'
      return { text, json: { profiles: json } }
    },
  },
  {
    name: 'profiles add',
    usage: 'NAME --url URL --api-id ID [--api-token TOKEN]',
    summary: 'Add or replace a profile; the first one is selected',
    details:
      'Without --api-token the token is read from standard input, which hides it from the process list. Profiles are stored in\n' +
      '~/.config/hookswitch/profiles.json, readable by you only.',
    options: { url: { type: 'string' }, 'api-id': { type: 'string' }, 'api-token': { type: 'string' } },
    words: [1, 1],
    async run(given) {
      const [name = ''] = given.words
      const [url, id] = [given.text('url'), given.text('api-id')]
      if (!/^[\w.-]{1,64}$/.test(name)) throw new UsageError('NAME must be letters, digits, ., _ and -')
      if (url === undefined || id === undefined) throw new UsageError('--url and --api-id are required')
      httpUrlIn(url, '--url')
      const token = given.text('api-token') ?? readFileSync(0, 'utf8').trim()
      if (token === '') throw new UsageError('The token is missing: pass it on standard input or as --api-token')
      const { selected, profiles } = read(profilesFile())
      const added = { ...profiles, [name]: { url, api_id: id, api_token: token } }
      write({ selected: selected ?? name, profiles: added })
      return { text: `Profile ${name} saved.`, json: { name, url, api_id: id } }
    },
  },
  {
    name: 'profiles use',
    usage: 'NAME',
    summary: 'Select the profile for commands without --profile',
    words: [1, 1],
    async run(given) {
      const { name, all } = existing(given)
      write({ ...all, selected: name })
      return { text: `Profile ${name} selected.`, json: { selected: name } }
    },
  },
  {
    name: 'profiles remove',
    usage: 'NAME',
    summary: 'Remove a profile; its API key stays valid',
    words: [1, 1],
    async run(given) {
      const { name, all } = existing(given)
      const { [name]: _removed, ...profiles } = all.profiles
      write({ selected: all.selected === name ? null : all.selected, profiles })
      return { text: `Profile ${name} removed.`, json: { removed: name } }
    },
  },
]

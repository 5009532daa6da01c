import { readFileSync } from 'node:fs'
import { type CsvFiles, csvKinds, maxCsvCharacters } from '../domain/import/csv.ts'
import type { ImportCounts, ImportKind, ImportState } from '../domain/import/kinds.ts'
import { importKindLabels, importKinds } from '../domain/import/kinds.ts'
import type { SourceClient } from '../features/imports/source/client.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { pause, systemClock } from '../lib/clock.ts'
import { companyIn, companyOption, isServerRunning } from './administer.ts'
import { type Command, type CommandArguments, type CommandResult, UsageError } from './command.ts'
import { alignColumns } from './print.ts'
import { progress } from './progress.ts'

interface ShownImport {
  id: number
  source: string
  state: ImportState
  error: string | null
  progress: (ImportCounts & { kind: ImportKind })[]
  remarks: { kind: ImportKind; source_id: string; severity: 'rejected' | 'check'; reason: string }[]
}

type Input = Record<string, unknown>

export const importCommand: Command = {
  name: 'import',
  usage:
    '--from URL (--credentials FILE | --api-id ID --api-token TOKEN) [--dry-run] [--merge] [--company ID]\n' +
    '--from csv [--users FILE] [--contacts FILE] [--calls FILE] [--dry-run] [--merge] [--company ID]',
  summary: 'Import a company from another server of this API, or from CSV files',
  details:
    'Brings over users, teams, tags, Numbers, contacts, webhooks (paused), calls of the last six months with comments, tags,\n' +
    'recordings, voicemails and results of conversation intelligence, and messages. --dry-run counts what the source has\n' +
    'and writes nothing; it needs no server and no company. Objects that exist are not changed, unless --merge is given.\n' +
    'A command that was interrupted continues when it is run again; after that, it brings over only what is new.\n' +
    '--credentials is a JSON file with api_id and api_token: options are visible to other users of this machine.\n' +
    '--from csv reads users, contacts and past calls from CSV files with the names of columns in the first line.\n' +
    'In a sandbox the import is for the demo company unless --company selects another one.',
  options: {
    ...companyOption,
    from: { type: 'string' },
    'api-id': { type: 'string' },
    'api-token': { type: 'string' },
    credentials: { type: 'string' },
    'dry-run': { type: 'boolean' },
    merge: { type: 'boolean' },
    users: { type: 'string' },
    contacts: { type: 'string' },
    calls: { type: 'string' },
  },
  async run(given) {
    const access = given.text('from') === 'csv' ? { files: csvFilesIn(given) } : sourceAccess(given)
    if (given.flag('dry-run')) return 'files' in access ? dryRunOfCsv(access.files) : dryRun(access)
    const { readDataDir } = await import('../config.ts')
    const input = { ...companyIn(given), ...access, merge: given.flag('merge') }
    const shown = (await isServerRunning(readDataDir())) ? await onServer(input) : await here(input)
    if (shown.state !== 'done') {
      throw new CommandRefused(
        `the import ${shown.state === 'stopped' ? 'was stopped' : `failed: ${shown.error}`}; run the command again to continue`,
      )
    }
    return { text: reportText(shown), json: shown }
  },
}

function sourceAccess(given: CommandArguments): { url: string; api_id: string; api_token: string } {
  const from = given.text('from')
  if (from === undefined || !/^https?:\/\//.test(from)) {
    throw new UsageError('--from must be the base URL of a server, for example https://phone.example.com')
  }
  const file = given.text('credentials')
  const read = file === undefined ? {} : credentialsIn(file)
  const [id, token] = [given.text('api-id') ?? read.api_id, given.text('api-token') ?? read.api_token]
  if (typeof id !== 'string' || typeof token !== 'string') {
    throw new UsageError('The API key of the source is missing: use --credentials, or --api-id and --api-token')
  }
  return { url: from, api_id: id, api_token: token }
}

function credentialsIn(file: string): Input {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof read === 'object' && read !== null ? { ...read } : {}
  } catch {
    throw new UsageError(`${file} cannot be read, or is not JSON`)
  }
}

function csvFilesIn(given: CommandArguments): CsvFiles {
  const files: CsvFiles = {}
  for (const kind of csvKinds) {
    const file = given.text(kind)
    if (file === undefined) continue
    try {
      files[kind] = readFileSync(file, 'utf8')
    } catch {
      throw new UsageError(`${file} cannot be read`)
    }
  }
  const size = Object.values(files).reduce((sum, text) => sum + text.length, 0)
  if (size === 0) throw new UsageError('Name a file that is not empty: --users, --contacts or --calls')
  if (size > maxCsvCharacters) throw new UsageError('The files are larger than 8 MB: import them in parts')
  return files
}

async function dryRunOfCsv(files: CsvFiles): Promise<CommandResult> {
  const { createCsvSource } = await import('../features/imports/source/csv.ts')
  return counted('csv', () => createCsvSource(files))
}

/** Opens no database. */
async function dryRun(access: { url: string; api_id: string; api_token: string }): Promise<CommandResult> {
  const { createSafeFetch } = await import('../lib/safe-fetch.ts')
  const { createSourceClient } = await import('../features/imports/source/client.ts')
  const { sourceUrlIn } = await import('../features/imports/source/counts.ts')
  const url = sourceUrlIn(access.url)
  if (url === undefined) throw new UsageError('--from must be the base URL of a server, without query')
  const clock = systemClock()
  const anywhere = { loopback: true, allowRanges: [], ownNames: [], ownPorts: [], trusted: true }
  const http = createSafeFetch({ clock, ...anywhere })
  // The timers of a clock do not keep the process alive.
  let isDone = false
  const awake = (async () => {
    while (!isDone) await pause(100)
  })()
  try {
    return await counted(url, () =>
      createSourceClient({ http, clock, access: { url, apiId: access.api_id, apiToken: access.api_token } }),
    )
  } finally {
    isDone = true
    await awake
    await http.close()
  }
}

async function counted(name: string, open: () => SourceClient): Promise<CommandResult> {
  const { SourceUnavailable } = await import('../features/imports/source/client.ts')
  const { countSource } = await import('../features/imports/source/counts.ts')
  const { importedHistoryMs, listImports } = await import('../features/imports/runs/run.ts')
  try {
    const counts = await countSource(open(), listImports, systemClock().now() - importedHistoryMs)
    const rows = importKinds.map((kind) => [importKindLabels[kind], counts[kind] ?? 'counted during the import'])
    const text = `${alignColumns(rows)}\n\nDry run: nothing was imported.`
    return { text, json: { source: name, dry_run: true, counts } }
  } catch (error) {
    throw error instanceof SourceUnavailable ? new CommandRefused(`cannot read ${name}: ${error.message}`) : error
  }
}

async function onServer(input: Input): Promise<ShownImport> {
  const { askRunningServer } = await import('./administer.ts')
  const { id } = await askRunningServer<{ id: number }>('import.start', { ...input, queued: true })
  const company = { ...(input.company !== undefined && { company: input.company }) }
  return watch(() => askRunningServer<ShownImport>('import.show', { ...company, id }))
}

/** Without a server, this process runs the import. */
async function here(input: Input): Promise<ShownImport> {
  const { readConfigOfData } = await import('../config.ts')
  const { withApp } = await import('./with-app.ts')
  return withApp(readConfigOfData(), async ({ commands }) => {
    const ask = <Result>(name: string, asked: Input) => commands[name]?.(asked) as Promise<Result>
    const { id } = await ask<{ id: number }>('import.start', { ...input, queued: false })
    const which = { ...(input.company !== undefined && { company: input.company }), id }
    const running = ask('import.run', which)
    running.catch(() => {})
    const shown = await watch(() => ask<ShownImport>('import.show', which))
    await running
    return shown
  })
}

async function watch(show: () => Promise<ShownImport>): Promise<ShownImport> {
  for (;;) {
    const shown = await show()
    if (shown.state !== 'running') {
      progress.end()
      return shown
    }
    const current = shown.progress.find(({ finished }) => !finished)
    if (current) {
      const read = current.created + current.existing + current.updated + current.rejected
      progress.show(`${importKindLabels[current.kind]}: ${read} of ${current.total ?? '…'}`)
    }
    await pause(200)
  }
}

function reportText({ progress: kinds, remarks }: ShownImport): string {
  const heading = ['', 'CREATED', 'EXISTING', 'UPDATED', 'REJECTED']
  const rows = kinds.map((one) => [importKindLabels[one.kind], one.created, one.existing, one.updated, one.rejected])
  const lines = remarks.map(({ kind, source_id: id, severity, reason }) => [
    severity === 'rejected' ? 'Rejected' : 'Check',
    `${importKindLabels[kind]} ${id}`,
    reason,
  ])
  return [alignColumns([heading, ...rows]), ...(lines.length > 0 ? [alignColumns(lines)] : [])].join('\n\n')
}

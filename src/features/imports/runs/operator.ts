import type { CompanyId } from '../../../db/tables.ts'
import type { CsvFiles } from '../../../domain/import/csv.ts'
import { type AdminCommands, CommandRefused } from '../../../http/admin-socket.ts'
import { idFrom } from '../../../http/input.ts'
import type { Services } from '../../../services.ts'
import { operatorActor } from '../../accounts/index.ts'
import { sourceUrlIn } from '../source/counts.ts'
import { importReport, startImport, stopImport } from './actions.ts'
import { type ImportTools, importRunner } from './run.ts'
import { findImportRun } from './store.ts'
import { importRunView } from './view.ts'

type Input = Record<string, unknown>

function sourceIn({ url, api_id: apiId, api_token: apiToken, files }: Input) {
  if (typeof files === 'object' && files !== null) return { files: files as CsvFiles }
  const source = typeof url === 'string' ? sourceUrlIn(url) : undefined
  if (source === undefined) throw new CommandRefused('--from must be the base URL of a server')
  if (typeof apiId !== 'string' || typeof apiToken !== 'string') {
    throw new CommandRefused('--api-id and --api-token are required')
  }
  return { url: source, apiId, apiToken }
}

/** Commands of the operator for imports. The server runs an import as a job; without a server, `import.run` runs it. */
export function importAdminCommands(
  services: Services,
  tools: ImportTools,
  companyOrDemo: (input: Input) => Promise<CompanyId>,
): AdminCommands {
  const runOf = async (input: Input) => {
    const companyId = await companyOrDemo(input)
    const id = idFrom(input.id)
    const run = id === undefined ? undefined : await findImportRun(services.db, companyId, id)
    if (!run) throw new CommandRefused('there is no such import')
    return { companyId, run }
  }
  return {
    'import.start': async (input) => {
      const id = await startImport(services, await companyOrDemo(input), {
        ...sourceIn(input),
        merges: input.merge === true,
        byOperator: true,
        createdBy: null,
        actor: operatorActor,
        queued: input.queued === true,
      })
      return { id }
    },
    'import.run': async (input) => {
      const { companyId, run } = await runOf(input)
      await importRunner(services, tools)({ companyId, runId: run.id })
      return {}
    },
    'import.stop': async (input) => {
      const { companyId, run } = await runOf(input)
      await stopImport(services, companyId, run)
      return {}
    },
    'import.show': async (input) => {
      const { companyId, run } = await runOf(input)
      const report = await importReport(services, companyId, run.id)
      if (!report) throw new CommandRefused('there is no such import')
      return importRunView(report.run, report.progress, report.remarks)
    },
  }
}

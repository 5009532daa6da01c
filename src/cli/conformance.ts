import { type Api, apiDetails, apiOptions, apiUsage, serverAccess } from './api.ts'
import type { Command, CommandArguments, CommandResult } from './command.ts'
import { coloursFor } from './event-line.ts'
import { progress } from './progress.ts'

export const conformanceCommand: Command = {
  name: 'conformance',
  usage: `[--read-only] ${apiUsage}`,
  summary: 'Check a server, or a mock of one, against the public API contract',
  details:
    'Sends requests as an integration does, and compares status codes, pages, error bodies and every response with the API\n' +
    'document of this release. Creates a contact, a tag, a team and a disabled webhook, and deletes them; --read-only leaves\n' +
    `them out. Exit code 1: a check failed.\n${apiDetails}`,
  options: { ...apiOptions, 'read-only': { type: 'boolean' } },
  run: conformance,
}

export interface ConformanceResult {
  name: string
  /** Undefined: passed. */
  problem: string | undefined
}

async function conformance(given: CommandArguments): Promise<CommandResult> {
  const { base, apiId, token } = serverAccess(given)
  const { conformanceChecks } = await import('./conformance-checks.ts')
  const checks = conformanceChecks({ base, apiId, token, readOnly: given.flag('read-only') })
  const results: ConformanceResult[] = []
  for (const { name, run } of checks) {
    progress.show(`${results.length + 1} of ${checks.length}: ${name}`)
    results.push({ name, problem: await run() })
  }
  progress.end()
  const failed = results.filter(({ problem }) => problem !== undefined).length
  if (failed > 0) process.exitCode = 1
  return { text: reportText(base, results), json: { base, passed: results.length - failed, failed, checks: results } }
}

function reportText(base: Api['base'], results: readonly ConformanceResult[]): string {
  const { good, bad } = coloursFor(process.stdout)
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `${good('✓')} ${name}` : `${bad('✗')} ${name}\n    ${problem}`,
  )
  const failed = results.filter(({ problem }) => problem !== undefined).length
  return [...lines, `${base}: ${results.length - failed} passed, ${failed} failed`].join('\n')
}

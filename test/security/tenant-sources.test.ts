import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

// tenant-queries.test.ts reads the statements that requests execute. This test reads the source, so that it also covers
// statements that no request of that test reaches: engine, retention, dispatcher, reset. A company condition that is removed
// from an UPDATE or DELETE fails here, even where the caller has loaded the row of its own company before.

const root = path.resolve(import.meta.dirname, '../..')

const retention = 'retention applies to all companies'
const requests = 'requests between processes are addressed to a process'
const sequencer = 'the sequencer numbers the events of all companies'

const held = 'the holder of an unguessable value proves which company it belongs to'

/** Statements without a company condition: file and function, and the reason. */
const excused: Record<string, string> = {
  'src/db/installation-key.ts replaceInstallationKey':
    'the key of the installation: ends the sessions of all companies',
  'src/db/dialect.ts createNumberEvents': sequencer,
  'src/db/load.ts build': sequencer,
  'src/engine/process-store.ts deleteAbandoned': requests,
  'src/live/store.ts takeRelayedMessages': requests,
  'src/live/store.ts deleteRelayedMessages': requests,
  'src/events/log.ts setPayload': 'the row was read by company in the same transaction',
  'src/features/accounts/emails/store.ts markMail': 'the job of a mail holds its id',
  'src/features/integrations/oauth/store.ts useCode': held,
  'src/features/accounts/sign-in/store.ts useLink': held,
  'src/engine/toll-store.ts forgetDialled': retention,
  'src/features/accounts/devices/store.ts useSetup': held,
  'src/features/accounts/push/store.ts deleteByEndpoint':
    'an endpoint identifies one browser, whichever company its last user was in',
  'src/features/accounts/devices/store.ts forgetSetups': retention,
  'src/features/voice-agents/outbound-calls/store.ts deleteOldOutboundCalls': retention,
  'src/features/integrations/deliveries/retention-store.ts expireSome': retention,
  'src/features/integrations/deliveries/retention-store.ts deleteOldEvents': retention,
  'src/features/integrations/deliveries/retention-store.ts deleteOldReplays': retention,
  'src/features/messages/messages/callbacks-store.ts deleteOldCallbacks': retention,
  'src/features/messages/transport/store.ts deleteOldArrivals': retention,
  'src/features/integrations/oauth/store.ts deleteOldCodes': retention,
  'src/features/calls/recordings/store.ts deleteExpiredShortUrls': retention,
  'src/features/accounts/credentials/idempotency-store.ts deleteExpiredKeys': retention,
  'src/features/accounts/emails/store.ts deleteOldMails': retention,
  'src/features/calls/calls/retention-store.ts deleteOldCallbackRequests': retention,
  'src/features/calls/dialer/store.ts deleteCalledNumbers': retention,
  'src/features/accounts/audit/bulk-change-store.ts deleteOldBulkChanges': retention,
  'src/features/calls/live-alerts/store.ts deleteOldLiveAlerts': retention,
  'src/features/analytics/scheduled-reports/store.ts deleteOldReportRuns': retention,
  'src/features/accounts/sso/store.ts takeSsoRequest': held,
  'src/features/accounts/sso/store.ts deleteOldSsoRequests': retention,
}

interface Statement {
  name: string
  text: string
}

const companyTables = new Set(
  (() => {
    const source = readFileSync(path.join(root, 'src/db/tables.ts'), 'utf8')
    const owned = new Set(
      [...source.matchAll(/interface (\w+Table) \{(.*?)\n\}/gs)]
        .filter(([, , body]) => body?.includes('company_id'))
        .map(([, name]) => name),
    )
    return [...source.matchAll(/^ {2}(\w+): (\w+Table)$/gm)]
      .filter(([, , type]) => owned.has(type))
      .map(([, table = '']) => table)
  })(),
)

const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('migrations'))
  .map((file) => ({ file: `src/${file}`, source: readFileSync(path.join(root, 'src', file), 'utf8') }))

/** The calls chained to the one at `start`: `deleteFrom('tag').where(…).execute()`. */
function chainFrom(source: string, start: number): string {
  let at = source.indexOf('(', start)
  for (;;) {
    let depth = 0
    do {
      if (source[at] === '(') depth += 1
      if (source[at] === ')') depth -= 1
      at += 1
    } while (depth > 0 && at < source.length)
    const next = /^\s*\.\w+(?:<[^()]*>)?(?=\()/.exec(source.slice(at))
    if (!next) return source.slice(start, at)
    at += next[0].length
  }
}

const enclosing = (source: string, at: number) =>
  [...source.slice(0, at).matchAll(/^(?:export )?(?:async )?(?:function\*?|const) (\w+)/gm)].at(-1)?.[1] ?? ''

function* built(file: string, source: string): Generator<Statement> {
  for (const found of source.matchAll(/\b(?:updateTable|deleteFrom)\((?:'(\w+)[^']*'|\w+)/g)) {
    // A table given by a variable may be one of a company.
    if (found[1] && !companyTables.has(found[1])) continue
    yield { name: `${file} ${enclosing(source, found.index)}`, text: chainFrom(source, found.index) }
  }
}

function* handWritten(file: string, source: string): Generator<Statement> {
  for (const { 1: text = '', index } of source.matchAll(/\bsql(?:<[^`]*?>)?`([^`]*)`/g)) {
    for (const [, table = ''] of text.matchAll(/\b(?:update|delete from) (\w+)(?: as \w+| \w)?\s+(?:set|where)\b/g)) {
      if (companyTables.has(table)) yield { name: `${file} ${enclosing(source, index)}`, text }
    }
  }
}

const namesCompany = ({ text }: Statement) =>
  /where\([^)]*company_?id/i.test(text) || /company_id['")}]* = (?:\$\{|\w+\.company_id)/.test(text)

const statements = files.flatMap(({ file, source }) => [...built(file, source), ...handWritten(file, source)])

// The dispatcher sends for all companies and selects rows by webhook or lease.
const isDispatcher = ({ name }: Statement) => /^src\/delivery\/[\w-]+-store\.ts /.test(name)

test('every UPDATE and DELETE on the rows of a company has a company condition', () => {
  const unnamed = [
    ...new Set(statements.filter((one) => !isDispatcher(one) && !namesCompany(one)).map(({ name }) => name)),
  ]

  expect(unnamed.filter((name) => excused[name] === undefined)).toEqual([])
  expect(Object.keys(excused).filter((name) => !unnamed.includes(name))).toEqual([])
  expect(statements.length).toBeGreaterThan(150)
})

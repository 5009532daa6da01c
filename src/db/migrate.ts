import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Database, type Db, transaction } from './database.ts'
import { holdLock, setLockTimeout } from './dialect.ts'
import { NewerSchema } from './errors.ts'
import * as accounts from './migrations/0001_accounts.ts'
import * as numbers from './migrations/0002_numbers.ts'
import * as contacts from './migrations/0003_contacts_and_tags.ts'
import * as webhooks from './migrations/0004_webhooks_and_events.ts'
import * as work from './migrations/0005_jobs_and_mail.ts'
import * as deliveries from './migrations/0006_deliveries.ts'
import * as calls from './migrations/0007_calls.ts'
import * as signIn from './migrations/0008_sign_in.ts'
import * as audit from './migrations/0009_audit.ts'
import * as oauth from './migrations/0010_oauth.ts'
import * as tries from './migrations/0011_sign_in_tries.ts'
import * as whoseCalls from './migrations/0012_whose_calls.ts'
import * as trunks from './migrations/0013_trunks.ts'
import * as sounds from './migrations/0014_sounds.ts'
import * as callSound from './migrations/0015_call_sound.ts'
import * as analytics from './migrations/0016_analytics.ts'
import * as messages from './migrations/0017_messages.ts'
import * as intelligence from './migrations/0018_intelligence.ts'
import * as voiceAgents from './migrations/0019_ai_voice_agents.ts'
import * as engines from './migrations/0020_engines.ts'
import * as companyCountry from './migrations/0021_company_country.ts'
import * as messageLimits from './migrations/0022_message_limits.ts'
import * as sharedTrunks from './migrations/0023_shared_trunks.ts'
import * as nameKeys from './migrations/0024_name_keys.ts'
import * as pastNumbersAndTeams from './migrations/0025_past_numbers_and_teams.ts'
import * as outboundCallFailures from './migrations/0026_outbound_call_failures.ts'
import * as searches from './migrations/0027_searches.ts'
import * as processes from './migrations/0028_processes.ts'
import * as preceding from './migrations/0029_preceding_deliveries.ts'
import * as inboundDigest from './migrations/0030_inbound_digest.ts'
import * as contactNames from './migrations/0031_contact_names.ts'
import * as deliveryLog from './migrations/0032_delivery_log.ts'
import * as lostCalls from './migrations/0033_lost_calls.ts'
import * as speechJobs from './migrations/0034_speech_jobs.ts'
import * as missedCallCounts from './migrations/0035_missed_call_counts.ts'
import * as trunkCodecs from './migrations/0036_trunk_codecs.ts'
import * as legQuality from './migrations/0037_leg_quality.ts'
import * as devices from './migrations/0038_devices.ts'
import * as lineNodes from './migrations/0039_line_nodes.ts'
import * as phoneParts from './migrations/0040_phone_parts.ts'
import * as toDo from './migrations/0041_to_do.ts'
import * as pushSubscriptions from './migrations/0042_push_subscriptions.ts'
import * as accountSecurity from './migrations/0043_account_security.ts'
import * as tableWork from './migrations/0044_tables.ts'
import * as blockedCallers from './migrations/0045_blocked_callers.ts'
import * as userDeactivation from './migrations/0046_user_deactivation.ts'
import * as signInMethods from './migrations/0047_sign_in_methods.ts'
import * as callPreferences from './migrations/0048_call_preferences.ts'
import * as transcriptSearch from './migrations/0049_transcript_search.ts'
import * as liveAlerts from './migrations/0051_live_alerts.ts'
import * as retention from './migrations/0052_retention.ts'
import * as scheduledReports from './migrations/0053_scheduled_reports.ts'
import * as edits from './migrations/0054_edits.ts'
import * as idempotencyKeys from './migrations/0060_idempotency_keys.ts'
import * as apiKeyScopes from './migrations/0061_api_key_scopes.ts'
import * as recordingNotices from './migrations/0062_recording_notices.ts'
import * as imports from './migrations/0063_imports.ts'
import * as messageRetention from './migrations/0064_retention_of_messages.ts'
import * as pendingWrapUps from './migrations/0065_pending_wrap_ups.ts'
import * as answeredVoicemails from './migrations/0066_voicemails_of_answered_calls.ts'
import * as phonePartRemoval from './migrations/0067_phone_part_removal.ts'
import * as aiAgentTests from './migrations/0068_ai_agent_tests.ts'
import * as aiUsage from './migrations/0069_ai_usage.ts'
import * as aiCallOutcomes from './migrations/0070_ai_call_outcomes.ts'
import * as aiAgentVersions from './migrations/0071_ai_agent_versions.ts'
import * as jobsOfCompanies from './migrations/0072_jobs_of_companies.ts'
import * as contactOwners from './migrations/0073_contact_owners.ts'
import * as aiCampaigns from './migrations/0074_ai_campaigns.ts'
import * as structuredData from './migrations/0075_structured_data.ts'
import * as aiAgentDocuments from './migrations/0076_ai_agent_documents.ts'
import * as speechVocabulary from './migrations/0077_speech_vocabulary.ts'
import * as suggestionsAndReviews from './migrations/0078_suggestions_and_reviews.ts'
import * as documentRevisions from './migrations/0079_document_revisions.ts'
import * as directMessages from './migrations/0080_direct_messages.ts'
import * as campaignCounts from './migrations/0081_campaign_counts.ts'
import { oldestUsable, storeCompatibility } from './schema-compatibility.ts'

interface Migration {
  name: string
  up: (tx: Db) => Promise<void>
  /**
   * Why a release without this migration cannot use the schema: such releases report that they are not ready and refuse to
   * start. Other migrations only expand the schema, so that the previous release can go on beside this one.
   */
  breaks?: string
}

/** Applied in order, forward only; the number is the position in the list, from 1. */
export const migrations: readonly Migration[] = [
  { name: 'accounts', up: accounts.up },
  { name: 'numbers', up: numbers.up },
  { name: 'contacts_and_tags', up: contacts.up },
  { name: 'webhooks_and_events', up: webhooks.up },
  { name: 'jobs_and_mail', up: work.up },
  { name: 'deliveries', up: deliveries.up },
  { name: 'calls', up: calls.up },
  { name: 'sign_in', up: signIn.up },
  { name: 'audit', up: audit.up },
  { name: 'oauth', up: oauth.up },
  { name: 'sign_in_tries', up: tries.up },
  { name: 'whose_calls', up: whoseCalls.up },
  { name: 'trunks', up: trunks.up },
  { name: 'sounds', up: sounds.up },
  { name: 'call_sound', up: callSound.up },
  { name: 'analytics', up: analytics.up },
  { name: 'messages', up: messages.up },
  { name: 'intelligence', up: intelligence.up },
  { name: 'ai_voice_agents', up: voiceAgents.up },
  { name: 'engines', up: engines.up },
  { name: 'company_country', up: companyCountry.up },
  { name: 'message_limits', up: messageLimits.up },
  { name: 'shared_trunks', up: sharedTrunks.up },
  { name: 'name_keys', up: nameKeys.up },
  { name: 'past_numbers_and_teams', up: pastNumbersAndTeams.up },
  { name: 'outbound_call_failures', up: outboundCallFailures.up },
  { name: 'searches', up: searches.up },
  { name: 'processes', up: processes.up },
  { name: 'preceding_deliveries', up: preceding.up },
  { name: 'inbound_digest', up: inboundDigest.up },
  { name: 'contact_names', up: contactNames.up },
  { name: 'delivery_log', up: deliveryLog.up },
  { name: 'lost_calls', up: lostCalls.up },
  { name: 'speech_jobs', up: speechJobs.up, breaks: 'jobs have kinds that earlier releases do not know' },
  { name: 'missed_call_counts', up: missedCallCounts.up },
  { name: 'trunk_codecs', up: trunkCodecs.up },
  { name: 'leg_quality', up: legQuality.up },
  { name: 'devices', up: devices.up },
  { name: 'line_nodes', up: lineNodes.up },
  { name: 'phone_parts', up: phoneParts.up },
  { name: 'to_do', up: toDo.up },
  { name: 'tables', up: tableWork.up },
  { name: 'account_security', up: accountSecurity.up },
  { name: 'push_subscriptions', up: pushSubscriptions.up },
  { name: 'blocked_callers', up: blockedCallers.up },
  { name: 'user_deactivation', up: userDeactivation.up },
  { name: 'sign_in_methods', up: signInMethods.up },
  { name: 'call_preferences', up: callPreferences.up },
  { name: 'live_alerts', up: liveAlerts.up },
  { name: 'retention', up: retention.up },
  { name: 'transcript_search', up: transcriptSearch.up },
  { name: 'edits', up: edits.up },
  { name: 'scheduled_reports', up: scheduledReports.up },
  { name: 'idempotency_keys', up: idempotencyKeys.up },
  { name: 'api_key_scopes', up: apiKeyScopes.up },
  { name: 'recording_notices', up: recordingNotices.up },
  { name: 'imports', up: imports.up },
  { name: 'retention_of_messages', up: messageRetention.up },
  { name: 'pending_wrap_ups', up: pendingWrapUps.up },
  { name: 'voicemails_of_answered_calls', up: answeredVoicemails.up },
  { name: 'phone_part_removal', up: phonePartRemoval.up },
  { name: 'ai_agent_tests', up: aiAgentTests.up },
  { name: 'ai_usage', up: aiUsage.up },
  { name: 'ai_call_outcomes', up: aiCallOutcomes.up },
  { name: 'ai_agent_versions', up: aiAgentVersions.up },
  { name: 'jobs_of_companies', up: jobsOfCompanies.up },
  { name: 'contact_owners', up: contactOwners.up },
  { name: 'ai_campaigns', up: aiCampaigns.up },
  { name: 'structured_data', up: structuredData.up },
  { name: 'ai_agent_documents', up: aiAgentDocuments.up },
  { name: 'speech_vocabulary', up: speechVocabulary.up },
  { name: 'suggestions_and_reviews', up: suggestionsAndReviews.up },
  { name: 'document_revisions', up: documentRevisions.up },
  { name: 'direct_messages', up: directMessages.up },
  { name: 'campaign_counts', up: campaignCounts.up },
]

export const schemaVersion = migrations.length

/** Migrates the store to the schema of this release; safe when several processes start together. */
export async function migrate(
  database: Database,
  options: { clock: Clock; log: Log; backupFolder?: string | undefined },
): Promise<number> {
  const { db } = database
  // Under the lock: "if not exists" alone fails on PostgreSQL when two processes run it concurrently.
  await transaction(db, async (tx) => {
    await holdLock(tx, 'migrate')
    await createMigrationTable(tx)
  })
  const found = await appliedVersion(db)
  if (found > schemaVersion) {
    if ((await schemaState(db)) === 'unusable') throw new NewerSchema(found, schemaVersion)
    options.log.warn({ event: 'store.newer_schema', schema: found, known: schemaVersion }, 'schema of a newer release')
  }
  if (found >= schemaVersion) return 0
  if (found > 0 && options.backupFolder)
    await copyBefore(database, options.backupFolder, found, options.clock.machineNow())

  let applied = 0
  for (const [index, migration] of migrations.entries()) {
    const number = index + 1
    const ran = await transaction(db, async (tx) => {
      await holdLock(tx, 'migrate')
      if ((await appliedVersion(tx)) >= number) return false
      await setLockTimeout(tx)
      await migration.up(tx)
      const row = { number, name: migration.name, applied_at: options.clock.machineNow() }
      await tx.insertInto('schema_migration').values(row).execute()
      await storeCompatibility(tx, migrations.slice(0, number))
      return true
    })
    if (ran) applied++
  }
  options.log.info({ event: 'store.migrated', from: found, to: schemaVersion }, 'store migrated')
  return applied
}

/** `newer`: of a newer release, and this one can use it. */
export type SchemaState = 'current' | 'newer' | 'unusable'

export async function schemaState(db: Db): Promise<SchemaState> {
  const applied = await appliedVersion(db)
  if (applied === schemaVersion) return 'current'
  return applied > schemaVersion && (await oldestUsable(db, applied)) <= schemaVersion ? 'newer' : 'unusable'
}

export async function appliedVersion(db: Db): Promise<number> {
  const row = await db
    .selectFrom('schema_migration')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst()
  return row?.number ?? 0
}

export async function createMigrationTable(tx: Db): Promise<void> {
  await sql`create table if not exists schema_migration (
    number integer primary key, name text not null, applied_at bigint not null)`.execute(tx)
}

async function copyBefore(database: Database, folder: string, version: number, at: number) {
  if (!database.copyTo) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await database.copyTo(path.join(folder, `before-schema-${version + 1}-${at}.db`))
}

import type { AgentLanguage } from '../domain/ai-agent/plan.ts'
import type { JsonSchema } from '../domain/intelligence/json-schema.ts'
/** Job kinds and their payloads. */
export interface JobPayloads {
  'mail.send': { mailId: number }
  'password.reset': { email: string }
  'user.erase': { companyId: number; userId?: number; userIds?: number[] }
  'user.farewell': { companyId: number; userId?: number; userIds?: number[]; until?: number }
  /** One contact in jobs of earlier releases. */
  'contact.erase': { companyId: number; contactId?: number; contactIds?: number[] }
  'contact.farewell': { companyId: number; contactId?: number; contactIds?: number[]; until: number }
  /** Writes or undoes the rows of a bulk change. */
  'contact.bulk_change': { companyId: number; changeId: number }
  /** Continues an import from another server. */
  'company.import': { companyId: number; runId: number }
  'user.import': { companyId: number; changeId: number }
  /** `after` is the position of the last row whose invitation was sent. */
  'user.import_invitations': { companyId: number; changeId: number; after: number }
  /** Words no longer used by a contact; those that no other contact uses are removed. */
  'contact.forget_words': { companyId: number; words: string[] }
  /** Indexes contacts created before names were indexed, starting after this id. */
  'contact.index_names': { after: number }
  /** Indexes phone numbers of contacts that are older than the index, starting after this id. */
  'contact.index_phones': { after: number }
  /** Indexes transcripts that are older than the index, starting after this id. */
  'transcript.index': { after: number }
  /** An alert for the operator, by one channel. */
  'operator.alert': {
    channel: 'email' | 'webhook'
    event: string
    message: string
    details: Record<string, string | number | null>
    at: number
  }
  /** A trunk that went down; reported if it is still down. */
  'trunk.down': { companyId: number | null; trunkId: number; since: number }
  /** Checks the thresholds of the live page, as long as the company has any. */
  'live.watch': { companyId: number }
  'user.wrap_up': { companyId: number; userId: number; callId: number }
  'call.ended': { companyId: number; callId: number; notes: number }
  'call.assets': { companyId: number; callId: number }
  /** Sends a voicemail to the users of its Number; `until`: how long a transcript is waited for. */
  'voicemail.email': { companyId: number; callId: number; until: number }
  /** Builds the transcript from recognized speech; `again`: speech recognition runs again. */
  'call.build_transcript': { companyId: number; callId: number; again?: true }
  /** Derives one output from the transcript; `again`: replaces the output of an earlier run. */
  'call.analyse': { companyId: number; callId: number; output: CallOutput; again?: boolean }
  /**
   * As `call.analyse`, with an LLM; `tries` counts earlier attempts; `together`: this output and others in one request.
   * The kind is stored and a label of `hookswitch_jobs_total`, so it keeps its name.
   */
  'call.think': {
    companyId: number
    callId: number
    output: CallOutput
    again?: boolean
    tries: number
    together?: true
  }
  'callback.serve': { companyId: number; requestId: string }
  'agent_calls.serve': { companyId: number }
  /** Places the calls of campaigns that are due. */
  'campaigns.serve': { companyId: number }
  /** Fetches the web page of a document of an AI agent. */
  'agent_document.fetch': { companyId: number; documentId: string }
  /** Computes vectors of passages that have none. */
  'agent_document.embed': { companyId: number; documentId: string }
  /** Extracts the data of a conversation with an LLM; `tries` counts earlier attempts. */
  'agent_data.extract': {
    companyId: number
    agentId: string
    session: string
    schema: JsonSchema
    language: AgentLanguage
    tries: number
  }
  /** Do not disturb ends, unless it was changed meanwhile. */
  'user.absence_end': { companyId: number; userId: number; until: number }
  'user.hours': { companyId: number; userId: number; wasOpen: boolean }
  'number.hours': { companyId: number; numberId: number; wasOpen: boolean }
  /** Brings the deliveries of a webhook in line with its state. The kind is stored, so it keeps its name. */
  'webhook.follow': { companyId: number; webhookId: string }
  'webhook.probe': { companyId: number; webhookId: string }
  'webhook.digest': { companyId: number; since: number }
  'replay.fill': { companyId: number; replayId: string }
  'oauth.clear': { appId: number }
  /** `source` is the file written by the voice driver. */
  'recording.convert': {
    companyId: number
    callId: number
    kind: 'recording' | 'voicemail'
    source: string
    ms: number
  }
  /** Runs speech-to-text on the recording of a real call; `understood`: only the audio remains to be deleted. */
  'call.speech_to_text': {
    companyId: number
    callId: number
    kind: 'recording' | 'voicemail'
    source: string
    tries: number
    understood?: true
  }
  /** `tries` counts earlier attempts. */
  'sound.fetch': { companyId: number; url: string; tries: number }
  /** `tries` counts earlier attempts. */
  'message.media': { companyId: number; messageRow: number; tries: number }
  /** Deletes an upload that was never sent. */
  'message.upload': { file: string }
  /** Reaction of a simulated recipient to a message. Stored: the field name `deed` cannot change. */
  'message.simulated': {
    companyId: number
    messageRow: number
    deed: 'delivered' | 'read' | 'undelivered' | 'failed' | 'reply'
  }
  /** The JSON of a scenario step; jobs of the previous release have it as `deed`. */
  'sandbox.step': { companyId: number; runId: string } & ({ step: string } | { deed: string })
  /** `isPast`: of the demo company, whose past publishes no events. */
  'analytics.export': { companyId: number; exportId: string; isPast?: true }
  /** A scheduled report is due. */
  'report.due': { companyId: number; reportId: number }
  /** Sends a run of a scheduled report; `tries` counts earlier attempts. */
  'report.send': { companyId: number; runId: number; tries: number }
  /** When the last complete run was. */
  retention: { dailyAt?: number }
}

export const callOutputs = [
  'sentiment',
  'topics',
  'summary',
  'action_items',
  'custom_summary',
  'playbook_result',
  'evaluation',
  'predicted_csat',
] as const
export type CallOutput = (typeof callOutputs)[number]

export type JobKind = keyof JobPayloads

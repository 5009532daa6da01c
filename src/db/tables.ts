import type { Generated } from 'kysely'
import type { CallOutcome, CampaignStatus, RecipientStatus } from '../domain/ai-agent/campaign.ts'
import type { RecordingConsent } from '../domain/call/state.ts'
import type { ImportKind, ImportState } from '../domain/import/kinds.ts'
import type { UsagePurpose } from '../domain/intelligence/engines.ts'
import type { LanguageTag } from '../domain/intelligence/transcript.ts'
import type { LiveAlertKind } from '../domain/live-alerts.ts'

// Types of all tables. Times are integer milliseconds, flags 0 or 1, JSON is text parsed by the store.

export type Flag = 0 | 1
export type CompanyId = number

export interface Tables {
  company: CompanyTable
  api_key: ApiKeyTable
  oauth_app: OauthAppTable
  oauth_token: OauthTokenTable
  oauth_token_number: { token_id: number; number_id: number; company_id: CompanyId }
  oauth_code: OauthCodeTable
  session: SessionTable
  two_step: TwoStepTable
  sso: SsoTable
  /** Which account of the provider belongs to which user. */
  sso_identity: { company_id: CompanyId; issuer: string; subject: string; user_id: number; created_at: number }
  sso_request: SsoRequestTable
  passkey: PasskeyTable
  /** Null for a sign-in, whose user is not known yet. */
  passkey_challenge: {
    challenge_hash: string
    company_id: CompanyId | null
    user_id: number | null
    expires_at: number
  }
  blocked_caller: BlockedCallerTable
  /** Targets and thresholds of the live page as JSON, and the state of each threshold. */
  live_setting: { company_id: CompanyId; settings: string; state: string }
  live_alert: LiveAlertTable
  scheduled_report: ScheduledReportTable
  scheduled_report_recipient: ReportRecipientTable
  scheduled_report_run: ReportRunTable
  idempotency_key: IdempotencyKeyTable
  recovery_code: { user_id: number; company_id: CompanyId; code_hash: string; used_at: number | null }
  user: UserTable
  user_role: { user_id: number; company_id: CompanyId; role: Role }
  invitation: InvitationTable
  team: { id: Generated<number>; company_id: CompanyId; name: string; name_key: string | null; created_at: number }
  team_member: { team_id: number; user_id: number; company_id: CompanyId; added_at: number }
  number: NumberTable
  /** Deleted Numbers and teams that past calls still show. `data` is the row with its live flow. */
  past_number: { id: number; company_id: CompanyId; data: string; deleted_at: number }
  past_team: { id: number; company_id: CompanyId; name: string; created_at: number; deleted_at: number }
  number_user: { number_id: number; user_id: number; company_id: CompanyId }
  number_target: { number_id: number; company_id: CompanyId; kind: 'user' | 'team'; target_id: number }
  flow_version: { number_id: number; version: number; company_id: CompanyId; document: string; created_at: number }
  flow_draft: { number_id: number; company_id: CompanyId; document: string; updated_at: number }
  contact: ContactTable
  contact_phone: {
    id: Generated<number>
    contact_id: number
    company_id: CompanyId
    label: string
    value: string
    digits: string
  }
  contact_email: {
    id: Generated<number>
    contact_id: number
    company_id: CompanyId
    label: string
    value: string
    address: string
  }
  /** Words of a contact's name and company, as searched. */
  contact_word: { contact_id: number; company_id: CompanyId; word: string }
  /** Each distinct word of `contact_word`, indexed by all its suffixes. */
  name_part: { company_id: CompanyId; part: string; word: string }
  /** Each external number of the calls, indexed by all its endings. */
  party_part: { company_id: CompanyId; part: string; digits: string }
  saved_filter: SavedFilterTable
  direct_message: DirectMessageTable
  direct_conversation: DirectConversationTable
  import_run: ImportRunTable
  import_progress: ImportProgressTable
  import_problem: ImportProblemTable
  imported_object: ImportedObjectTable
  bulk_change: BulkChangeTable
  bulk_change_row: BulkChangeRowTable
  /** Phone numbers of contacts, indexed by all their suffixes; maintained by triggers. */
  phone_part: { company_id: CompanyId; part: string; digits: string }
  /** Number of contacts created and of contacts last changed per day. */
  contact_count: { company_id: CompanyId; day: number; n: number; changed: number }
  tag: {
    id: Generated<number>
    company_id: CompanyId
    name: string
    /** Normalized name, unique in the company; null: written by an older release. */
    name_key: string | null
    color: string
    description: string | null
    created_at: number
  }
  webhook: WebhookTable
  webhook_event: { webhook_id: string; name: string }
  event: EventTable
  event_sequence: { id: number; last: number }
  stream: { webhook_id: string; resource_key: string; company_id: CompanyId; last_seq: number }
  delivery: DeliveryTable
  attempt: AttemptTable
  replay: ReplayTable
  trunk: TrunkTable
  trunk_assignment: { trunk_id: number; company_id: CompanyId }
  carrier: CarrierTable
  message_line: MessageLineTable
  message_lease: MessageLeaseTable
  message_configuration: MessageConfigurationTable
  conversation: ConversationTable
  message: MessageTable
  message_piece: MessagePieceTable
  message_arrival: MessageArrivalTable
  message_part: MessagePartTable
  message_callback: MessageCallbackTable
  opt_out: OptOutTable
  sms_template: SmsTemplateTable
  whatsapp_template: WhatsappTemplateTable
  ai_voice_agent: AiVoiceAgentTable
  ai_agent_session: AiAgentSessionTable
  ai_agent_test_set: AiAgentTestSetTable
  ai_usage: AiUsageTable
  ai_agent_version: AiAgentVersionTable
  ai_agent_document: AiAgentDocumentTable
  ai_agent_passage: AiAgentPassageTable
  suggestion_source: SuggestionSourceTable
  ai_outbound_call: AiOutboundCallTable
  call_opt_out: CallOptOutTable
  ai_campaign: AiCampaignTable
  ai_campaign_recipient: AiCampaignRecipientTable
  dial_limit: DialLimitTable
  dialled: DialledTable
  message_limit: MessageLimitTable
  message_use: MessageUseTable
  sound: SoundTable
  worker: { id: string; started_at: number; heartbeat_at: number; build: string; life_key: number }
  job: JobTable
  mail: MailTable
  phone_session: PhoneSessionTable
  push_subscription: PushSubscriptionTable
  device: DeviceTable
  device_contact: DeviceContactTable
  call_forwarding: CallForwardingTable
  line_node: LineNodeTable
  /** The line node that holds the registration; `beat` counts renewals. */
  trunk_registration: { trunk_id: number; node: string; beat: number }
  user_status: UserStatusTable
  call: CallTable
  call_count: { company_id: CompanyId; day: number; direction: string; n: number }
  missed_call_count: { company_id: CompanyId; day: number; n: number }
  call_tag: CallTagTable
  call_comment: CallCommentTable
  call_read: { user_id: number; call_id: number; company_id: CompanyId; read_at: number }
  call_trace: { id: Generated<number>; call_id: number; company_id: CompanyId; at: number; entry: string }
  leg_quality: LegQualityTable
  ring_attempt: RingAttemptTable
  call_party: CallPartyTable
  analytics_export: AnalyticsExportTable
  intelligence_switch: {
    company_id: CompanyId
    number_id: number
    enabled: Flag
    language: LanguageTag | null
    vocabulary: string | null
  }
  transcript: TranscriptTable
  transcript_word: TranscriptWordTable
  call_review: CallReviewTable
  insight: InsightTable
  action_item: ActionItemTable
  guide: GuideTable
  evaluation: EvaluationTable
  company_engine: CompanyEngineTable
  live_call: LiveCallTable
  live_party: { key: string; user_id: number; company_id: CompanyId }
  queue_place: QueuePlaceTable
  ring_reservation: { user_id: number; company_id: CompanyId; key: string; at: number }
  call_command: CallCommandTable
  process: { id: string; roles: string; draining: number; seen_at: number }
  callback_request: CallbackRequestTable
  dialer_campaign: DialerCampaignTable
  dialer_number: DialerNumberTable
  short_url: ShortUrlTable
  audit: AuditTable
  audit_head: AuditHeadTable
  edit: { company_id: CompanyId; object: string; edited_by: number | null; edited_at: number | null }
  sandbox_setting: { company_id: CompanyId; key: string; value: string }
  rate_window: { company_id: CompanyId; minute: number; used: number }
  sign_in_try: { who: string; tries: number; ends_at: number }
  setting: { key: string; value: string }
  schema_migration: { number: number; name: string; applied_at: number }
}

export type Role = 'owner' | 'admin' | 'supervisor' | 'agent'
export type Plan = 'essentials' | 'professional' | 'custom'
export type AiPackage = 'none' | 'assist' | 'assist-pro'

export interface CompanyTable {
  id: Generated<number>
  name: string
  plan: Plan
  ai_package: AiPackage
  whatsapp: Flag
  analytics_plus: Flag
  ai_voice_agents: Flag
  active: Flag
  verified: Flag
  mandatory_tagging: Flag
  countries: string | null
  /** Default country of national phone numbers; null: the country of the first Number. */
  country: string | null
  /** JSON list of origins that may embed the phone app. */
  embed_origins: string | null
  /** Users without two-step verification can do nothing but set it up. */
  two_step_required: Generated<Flag>
  /** JSON of the retention periods in days; null: the longest ones. */
  retention: Generated<string | null>
  /** Scheduled reports may be sent to addresses outside of the company. */
  external_reports: Generated<Flag>
  /** JSON of the recording announcement; null: none. */
  recording_notice: Generated<string | null>
  created_at: number
}

export interface ApiKeyTable {
  id: Generated<number>
  company_id: CompanyId
  api_id: string
  token_hash: string
  name: string
  custom_name: string | null
  created_by: number | null
  /** `off`: webhooks created with the key receive nothing; the key itself stays valid. */
  active: Flag
  created_at: number
  /** JSON; null: all scopes. */
  scopes: string | null
  /** JSON; null: any address. */
  allowed_ips: string | null
  /** These times are machine time. */
  expires_at: number | null
  previous_token_hash: string | null
  previous_expires_at: number | null
  rotated_at: number | null
  last_used_at: number | null
}

/** A partner's OAuth app; `company_id` is the company that registered it. */
export interface OauthAppTable {
  id: Generated<number>
  company_id: CompanyId
  name: string
  description: string
  logo_url: string | null
  client_id: string
  secret_hash: string
  install_uri: string
  redirect_uri: string
  /** Listed in the marketplace of every company, not only of its own. */
  listed: Flag
  created_at: number
  deleted_at: number | null
}

/** An installed app: one token is one integration. */
export interface OauthTokenTable {
  id: Generated<number>
  company_id: CompanyId
  /** Null: created before apps were registered. */
  app_id: number | null
  /** The user who installed it. */
  user_id: number | null
  token_hash: string
  custom_name: string | null
  /** `off`: webhooks created with the token receive nothing; the token itself stays valid. */
  active: Generated<Flag>
  created_at: number
  revoked_at: number | null
  /** The integration is restricted to the Numbers in oauth_token_number. */
  restricted: Generated<Flag>
}

/** OAuth authorization code; kept for a while after use, to detect reuse. */
export interface OauthCodeTable {
  hash: string
  company_id: CompanyId
  app_id: number
  user_id: number
  redirect_uri: string
  /** RFC 7636, S256; empty without PKCE. */
  challenge: string
  /** JSON; null for all Numbers. */
  number_ids: string | null
  created_at: number
  expires_at: number
  used_at: number | null
  token_id: number | null
}

export interface SessionTable {
  id_hash: string
  company_id: CompanyId
  user_id: number
  csrf_hash: string
  created_at: number
  seen_at: number
  /** IP address and User-Agent of the sign-in. */
  address: string | null
  user_agent: string | null
  /** How the user signed in; null: with a password, before methods were stored. */
  method: SignInMethod | null
}

export type SignInMethod = 'password' | 'sso' | 'passkey'

export interface IdempotencyKeyTable {
  company_id: CompanyId
  key_hash: string
  /** Hash of credentials, method, path and body. */
  fingerprint: string
  /** Of the request that has the key. */
  token: string
  /** 1: the change is committed, and status and body are its response. */
  done: number
  status: number
  /** Sealed. */
  body: string | null
  /** Machine time: another request may take the key over if it is not done by then. */
  claimed_until: number
  /** Machine time. */
  expires_at: number
}

export interface LiveAlertTable {
  id: Generated<number>
  company_id: CompanyId
  kind: LiveAlertKind
  /** When it was raised. */
  value: number
  threshold: number
  raised_at: number
  cleared_at: number | null
}

/** Analytics by e-mail. */
export interface ScheduledReportTable {
  id: Generated<number>
  company_id: CompanyId
  name: string
  /** JSON: schedule, period, filters. */
  settings: string
  /** Null: paused. */
  next_run_at: number | null
  created_at: number
  created_by: number | null
}

/** A user, or an address outside of the company. */
export interface ReportRecipientTable {
  id: Generated<number>
  company_id: CompanyId
  report_id: number
  user_id: number | null
  email: string | null
  unsubscribed_at: number | null
  /** No longer a recipient; kept so that adding the address again does not undo its unsubscription. */
  removed: Flag
}

export interface ReportRunTable {
  id: Generated<number>
  company_id: CompanyId
  report_id: number
  /** `test`: to the user who asked for it only. */
  cause: 'schedule' | 'manual' | 'test'
  user_id: number | null
  /** The period of the report is relative to this instant. */
  due_at: number
  created_at: number
  /** The e-mails are queued, or the run has failed. */
  finished_at: number | null
  from_date: string | null
  to_date: string | null
  recipients: number
  error: string | null
}

export interface BlockedCallerTable {
  id: Generated<number>
  company_id: CompanyId
  /** E.164. */
  phone: string
  note: string
  /** Calls rejected so far. */
  rejected: number
  last_rejected_at: number | null
  created_at: number
}

export interface TwoStepTable {
  user_id: number
  company_id: CompanyId
  secret_sealed: string
  /** Null until the first code has confirmed the secret. */
  enabled_at: number | null
  /** Time step of the last accepted code: each code works once. */
  last_step: number
  created_at: number
}

export interface SsoTable {
  company_id: CompanyId
  issuer: string
  client_id: string
  /** Null for a public client, which proves itself by PKCE alone. */
  client_secret_sealed: string | null
  /** JSON array of lower-case domains. */
  domains: string
  creates_users: Flag
  /** The provider verifies addresses without saying so in `email_verified`. */
  trusts_email: Flag
  /** Empty: roles are managed here. */
  role_claim: string
  /** JSON array of { value, role }. */
  role_map: string
  /** Null: a user without a mapped role is refused. */
  default_role: Exclude<Role, 'owner'> | null
  forced: Flag
  changed_at: number
}

/** A sign-in at the provider that has started. */
export interface SsoRequestTable {
  state_hash: string
  company_id: CompanyId
  browser_hash: string
  nonce: string
  verifier_sealed: string
  expires_at: number
}

export interface PasskeyTable {
  id: Generated<number>
  company_id: CompanyId
  user_id: number
  credential_id: string
  public_key: string
  counter: number
  /** JSON array. */
  transports: string
  name: string
  /** Kept by a password manager on several devices. */
  synced: Flag
  created_at: number
  last_used_at: number | null
}

export interface UserTable {
  id: Generated<number>
  company_id: CompanyId
  email: string
  email_key: string
  first_name: string
  last_name: string
  language: string
  time_zone: string
  wrap_up_time: number
  extension: string
  availability_status: 'available' | 'custom' | 'unavailable'
  reason: string | null
  default_number_id: number | null
  working_hours: string | null
  call_sound: Generated<'standard' | 'robust'>
  password_hash: string | null
  confirmed_at: number | null
  created_at: number
  deleted_at: number | null
  /** Open sessions of the phone app. */
  sessions: Generated<number>
  /** Calls the user is connected to. */
  in_call: Generated<number>
  wrap_up_call_id: number | null
  /** Null while only a tag can end it. */
  wrap_up_until: number | null
  /** Wrap-up lasts until the call has a tag. */
  wrap_up_tag: Generated<Flag>
  /** JSON: ids of calls whose wrap-up follows; null if there are none. */
  wrap_up_pending: string | null
  granular: Generated<string>
  granular_since: Generated<number>
  /** When do not disturb ends by itself, and the status that follows; null without an end. */
  unavailable_until: number | null
  resume_status: 'available' | 'custom' | null
  /** Since when the user can neither sign in nor be called; null: active. */
  deactivated_at: number | null
  /** A second inbound call rings while the user is on a call. */
  call_waiting: Generated<Flag>
  /** Voicemails of the user's Numbers are sent by e-mail. */
  voicemail_email: Generated<Flag>
}

export interface InvitationTable {
  id: Generated<number>
  kind: Generated<'invitation' | 'reset'>
  company_id: CompanyId
  user_id: number
  token_hash: string
  created_at: number
  expires_at: number
  used_at: number | null
}

export interface NumberTable {
  id: Generated<number>
  company_id: CompanyId
  digits: string
  /** International format with national grouping, derived from the digits. */
  display: string
  name: string
  country: string
  time_zone: string
  language: string
  live_recording_activated: Flag
  priority: number | null
  flow_editor_enabled: Flag
  validated: Flag
  music_on_hold: string | null
  /** JSON of the recording announcement; null: that of the company. */
  recording_notice: string | null
  ring_simultaneous_seconds: number
  ring_one_by_one_seconds: number
  registration_status: string
  registration_updated_at: number
  flow_version: number
  created_at: number
  /** Voicemails are sent to the users of the Number by e-mail. */
  voicemail_email: Flag
}

export interface ContactTable {
  id: Generated<number>
  company_id: CompanyId
  first_name: string | null
  last_name: string | null
  company_name: string | null
  information: string | null
  owner_id: number | null
  created_at: number
  updated_at: number
}

export interface WebhookTable {
  id: string
  legacy_id: Generated<number>
  company_id: CompanyId
  owner_kind: 'basic' | 'dashboard' | 'oauth'
  oauth_token_id: number | null
  api_key_id: number | null
  /** State of the credentials that created it: `off` receives nothing, `removed` only the removal event. */
  integration: Generated<'on' | 'off' | 'removed'>
  url: string
  custom_name: string
  all_events: Flag
  token: string
  /** `paused` by its owner, `disabled` by the service. */
  status: 'active' | 'paused' | 'disabled'
  created_at: number
  created_by: number | null
  deleted_at: number | null
  secret_current: string | null
  secret_previous: string | null
  secret_previous_until: number | null
  disable_reason: 'failing' | 'gone' | 'url_not_allowed' | null
  disabled_at: number | null
  probe_until: number | null
  health: Generated<'unproven' | 'proven' | 'failing'>
  consecutive_failures: Generated<number>
  failing_since: number | null
  last_success_at: number | null
  warned_level: Generated<number>
  cap: Generated<number>
  streak: Generated<number>
}

export interface EventTable {
  row_id: Generated<number>
  id: string
  position: number | null
  company_id: CompanyId
  name: string
  resource: string
  resource_key: string
  occurred_at: number
  data: string
  asset_refs: string | null
  redacted_at: number | null
  number_id: number | null
  test: Flag
}

export type DeliveryState = 'queued' | 'leased' | 'delivered' | 'exhausted' | 'held' | 'expired' | 'cancelled'
export type DeliveryKind = 'live' | 'backlog' | 'replay' | 'test'

export interface DeliveryTable {
  id: string
  message_id: string
  webhook_id: string
  company_id: CompanyId
  event_row: number
  event_id: string
  event_name: string
  resource_key: string
  seq: number
  order_key: string
  /** Later events of this resource wait for the delivery too: `call:7`, for `user.wut_start`. */
  precedes: string | null
  replay_of: string | null
  replay_id: string | null
  state: DeliveryState
  blocking: Flag
  kind: DeliveryKind
  /** Backlog and replays: sent in a separate lane. */
  bulk: Flag
  /** Sent although the webhook is disabled, to check whether the receiver has recovered. */
  probe: Flag
  priority: number
  /** Completed attempts: a crash does not count. */
  attempts: number
  lost_leases: number
  next_at: number
  /** The endpoint set the time with Retry-After; a stored name kept for compatibility. */
  asked: Flag
  lease_token: string | null
  lease_until: number | null
  worker_id: string | null
  created_at: number
  finished_at: number | null
  last_status: number | null
  last_error: string | null
}

export interface AttemptTable {
  id: Generated<number>
  delivery_id: string
  company_id: CompanyId
  n: number
  kind: string
  started_at: number
  duration_ms: number
  phase: string
  status: number | null
  error_class: string | null
  detail: string
  request_headers: string
  response_headers: string
  response_body: string
  worker_id: string
}

export interface ReplayTable {
  id: string
  company_id: CompanyId
  webhook_id: string
  state: 'filling' | 'running' | 'done' | 'cancelled'
  /** JSON of the selected deliveries; a stored name kept for compatibility. */
  wish: string
  total: number
  filled: number
  cursor: string | null
  created_at: number
  finished_at: number | null
}

export interface LegQualityTable {
  call_id: number
  leg: string
  company_id: CompanyId
  party: 'customer' | 'agent' | 'supervisor' | 'external'
  user_id: number | null
  started_at: number
  updated_at: number
  /** Points of domain/quality-series.ts. */
  series: string
}

export interface JobTable {
  id: Generated<number>
  kind: string
  key: string | null
  payload: string
  run_at: number
  attempts: number
  leased_until: number
  lease_token: string | null
  last_error: string | null
  failed_at: number | null
  /** The company, of kinds that companies take turns with. */
  turn_of: number | null
}

export interface MailTable {
  id: Generated<number>
  company_id: CompanyId
  user_id: number | null
  recipient: string
  subject: string
  text_sealed: string
  /** HTML, attachment and unsubscribe link, if any. */
  parts_sealed: string | null
  /** The run of a scheduled report. */
  report_run_id: number | null
  created_at: number
  sent_at: number | null
  error: string | null
}

/** A browser that receives Web Push until its session ends. */
export interface PushSubscriptionTable {
  id: string
  company_id: CompanyId
  user_id: number
  session_hash: string
  endpoint: string
  endpoint_hash: string
  /** Encrypted JSON: the public key and the authentication secret of the browser. */
  keys: string
  created_at: number
}

export interface PhoneSessionTable {
  id: string
  company_id: CompanyId
  user_id: number
  name: string
  /**
   * `sandbox` sessions are opened by an action and survive restarts; `socket` sessions end with their connection; a
   * `device` session lasts while a SIP device is registered, a `mobile` one while calls are forwarded to a mobile number.
   * A `supervision` session is a window that supervises calls: it does not connect its user, and no call rings there.
   */
  kind: 'sandbox' | 'socket' | 'device' | 'mobile' | 'supervision'
  /** The process that holds the socket. */
  owner: string
  opened_at: number
  active_at: number
}

/** A desk phone or SIP app of a user. */
export interface DeviceTable {
  id: Generated<number>
  company_id: CompanyId
  user_id: number
  name: string
  /** Of all companies: a SIP server knows an account by this name only. */
  username: string
  /** The digest hashes of the password, sealed. */
  ha1_sealed: string
  srtp: Flag
  /** The link from which the device loads its settings: hash of its token, sealed password, expiry, loads left. */
  setup_hash: string | null
  setup_sealed: string | null
  setup_until: number | null
  setup_left: number
  created_at: number
}

/** Where a device has registered. */
export interface DeviceContactTable {
  device_id: number
  company_id: CompanyId
  uri: string
  line: 'real' | 'simulated'
  transport: 'udp' | 'tcp' | 'tls'
  address: string
  port: number
  user_agent: string
  registered_at: number
  /** Machine time. */
  expires_at: number
}

/** A line node on a host of its own. */
export interface LineNodeTable {
  id: string
  host: string
  port: number
  release: string
  legs: number
  max_legs: number
  draining: Flag
  /** Counts announcements. */
  beat: number
  /** Machine time of its host. */
  seen_at: number
}

export interface CallForwardingTable {
  user_id: number
  company_id: CompanyId
  mode: 'offline' | 'always'
  phone: string
  changed_at: number
}

export interface UserStatusTable {
  id: Generated<number>
  company_id: CompanyId
  user_id: number
  at: number
  granular: string
  availability_status: string
  reason: string | null
}

export interface CallTable {
  id: Generated<number>
  company_id: CompanyId
  uuid: string
  direction: 'inbound' | 'outbound'
  number_id: number
  /** E.164, or `anonymous`. */
  external: string
  external_display: string
  /** Digits only, for search; empty for an anonymous caller. */
  external_digits: string
  status: 'initial' | 'answered' | 'done'
  missed_call_reason: string | null
  hangup_cause: string | null
  started_at: number
  answered_at: number | null
  ended_at: number | null
  user_id: number | null
  assigned_to: number | null
  transferred_by: number | null
  transferred_to: number | null
  /** Transferred to an external number: the API then omits transferred_to. */
  transferred_out: Flag
  callback_of: number | null
  team_ids: string
  participants: string
  ivr_options: string
  archived: Flag
  /** Keys in the file store. */
  recording: string | null
  recording_ms: number | null
  voicemail: string | null
  voicemail_ms: number | null
  /** Result of the recording announcement; null: none was due. */
  recording_consent: Generated<RecordingConsent | null>
  /**
   * Events of the end that were published: none, call.ended, all. The column keeps its name so that processes of two
   * releases can run side by side.
   */
  told: 'nothing' | 'ended' | 'all'
}

export interface CallTagTable {
  call_id: number
  tag_id: number
  company_id: CompanyId
  /** Copied from the call, so that a search by tag pages on one index. */
  started_at: number
  tagged_by: number | null
  tagged_at: number
  /** Copied from the call: a search by tag and one of these columns uses this index only. */
  direction: CallTable['direction']
  number_id: number
  user_id: number | null
}

export interface CallCommentTable {
  id: Generated<number>
  call_id: number
  company_id: CompanyId
  content: string
  posted_by: number | null
  posted_at: number
}

export interface RingAttemptTable {
  id: Generated<number>
  company_id: CompanyId
  call_id: number | null
  number_id: number | null
  user_id: number
  team_id: number | null
  started_at: number
  ended_at: number | null
  outcome: 'answered' | 'declined' | 'no_answer' | 'cancelled' | null
  /** Null for an internal call. An added participant counts as a transfer. */
  origin: 'RING_TO' | 'TRANSFER' | 'CALLBACK' | 'ESCALATION' | null
}

/** Period of a user on a call; one row per period. */
export interface CallPartyTable {
  id: Generated<number>
  company_id: CompanyId
  call_id: number
  user_id: number
  way: 'taken' | 'made' | 'transfer' | 'added'
  joined_at: number
  left_at: number | null
  /** When the user transferred the call. */
  gave_at: number | null
}

export interface AnalyticsExportTable {
  id: string
  company_id: CompanyId
  status: 'PENDING' | 'COMPLETED' | 'FAILED'
  name: string
  report: string
  /** JSON of the request; a stored name kept for compatibility. */
  wish: string
  created_at: number
  /** The user who requested it in the dashboard. */
  created_by: number | null
  finished_at: number | null
  tries: number
  /** Key in the file store; while pending, that of the current run. */
  file: string | null
  bytes: number | null
  /** Rows in the file, without its header. */
  rows: number
  /** Progress: processed and total items. */
  looked_at: number
  to_look_at: number | null
  error: string | null
}

export interface LiveCallTable {
  /** UUID of the call; internal calls have no other id. */
  key: string
  call_id: number | null
  company_id: CompanyId
  owner: string
  state: string
  updated_at: number
  /** Product time at which the ended process was last seen with the call; kept when another process takes it over. */
  lost_at: number | null
}

export interface QueuePlaceTable {
  key: string
  /** `user:5` or `team:3` */
  target: string
  company_id: CompanyId
  /** 0 is served before 1. */
  rank: number
  entered_at: number
  /** Tie-breaker within one millisecond: the lower id is first. */
  call_id: number
  /** Whether an available agent may be offered to it now; a stored name kept for compatibility. */
  hungry: Flag
}

export interface CallCommandTable {
  id: string
  company_id: CompanyId
  owner: string
  key: string
  command: string
  answer: string | null
  created_at: number
}

export interface CallbackRequestTable {
  id: string
  company_id: CompanyId
  call_id: number
  number_id: number
  phone: string
  targets: string
  state: 'waiting' | 'ringing' | 'calling' | 'done'
  rank: number
  entered_at: number
  attempts_left: number
  retry_seconds: number
  next_at: number
  expires_at: number
}

export interface DialerCampaignTable {
  id: Generated<number>
  company_id: CompanyId
  user_id: number
  number_id: number | null
  active: Flag
  created_at: number
}

export interface DialerNumberTable {
  id: Generated<number>
  campaign_id: number
  company_id: CompanyId
  number: string
  called: Flag
  created_at: number
}

export interface ShortUrlTable {
  id: string
  company_id: CompanyId
  call_id: number
  kind: 'recording' | 'voicemail'
  expires_at: number
}

export interface AuditHeadTable {
  company_id: CompanyId
  /** Number of the last entry, and its seal. */
  n: number
  hash: string
  /** The last entry that was deleted after its retention period: the log starts behind it. */
  start_n: Generated<number>
  start_seal: Generated<string | null>
  start_mac: Generated<string | null>
}

export interface AuditTable {
  company_id: CompanyId
  /** Sequence number in the company, from 1. */
  n: number
  at: number
  actor_kind: 'user' | 'key' | 'token' | 'operator' | 'unknown'
  actor_id: number | null
  action: string
  /** `user:5`, `webhook:…` */
  target: string | null
  details: string | null
  address: string | null
  /** Hash of the entry and of the previous hash. */
  hash: string
}

export interface TrunkTable {
  id: Generated<number>
  /** Null: a trunk of the operator, shared with the companies in `trunk_assignment`. */
  company_id: CompanyId | null
  name: string
  enabled: Flag
  host: string
  port: number | null
  /** `auto`: by the NAPTR and SRV records of the host. */
  transport: 'udp' | 'tcp' | 'tls' | 'auto'
  srtp: Flag
  registers: Flag
  username: string | null
  password_sealed: string | null
  domain: string | null
  /** JSON list of allowed source addresses; empty: the trunk's host. */
  addresses: string
  /** JSON list of allowed destination prefixes; empty: all. */
  prefixes: string
  number_form: 'plus' | 'digits' | 'national'
  behind_nat: Flag
  emergency: Flag
  priority: number
  max_calls: number
  up: Flag | null
  up_at: number | null
  created_at: number
  inbound_username: string | null
  inbound_password_sealed: string | null
  /** Digest algorithms accepted from the trunk; `any`: SHA-256, then MD5. */
  inbound_digest: 'any' | 'sha256' | 'md5'
  /** JSON list of audio codecs, in the order of preference. */
  codecs: string
  /** For trunks of the operator; otherwise the country of the company's numbers applies. */
  country: string | null
  /** The last SIP response or error behind `up`. */
  up_detail: string | null
}

export interface DialLimitTable {
  company_id: CompanyId
  concurrent: number | null
  concurrent_per_user: number | null
  per_minute: number | null
  per_minute_per_user: number | null
  daily_spend: number | null
  rates: string
  max_seconds: number
}

export interface MessageLimitTable {
  company_id: CompanyId
  countries: string | null
  per_minute: number | null
  per_minute_per_user: number | null
  per_day: number | null
  per_day_per_user: number | null
  daily_spend: number | null
  daily_spend_per_user: number | null
  rates: string
}

export interface MessageUseTable {
  company_id: CompanyId
  /** 0: the whole company. */
  user_id: number
  period: 'minute' | 'day'
  starts_at: number
  messages: number
  price: number
}

export interface DialledTable {
  id: Generated<number>
  company_id: CompanyId
  call_key: string
  user_id: number | null
  trunk_id: number | null
  phone: string
  /** When the call was dialled. The column keeps its name so that processes of two releases can run side by side. */
  begun_at: number
  ended_at: number | null
  price: number
}

export interface SoundTable {
  company_id: CompanyId
  /** Hash of the URL. */
  id: string
  url: string
  state: 'waiting' | 'ready' | 'failed'
  /** Why the audio is missing or could not be refreshed. */
  reason: string | null
  seconds: number | null
  /** Uploads only. */
  name: string | null
  file: string | null
  updated_at: number
}

export interface CarrierTable {
  id: Generated<number>
  company_id: CompanyId
  name: string
  kind: 'smpp' | 'http' | 'whatsapp'
  enabled: Flag
  /** JSON, depends on the kind. */
  settings: string
  /** Encrypted JSON. */
  secrets_sealed: string | null
  up: Flag | null
  up_at: number | null
  trouble: string | null
  created_at: number
}

export interface MessageLineTable {
  number_id: number
  company_id: CompanyId
  /** Whether it can send and receive messages. */
  texts: Flag
  carrier_id: number | null
  /** Null: no limit. */
  per_second: number | null
  whatsapp_carrier_id: number | null
  waba_id: string | null
  phone_number_id: string | null
  whatsapp_status: 'ONLINE' | 'OFFLINE' | 'BLOCKED'
  whatsapp_tier: string
  whatsapp_quality: 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN'
  whatsapp_verification: string
  updated_at: number
}

export interface MessageLeaseTable {
  number_id: number
  company_id: CompanyId
  token: string
  until: number
}

export interface MessageConfigurationTable {
  number_id: number
  company_id: CompanyId
  token: string
  callback_url: string
  type: string
  created_at: number
}

export interface ConversationTable {
  id: string
  company_id: CompanyId
  number_id: number
  external: string | null
  participants: string | null
  who: string
  inbox: Flag
  unread: number
  assigned_user_id: number | null
  archived: Flag
  last_at: number
  last_message: string | null
  last_direction: 'inbound' | 'outbound' | null
  created_at: number
}

export interface MessageTable {
  row_id: Generated<number>
  id: string
  company_id: CompanyId
  number_id: number
  conversation_id: string
  mode: 'native' | 'skipping'
  channel: 'whatsapp' | null
  direction: 'inbound' | 'outbound'
  status: 'pending' | 'sent' | 'delivered' | 'read' | 'failed' | 'undelivered' | 'received'
  external: string | null
  external_display: string | null
  participants: string | null
  author: string | null
  body: string
  media: string
  user_id: number | null
  parent_id: string | null
  template_content: string | null
  template_params: string | null
  type: string | null
  metadata: string | null
  category: string | null
  kind: string | null
  country: string | null
  error_code: number | null
  error_message: string | null
  /** 1: queued on the Number · 2: being submitted. */
  queued: 0 | 1 | 2
  fetching: Flag
  created_at: number
  updated_at: number
  sent_at: number
}

export interface MessagePieceTable {
  company_id: CompanyId
  message_row: number
  place: number
  recipient: string
  carrier_id: number | null
  ref: string | null
  status: 'handed' | 'delivered' | 'read' | 'undelivered' | 'failed'
}

export interface MessageArrivalTable {
  company_id: CompanyId
  carrier_id: number
  ref: string
  /** JSON of a delivery receipt that arrived before the submission was confirmed. */
  report: string | null
  at: number
}

export interface MessagePartTable {
  company_id: CompanyId
  carrier_id: number
  key: string
  place: number
  sender: string
  recipient: string
  total: number
  body: string
  done: Flag
  at: number
}

export interface MessageCallbackTable {
  id: Generated<number>
  company_id: CompanyId
  number_id: number
  message_id: string
  event_name: 'message.received' | 'message.updated'
  data: string
  asset_refs: string | null
  at: number
  answer: number | null
  problem: string | null
  tried_at: number | null
}

export interface OptOutTable {
  company_id: CompanyId
  number_id: number
  phone: string
  at: number
}

export interface SmsTemplateTable {
  id: Generated<number>
  company_id: CompanyId
  name: string
  body: string
  created_at: number
}

export interface WhatsappTemplateTable {
  id: Generated<number>
  company_id: CompanyId
  waba_id: string
  name: string
  language: string
  category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'
  status: 'APPROVED' | 'PENDING' | 'REJECTED' | 'PAUSED' | 'DISABLED'
  components: string
  created_at: number
}

export interface TranscriptTable {
  id: Generated<number>
  company_id: CompanyId
  call_id: number
  sound: 'recording' | 'voicemail'
  engine: string
  /** JSON of the recognized speech until the transcript is built; a stored name kept for compatibility. */
  heard: string | null
  language: string
  /** JSON; null until the transcript is built. */
  utterances: string | null
  created_at: number | null
  /** Speech of each side; null until the transcript is built and indexed. */
  internal_ms: Generated<number | null>
  external_ms: Generated<number | null>
  /** The longest turn of the internal side; null until the transcript is indexed, and for transcripts of 0.1.0. */
  monologue_ms: Generated<number | null>
}

/** A supervisor has listened to a call of the coaching list. */
export interface CallReviewTable {
  call_id: number
  company_id: CompanyId
  note: string | null
  reviewed_by: number | null
  reviewed_at: number
}

/** The distinct words of transcripts, for the search. */
export interface TranscriptWordTable {
  company_id: CompanyId
  word: string
  call_id: number
}

export interface InsightTable {
  id: Generated<number>
  company_id: CompanyId
  call_id: number
  kind: 'sentiment' | 'topics' | 'summary' | 'custom_summary' | 'playbook_result' | 'csat' | 'live' | 'suggestions'
  engine: string
  content: string
  created_at: number
  /** A user has edited it. */
  edited: Generated<Flag>
}

export interface ActionItemTable {
  id: Generated<number>
  company_id: CompanyId
  call_id: number
  content: string
  ai_generated: Flag
  created_at: number
  created_by: number | null
  updated_at: number | null
  updated_by: number | null
  /** Null: a user. */
  engine: string | null
  /** Null: open. */
  done_at: Generated<number | null>
  done_by: Generated<number | null>
}

export interface GuideTable {
  id: Generated<number>
  company_id: CompanyId
  kind: 'topic' | 'playbook' | 'summary_template' | 'scorecard'
  name: string
  active: Flag
  /** JSON of the content. */
  document: string
  created_at: number
  updated_at: number
}

export interface EvaluationTable {
  id: Generated<number>
  company_id: CompanyId
  call_id: number
  ai_generated: Flag
  content: string
  created_at: number
  updated_at: number
  created_by: number | null
  updated_by: number | null
  reviewed_at: number | null
  /** Null: a user. */
  engine: string | null
}

export interface CompanyEngineTable {
  company_id: CompanyId
  external_allowed: Flag
  /** JSON: engine settings by kind, models by task. */
  settings: string
  /** Encrypted JSON by kind. */
  keys_sealed: string | null
  updated_at: number
}

export interface AiVoiceAgentTable {
  id: string
  company_id: CompanyId
  name: string
  language: string
  first_message: string | null
  number_id: number | null
  active: Flag
  settings: string
  version: number
  created_at: number
  updated_at: number
}

export interface AiAgentVersionTable {
  agent_id: string
  version: number
  company_id: CompanyId
  name: string
  language: string
  first_message: string | null
  number_id: number | null
  settings: string
  note: string | null
  created_by: number | null
  created_at: number
}

export interface AiAgentTestSetTable {
  agent_id: string
  company_id: CompanyId
  source: string
  results: string | null
  run_at: number | null
  agent_version: number | null
  updated_at: number
}

export interface AiAgentDocumentTable {
  id: string
  company_id: CompanyId
  agent_id: string
  name: string
  /** Null: an uploaded file. */
  url: string | null
  /** Null before the first successful fetch. */
  format: string | null
  status: 'pending' | 'ready' | 'failed'
  problem: string | null
  bytes: number
  characters: number
  passages: number
  fetched_at: number | null
  created_at: number
  /** Counts changes of its passages and their vectors. */
  revision: number
}

export interface AiAgentPassageTable {
  document_id: string
  place: number
  company_id: CompanyId
  agent_id: string
  text: string
  /** One signed byte per dimension, base64. */
  vector: string | null
}

/** AI agents whose documents are suggested to agents during calls. */
export interface SuggestionSourceTable {
  company_id: CompanyId
  agent_id: string
  /** JSON list; null: all agents of the company. */
  team_ids: string | null
}

export interface AiAgentSessionTable {
  id: string
  company_id: CompanyId
  call_id: number
  agent_id: string
  agent_name: string
  agent_version: number | null
  started_at: number
  ended_at: number | null
  end_reason: 'answered' | 'escalated' | 'disconnected' | 'caller_hung_up' | null
  escalation_reason: string | null
  escalation_target: string | null
  answers: string
  turns: string
  figures: string | null
  structured_data: string | null
  structured_data_problem: string | null
}

export interface AiUsageTable {
  company_id: CompanyId
  day: string
  purpose: UsagePurpose
  agent_id: string
  model: string
  requests: number
  failed: number
  input_tokens: number
  output_tokens: number
  priced: number
  cost: number
}

export interface AiOutboundCallTable {
  id: string
  company_id: CompanyId
  idempotency_key: string
  agent_id: string
  number_id: number
  phone: string
  context: string
  status: 'PENDING' | 'INITIATED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED'
  failure_reason: 'expired' | 'agent_unavailable' | 'refused' | 'not_answered' | 'opted_out' | null
  /** Null until the call has ended, and for calls of earlier releases. */
  outcome: CallOutcome | null
  call_id: number | null
  /** Null unless a campaign placed the call. */
  campaign_id: string | null
  recipient_id: number | null
  expires_at: number
  created_at: number
}

/** An outbound campaign of an AI agent. */
export interface AiCampaignTable {
  id: string
  company_id: CompanyId
  name: string
  agent_id: string
  /** JSON, as the next two. */
  number_ids: string
  hours: string
  retry_delays: string
  max_attempts: number
  concurrency: number
  status: CampaignStatus
  paused_reason: 'agent_unavailable' | 'number_unavailable' | null
  expires_at: number | null
  placed_at: number | null
  created_at: number
  started_at: number | null
  ended_at: number | null
}

export interface AiCampaignRecipientTable {
  id: Generated<number>
  company_id: CompanyId
  campaign_id: string
  phone: string
  name: string | null
  time_zone: string | null
  /** JSON, as `context`. */
  zones: string
  context: string
  status: RecipientStatus
  attempts: number
  refusals: number
  last_outcome: CallOutcome | null
  outbound_call_id: string | null
  call_id: number | null
  due_at: number
  updated_at: number
}

/** A phone number that AI agents do not call. */
export interface CallOptOutTable {
  company_id: CompanyId
  phone: string
  source: 'call' | 'api' | 'dashboard'
  call_id: number | null
  created_at: number
}

export interface DirectMessageTable {
  id: Generated<number>
  company_id: CompanyId
  /** Ids of both users, the smaller one first. */
  pair: string
  sender_id: number
  recipient_id: number
  /** Null: the sender was deleted. */
  text: string | null
  sent_at: number
}

/** A conversation as one of its two users has it. */
export interface DirectConversationTable {
  user_id: number
  colleague_id: number
  company_id: CompanyId
  /** As in `direct_message`. */
  pair: string
  last_message_id: number
  /** The last message that the user has read; 0: none. */
  read_message_id: number
}

/** A combination of filters that a user named. */
export interface SavedFilterTable {
  id: Generated<number>
  company_id: CompanyId
  user_id: number
  page: string
  name: string
  /** The query of the page's URL. */
  query: string
  created_at: number
}

/** An import, a merge or a deletion of several contacts; it can be undone for a day. */
export interface BulkChangeTable {
  id: Generated<number>
  company_id: CompanyId
  user_id: number | null
  kind: 'import' | 'merge' | 'delete' | 'user_import'
  state: 'running' | 'done' | 'failed' | 'undoing' | 'undone'
  total: number
  done: number
  created_at: number
}

export interface BulkChangeRowTable {
  change_id: number
  company_id: CompanyId
  position: number
  /** The contact or user that was written. */
  object_id: number | null
  /** What is to be written; null for a deletion. */
  input: string | null
  /** The contact before; null if it was created. */
  before: string | null
  /** When it was written; a contact changed later is not undone. */
  written_at: number | null
}

/** An import of a company from another server. */
export interface ImportRunTable {
  id: Generated<number>
  company_id: CompanyId
  /** Base URL. */
  source: string
  /** API ID and token; null once the import is done. */
  credentials_sealed: string | null
  /** Objects that exist are changed, too. */
  merges: Flag
  /** The operator may import from any address. */
  by_operator: Flag
  state: ImportState
  error: string | null
  /** Changes with each process that continues the run; only the latest one may write. */
  runner: string | null
  created_by: number | null
  created_at: number
  finished_at: number | null
}

export interface ImportProgressTable {
  run_id: number
  company_id: CompanyId
  kind: ImportKind
  /** JSON: where the next page starts. */
  position: string | null
  total: number | null
  created: number
  existing: number
  updated: number
  rejected: number
  finished: Flag
}

/** A row that was not imported, or a setting for the user to check. */
export interface ImportProblemTable {
  id: Generated<number>
  company_id: CompanyId
  run_id: number
  kind: ImportKind
  source_id: string
  severity: 'rejected' | 'check'
  reason: string
}

/** Which object came from which object of the source, so that it is imported once. */
export interface ImportedObjectTable {
  company_id: CompanyId
  source: string
  kind: ImportKind
  source_id: string
  own_id: string
  /** A call whose results are not imported yet. */
  pending: Flag
}

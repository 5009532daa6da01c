// Where personal data is stored, how long it is retained, and how it is erased. personal-data.test.ts compares this
// with the database: a missing table or column fails it. A new column with personal data needs both rules, and the code
// that implements them.

export interface TableRule {
  /** Columns with personal data, separated by spaces. */
  personal?: string
  retention?: string
  erasure?: Erasure
  /** All other columns. */
  other: string
}

export type Erasure =
  | 'row goes with the user'
  | 'row goes with the contact'
  | 'row goes with the call or message'
  | 'payload is redacted'
  | 'holds the id only'
  | 'record of the company; names are read from user and contact'
  | 'stored as a hash'
  | 'by retention only'

export const tableRules: Record<string, TableRule> = {
  direct_message: {
    personal: 'text',
    retention: 'while the company has it',
    erasure: 'payload is redacted',
    other: 'id company_id pair sender_id recipient_id sent_at',
  },
  direct_conversation: {
    other: 'user_id colleague_id company_id pair last_message_id read_message_id',
  },
  import_run: {
    other:
      'id company_id source credentials_sealed merges by_operator state error runner created_by created_at finished_at',
  },
  import_progress: {
    other: 'run_id company_id kind position total created existing updated rejected finished',
  },
  import_problem: {
    other: 'id company_id run_id kind source_id severity reason',
  },
  imported_object: {
    other: 'company_id source kind source_id own_id pending',
  },
  action_item: {
    personal: 'content',
    retention: 'with its call',
    erasure: 'row goes with the call or message',
    other: 'id company_id call_id ai_generated created_at created_by updated_at updated_by engine done_at done_by',
  },
  ai_agent_session: {
    personal: 'answers turns figures structured_data',
    retention: 'with its call',
    erasure: 'row goes with the call or message',
    other:
      'id company_id call_id agent_id agent_name agent_version started_at ended_at end_reason escalation_reason escalation_target structured_data_problem',
  },
  ai_agent_test_set: {
    personal: 'source results',
    retention: 'while the company has it',
    erasure: 'record of the company; names are read from user and contact',
    other: 'agent_id company_id run_at agent_version updated_at',
  },
  ai_agent_version: {
    other: 'agent_id version company_id name language first_message number_id settings note created_by created_at',
  },
  ai_agent_document: {
    personal: 'name url',
    retention: 'while the company has it',
    erasure: 'record of the company; names are read from user and contact',
    other: 'id company_id agent_id format status problem bytes characters passages fetched_at created_at revision',
  },
  ai_agent_passage: {
    personal: 'text vector',
    retention: 'while the company has it',
    erasure: 'record of the company; names are read from user and contact',
    other: 'document_id place company_id agent_id',
  },
  suggestion_source: {
    other: 'company_id agent_id team_ids',
  },
  ai_usage: {
    other: 'company_id day purpose agent_id model requests failed input_tokens output_tokens priced cost',
  },
  ai_outbound_call: {
    personal: 'phone context',
    retention: '30 days',
    erasure: 'row goes with the call or message',
    other:
      'id company_id idempotency_key agent_id number_id status failure_reason outcome call_id campaign_id ' +
      'recipient_id expires_at created_at',
  },
  ai_campaign: {
    other:
      'id company_id name agent_id number_ids hours retry_delays max_attempts concurrency status paused_reason expires_at ' +
      'placed_at created_at started_at ended_at',
  },
  ai_campaign_recipient: {
    personal: 'phone name context',
    retention: 'while the company has it',
    erasure: 'payload is redacted',
    other:
      'id company_id campaign_id time_zone zones status attempts refusals last_outcome outbound_call_id call_id due_at ' +
      'updated_at',
  },
  call_opt_out: {
    personal: 'phone',
    retention: 'until opted back in',
    erasure: 'record of the company; names are read from user and contact',
    other: 'company_id source call_id created_at',
  },
  ai_voice_agent: {
    other: 'id company_id name language first_message number_id active settings version created_at updated_at',
  },
  analytics_export: {
    personal: 'file name wish',
    retention: '30 days',
    erasure: 'by retention only',
    other: 'id company_id status report created_at created_by finished_at tries bytes rows looked_at to_look_at error',
  },
  api_key: {
    other:
      'id company_id api_id token_hash name created_by active created_at custom_name scopes allowed_ips expires_at ' +
      'previous_token_hash previous_expires_at rotated_at last_used_at',
  },
  attempt: {
    personal: 'request_headers response_headers response_body detail',
    retention: '30 days',
    erasure: 'payload is redacted',
    other: 'id delivery_id company_id n kind started_at duration_ms phase status error_class worker_id',
  },
  audit: {
    personal: 'address details',
    retention: 'while the company has it',
    erasure: 'holds the id only',
    other: 'company_id n at actor_kind actor_id action target hash',
  },
  audit_head: {
    other: 'company_id n hash start_n start_seal start_mac',
  },
  call: {
    personal: 'external external_display external_digits participants recording voicemail',
    retention: '7 months',
    erasure: 'record of the company; names are read from user and contact',
    other:
      'id company_id uuid direction number_id status missed_call_reason hangup_cause started_at answered_at ended_at user_id assigned_to transferred_by transferred_to transferred_out callback_of team_ids ivr_options archived recording_ms voicemail_ms told recording_consent',
  },
  blocked_caller: {
    personal: 'phone note',
    retention: 'while the company has it',
    erasure: 'record of the company; names are read from user and contact',
    other: 'id company_id rejected last_rejected_at created_at',
  },
  edit: {
    personal: 'edited_by',
    retention: '7 days',
    erasure: 'holds the id only',
    other: 'company_id object edited_at',
  },
  live_setting: {
    other: 'company_id settings state',
  },
  scheduled_report: {
    other: 'id company_id name settings next_run_at created_at created_by',
  },
  scheduled_report_recipient: {
    personal: 'email',
    retention: 'while the company has it',
    erasure: 'row goes with the user',
    other: 'id company_id report_id user_id unsubscribed_at removed',
  },
  scheduled_report_run: {
    other: 'id company_id report_id cause user_id due_at created_at finished_at from_date to_date recipients error',
  },
  idempotency_key: {
    personal: 'body',
    retention: '24 hours',
    erasure: 'by retention only',
    other: 'company_id key_hash fingerprint token done status claimed_until expires_at',
  },
  live_alert: {
    other: 'id company_id kind value threshold raised_at cleared_at',
  },
  call_forwarding: {
    personal: 'phone',
    retention: 'while the user exists',
    erasure: 'row goes with the user',
    other: 'user_id company_id mode changed_at',
  },
  call_command: {
    personal: 'command answer',
    retention: 'until it is answered',
    erasure: 'row goes with the call or message',
    other: 'id company_id owner key created_at',
  },
  call_comment: {
    personal: 'content',
    retention: 'with its call',
    erasure: 'row goes with the call or message',
    other: 'id call_id company_id posted_by posted_at',
  },
  call_review: {
    personal: 'note',
    retention: 'with its call',
    erasure: 'row goes with the call or message',
    other: 'call_id company_id reviewed_by reviewed_at',
  },
  call_read: {
    other: 'user_id call_id company_id read_at',
  },
  call_count: {
    other: 'company_id day direction n',
  },
  call_party: {
    personal: 'user_id',
    retention: 'with its call',
    erasure: 'holds the id only',
    other: 'id company_id call_id way joined_at left_at gave_at',
  },
  call_tag: {
    other: 'call_id tag_id company_id started_at tagged_by tagged_at direction number_id user_id',
  },
  call_trace: {
    personal: 'entry',
    retention: 'with its call',
    erasure: 'row goes with the call or message',
    other: 'id call_id company_id at',
  },
  callback_request: {
    personal: 'phone',
    retention: '30 days after its expiry',
    erasure: 'row goes with the call or message',
    other:
      'id company_id call_id number_id targets state rank entered_at attempts_left retry_seconds next_at expires_at',
  },
  carrier: {
    other: 'id company_id name kind enabled settings secrets_sealed up up_at trouble created_at',
  },
  company: {
    other:
      'id name plan ai_package whatsapp analytics_plus ai_voice_agents active verified mandatory_tagging countries country created_at embed_origins two_step_required retention external_reports recording_notice',
  },
  company_engine: {
    other: 'company_id external_allowed settings keys_sealed updated_at',
  },
  contact: {
    personal: 'first_name last_name company_name information',
    retention: 'while the company has it',
    erasure: 'row goes with the contact',
    other: 'id company_id owner_id created_at updated_at',
  },
  contact_count: {
    other: 'company_id day n changed',
  },
  contact_email: {
    personal: 'label value address',
    retention: 'while the company has it',
    erasure: 'row goes with the contact',
    other: 'id contact_id company_id',
  },
  contact_phone: {
    personal: 'label value digits',
    retention: 'while the company has it',
    erasure: 'row goes with the contact',
    other: 'id contact_id company_id',
  },
  contact_word: {
    personal: 'word',
    retention: 'while the company has it',
    erasure: 'row goes with the contact',
    other: 'contact_id company_id',
  },
  conversation: {
    personal: 'external participants who last_message',
    retention: 'while the company has it',
    erasure: 'record of the company; names are read from user and contact',
    other: 'id company_id number_id inbox unread assigned_user_id archived last_at last_direction created_at',
  },
  delivery: {
    other:
      'id message_id webhook_id company_id event_row event_id event_name resource_key seq order_key precedes replay_of replay_id state blocking kind bulk probe priority attempts lost_leases next_at asked lease_token lease_until worker_id created_at finished_at last_status last_error',
  },
  dial_limit: {
    other: 'company_id concurrent concurrent_per_user per_minute per_minute_per_user daily_spend rates max_seconds',
  },
  device: {
    personal: 'name username',
    retention: 'while the user exists',
    erasure: 'row goes with the user',
    other: 'id company_id user_id ha1_sealed srtp setup_hash setup_sealed setup_until setup_left created_at',
  },
  device_contact: {
    personal: 'uri address user_agent',
    retention: 'until the registration expires, at most an hour',
    erasure: 'row goes with the user',
    other: 'device_id company_id line transport port registered_at expires_at',
  },
  dialer_campaign: {
    personal: 'user_id',
    retention: 'while the company has it',
    erasure: 'row goes with the user',
    other: 'id company_id number_id active created_at',
  },
  dialer_number: {
    personal: 'number',
    retention: '7 months once called',
    erasure: 'row goes with the user',
    other: 'id campaign_id company_id called created_at',
  },
  dialled: {
    personal: 'phone',
    retention: '48 hours',
    erasure: 'row goes with the call or message',
    other: 'id company_id call_key user_id trunk_id begun_at ended_at price',
  },
  evaluation: {
    personal: 'content',
    retention: 'with its call',
    erasure: 'row goes with the call or message',
    other: 'id company_id call_id ai_generated created_at updated_at created_by updated_by reviewed_at engine',
  },
  event: {
    personal: 'data',
    retention: '30 days',
    erasure: 'payload is redacted',
    other: 'row_id id position company_id name resource resource_key occurred_at asset_refs redacted_at number_id test',
  },
  event_sequence: {
    other: 'id last',
  },
  flow_draft: {
    other: 'number_id company_id document updated_at',
  },
  flow_version: {
    other: 'number_id version company_id document created_at',
  },
  guide: {
    other: 'id company_id kind name active document created_at updated_at',
  },
  insight: {
    personal: 'content',
    retention: 'with its call',
    erasure: 'row goes with the call or message',
    other: 'id company_id call_id kind engine created_at edited',
  },
  intelligence_switch: {
    other: 'company_id number_id enabled language vocabulary',
  },
  invitation: {
    personal: 'token_hash',
    retention: '24 hours of use; the row goes with its user',
    erasure: 'row goes with the user',
    other: 'id company_id user_id created_at expires_at used_at kind',
  },
  job: {
    personal: 'payload',
    retention: 'until it is done; 30 days when it failed',
    erasure: 'by retention only',
    other: 'id kind key run_at attempts leased_until lease_token last_error failed_at turn_of',
  },
  leg_quality: {
    personal: 'user_id',
    retention: 'with its call',
    erasure: 'holds the id only',
    other: 'call_id leg company_id party started_at updated_at series',
  },
  line_node: {
    other: 'id host port release legs max_legs draining beat seen_at',
  },
  live_call: {
    personal: 'state',
    retention: 'while the call is active',
    erasure: 'row goes with the call or message',
    other: 'key call_id company_id owner updated_at lost_at',
  },
  live_party: {
    personal: 'user_id',
    retention: 'while the call is active',
    erasure: 'row goes with the call or message',
    other: 'key company_id',
  },
  mail: {
    personal: 'recipient subject text_sealed parts_sealed',
    retention: '90 days',
    erasure: 'row goes with the user',
    other: 'id company_id user_id report_run_id created_at sent_at error',
  },
  message: {
    personal: 'external external_display participants author body media template_params metadata',
    retention: 'while the company has it',
    erasure: 'record of the company; names are read from user and contact',
    other:
      'row_id id company_id number_id conversation_id mode channel direction status user_id parent_id template_content type category kind country error_code error_message queued fetching created_at updated_at sent_at',
  },
  message_arrival: {
    personal: 'report',
    retention: '7 days',
    erasure: 'row goes with the call or message',
    other: 'company_id carrier_id ref at',
  },
  message_callback: {
    personal: 'data',
    retention: '7 days',
    erasure: 'payload is redacted',
    other: 'id company_id number_id message_id event_name asset_refs at answer problem tried_at',
  },
  message_configuration: {
    other: 'number_id company_id token callback_url type created_at',
  },
  message_lease: {
    other: 'number_id company_id token until',
  },
  message_limit: {
    other:
      'company_id countries per_minute per_minute_per_user per_day per_day_per_user daily_spend daily_spend_per_user rates',
  },
  message_line: {
    other:
      'number_id company_id texts carrier_id per_second whatsapp_carrier_id waba_id phone_number_id whatsapp_status whatsapp_tier whatsapp_quality whatsapp_verification updated_at',
  },
  message_part: {
    personal: 'sender recipient body',
    retention: '7 days',
    erasure: 'row goes with the call or message',
    other: 'company_id carrier_id key place total done at',
  },
  message_piece: {
    personal: 'recipient',
    retention: 'with its message',
    erasure: 'record of the company; names are read from user and contact',
    other: 'company_id message_row place carrier_id ref status',
  },
  message_use: {
    personal: 'user_id',
    retention: 'until the first message two days later',
    erasure: 'holds the id only',
    other: 'company_id period starts_at messages price',
  },
  missed_call_count: {
    other: 'company_id day n',
  },
  bulk_change: { other: 'id company_id user_id kind state total done created_at' },
  bulk_change_row: {
    personal: 'input before',
    retention: '24 hours',
    erasure: 'by retention only',
    other: 'change_id company_id position object_id written_at',
  },
  party_part: {
    personal: 'part digits',
    retention: 'while the company has a call with the number',
    erasure: 'row goes with the call or message',
    other: 'company_id',
  },
  saved_filter: {
    personal: 'name query',
    retention: 'while the company has it',
    erasure: 'row goes with the user',
    other: 'id company_id user_id page created_at',
  },
  name_part: {
    personal: 'part word',
    retention: 'while a contact of the company has the word',
    erasure: 'row goes with the contact',
    other: 'company_id',
  },
  phone_part: {
    personal: 'part digits',
    retention: 'while a contact of the company has the number',
    erasure: 'row goes with the contact',
    other: 'company_id',
  },
  number: {
    other:
      'id company_id digits display name country time_zone language live_recording_activated priority flow_editor_enabled validated music_on_hold ring_simultaneous_seconds ring_one_by_one_seconds registration_status registration_updated_at flow_version created_at voicemail_email recording_notice',
  },
  number_target: {
    other: 'number_id company_id kind target_id',
  },
  number_user: {
    personal: 'user_id',
    retention: 'while the company has it',
    erasure: 'row goes with the user',
    other: 'number_id company_id',
  },
  oauth_app: {
    other:
      'id company_id name description logo_url client_id secret_hash install_uri redirect_uri listed created_at deleted_at',
  },
  oauth_code: {
    other: 'hash company_id app_id user_id redirect_uri challenge number_ids created_at expires_at used_at token_id',
  },
  oauth_token: {
    other: 'id company_id token_hash created_at revoked_at restricted app_id user_id custom_name active',
  },
  oauth_token_number: {
    other: 'token_id number_id company_id',
  },
  opt_out: {
    personal: 'phone',
    retention: 'until opted back in',
    erasure: 'record of the company; names are read from user and contact',
    other: 'company_id number_id at',
  },
  past_number: {
    other: 'id company_id data deleted_at',
  },
  past_team: {
    other: 'id company_id name created_at deleted_at',
  },
  phone_session: {
    personal: 'name',
    retention: 'while it is connected',
    erasure: 'row goes with the user',
    other: 'id company_id user_id kind owner opened_at active_at',
  },
  process: {
    other: 'draining id roles seen_at',
  },
  push_subscription: {
    personal: 'endpoint endpoint_hash keys',
    retention: 'until its session ends',
    erasure: 'row goes with the user',
    other: 'id company_id user_id session_hash created_at',
  },
  queue_place: {
    other: 'key target company_id rank entered_at call_id hungry',
  },
  rate_window: {
    other: 'company_id minute used',
  },
  replay: {
    other: 'id company_id webhook_id state wish total filled cursor created_at finished_at',
  },
  ring_attempt: {
    personal: 'user_id',
    retention: '7 months',
    erasure: 'holds the id only',
    other: 'id company_id call_id number_id team_id started_at ended_at outcome origin',
  },
  ring_reservation: {
    other: 'user_id company_id key at',
  },
  sandbox_setting: {
    other: 'company_id key value',
  },
  recovery_code: {
    personal: 'code_hash',
    retention: 'while the user exists',
    erasure: 'row goes with the user',
    other: 'user_id company_id used_at',
  },
  schema_migration: {
    other: 'number name applied_at',
  },
  session: {
    personal: 'id_hash csrf_hash address user_agent',
    retention: '7 days',
    erasure: 'row goes with the user',
    other: 'company_id user_id created_at seen_at method',
  },
  setting: {
    other: 'key value',
  },
  short_url: {
    personal: 'id',
    retention: 'its expiry',
    erasure: 'row goes with the call or message',
    other: 'company_id call_id kind expires_at',
  },
  sign_in_try: {
    personal: 'who',
    retention: 'its window, a day at most',
    erasure: 'stored as a hash',
    other: 'tries ends_at',
  },
  sms_template: {
    other: 'id company_id name body created_at',
  },
  sound: {
    other: 'company_id id url state reason seconds name file updated_at',
  },
  stream: {
    other: 'webhook_id resource_key company_id last_seq',
  },
  tag: {
    other: 'id company_id name name_key color description created_at',
  },
  team: {
    other: 'id company_id name name_key created_at',
  },
  team_member: {
    personal: 'user_id',
    retention: 'while the company has it',
    erasure: 'row goes with the user',
    other: 'team_id company_id added_at',
  },
  transcript: {
    personal: 'heard utterances',
    retention: 'with its call',
    erasure: 'row goes with the call or message',
    other: 'id company_id call_id sound engine language created_at internal_ms external_ms monologue_ms',
  },
  transcript_word: {
    personal: 'word',
    retention: 'with its call',
    erasure: 'row goes with the call or message',
    other: 'company_id call_id',
  },
  trunk: {
    other:
      'id company_id name enabled host port transport srtp registers username password_sealed domain addresses prefixes number_form behind_nat emergency priority max_calls up up_at created_at country codecs inbound_digest inbound_password_sealed inbound_username up_detail',
  },
  trunk_registration: {
    other: 'trunk_id node beat',
  },
  trunk_assignment: {
    other: 'company_id trunk_id',
  },
  passkey: {
    personal: 'credential_id public_key name',
    retention: 'while the user exists',
    erasure: 'row goes with the user',
    other: 'id company_id user_id counter transports synced created_at last_used_at',
  },
  passkey_challenge: {
    other: 'challenge_hash company_id user_id expires_at',
  },
  sso: {
    other:
      'company_id issuer client_id client_secret_sealed domains creates_users trusts_email role_claim role_map default_role forced changed_at',
  },
  sso_identity: {
    personal: 'subject',
    retention: 'while the user exists',
    erasure: 'row goes with the user',
    other: 'company_id issuer user_id created_at',
  },
  sso_request: {
    other: 'state_hash company_id browser_hash nonce verifier_sealed expires_at',
  },
  two_step: {
    personal: 'secret_sealed',
    retention: 'while the user exists',
    erasure: 'row goes with the user',
    other: 'user_id company_id enabled_at last_step created_at',
  },
  user: {
    personal: 'email email_key first_name last_name language time_zone extension reason working_hours password_hash',
    retention: 'while the company has it',
    erasure: 'row goes with the user',
    other:
      'id company_id wrap_up_time availability_status default_number_id confirmed_at created_at deleted_at sessions in_call wrap_up_tag granular granular_since wrap_up_call_id wrap_up_until wrap_up_pending call_sound unavailable_until resume_status deactivated_at call_waiting voicemail_email',
  },
  user_role: {
    personal: 'role',
    retention: 'while the company has it',
    erasure: 'row goes with the user',
    other: 'user_id company_id',
  },
  user_status: {
    personal: 'user_id reason',
    retention: '7 months',
    erasure: 'holds the id only',
    other: 'id company_id at granular availability_status',
  },
  webhook: {
    other:
      'legacy_id id company_id owner_kind oauth_token_id url custom_name all_events token status created_at secret_current secret_previous secret_previous_until disable_reason disabled_at probe_until failing_since last_success_at deleted_at created_by health consecutive_failures warned_level cap streak api_key_id integration',
  },
  webhook_event: {
    other: 'webhook_id name',
  },
  whatsapp_template: {
    other: 'id company_id waba_id name language category status components created_at',
  },
  worker: {
    other: 'id started_at heartbeat_at build life_key',
  },
}

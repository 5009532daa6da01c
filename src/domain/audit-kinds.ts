/** Kinds of audit log entries, by how their actions begin. */
export const auditKinds = {
  sign_in: [
    'sign_in',
    'sign_out',
    'session.',
    'password.',
    'invitation.',
    'two_step.',
    'recovery_codes.',
    'sso.',
    'passkey.',
  ],
  users: ['user.', 'role.'],
  developers: ['api_key.', 'webhook.', 'oauth', 'integration.'],
  calls: ['call.', 'caller.', 'recording.', 'recording_notice.', 'voicemail.', 'dial', 'message', 'trunk.'],
} as const satisfies Record<string, readonly string[]>

export type AuditKind = keyof typeof auditKinds

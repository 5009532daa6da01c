import { Fieldset, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { Carrier, CarrierDraft } from './carrier.ts'
import { CopyAddress } from './copy-address.tsx'

type Whatsapp = CarrierDraft['whatsapp']

const secrets = [
  { field: 'access_token', has: 'has_access_token', label: 'Access token', hint: 'Permanent token of a system user' },
  {
    field: 'app_secret',
    has: 'has_app_secret',
    label: 'App secret',
    hint: 'Verifies the signature of inbound requests',
  },
  {
    field: 'verify_token',
    has: 'has_verify_token',
    label: 'Verify token',
    hint: 'Choose a value and enter it in the app configuration as well',
  },
] as const

export function WhatsappFields({
  draft,
  set,
  carrier,
}: {
  draft: Whatsapp
  set: (part: Partial<Whatsapp>) => void
  carrier: Carrier | undefined
}) {
  return (
    <>
      {secrets.map(({ field, has, label, hint }) => (
        <PasswordInput
          key={field}
          label={label}
          description={carrier?.whatsapp?.[has] ? 'Stored encrypted. Leave blank to keep the current value' : hint}
          maxLength={field === 'access_token' ? 1_000 : 500}
          autoComplete="new-password"
          value={draft[field]}
          onChange={(event) => set({ [field]: event.currentTarget.value })}
        />
      ))}
      <Group grow align="flex-start">
        <TextInput
          label="API base URL"
          maxLength={500}
          required
          value={draft.base_url}
          onChange={(event) => set({ base_url: event.currentTarget.value })}
        />
        <TextInput
          label="Version"
          maxLength={8}
          value={draft.version}
          onChange={(event) => set({ version: event.currentTarget.value })}
        />
      </Group>
      <Fieldset legend="Webhook">
        <Stack gap="sm">
          <Text size="sm">
            In the app dashboard of the operator, under WhatsApp &gt; Configuration, enter this callback URL and the
            verify token, and subscribe to <b>messages</b>.
          </Text>
          <CopyAddress label="Callback URL" url={carrier?.messages_url} />
        </Stack>
      </Fieldset>
    </>
  )
}

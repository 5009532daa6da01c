import {
  Fieldset,
  Group,
  PasswordInput,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { Carrier, CarrierDraft } from './carrier.ts'
import { CopyAddress } from './copy-address.tsx'

type Http = CarrierDraft['http']
type SetDraft = (part: Partial<Http>) => void

const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }

export function HttpFields({ draft, set, carrier }: { draft: Http; set: SetDraft; carrier: Carrier | undefined }) {
  return (
    <>
      <TextInput
        label="Endpoint URL"
        description="Messages are sent to this URL with POST"
        placeholder="https://sms.provider.example/messages"
        required
        maxLength={2_000}
        value={draft.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <Textarea
        label="Request body"
        description="JSON. Placeholders: {{to}}, {{from}}, {{to_digits}}, {{from_digits}}, {{body}}, {{id}}; “{{media}}” becomes a list of URLs"
        required
        autosize
        minRows={4}
        maxRows={16}
        maxLength={20_000}
        styles={mono}
        value={draft.template}
        onChange={(event) => set({ template: event.currentTarget.value })}
      />
      <Select
        label="Request format"
        allowDeselect={false}
        data={[
          { value: 'json', label: 'JSON' },
          { value: 'form', label: 'Form (application/x-www-form-urlencoded)' },
        ]}
        value={draft.format}
        onChange={(value) => set({ format: value as Http['format'] })}
      />
      <Textarea
        label="Secret headers"
        description="One per line, stored encrypted. A header without a value keeps the stored value"
        placeholder="Authorization: Bearer …"
        autosize
        minRows={2}
        maxRows={6}
        autoComplete="off"
        styles={mono}
        value={draft.secret_headers}
        onChange={(event) => set({ secret_headers: event.currentTarget.value })}
      />
      <ResponseFields draft={draft} set={set} />
      <Incoming draft={draft} set={set} carrier={carrier} />
      <Reports draft={draft} set={set} carrier={carrier} />
    </>
  )
}

function ResponseFields({ draft, set }: { draft: Http; set: SetDraft }) {
  return (
    <Fieldset legend="Response">
      <Stack gap="sm">
        <TextInput
          label="Message ID path"
          description="Identifies the message in status reports. Leave blank if the provider uses {{id}}"
          placeholder="messages.0.id"
          maxLength={200}
          styles={mono}
          value={draft.message_id_path ?? ''}
          onChange={(event) => set({ message_id_path: event.currentTarget.value || null })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TagsInput
            label="Success status"
            description="HTTP status, such as 2xx or 202"
            value={draft.taken}
            onChange={(taken) => set({ taken })}
          />
          <TagsInput
            label="Retry status"
            description="Any other status is a failure"
            value={draft.later}
            onChange={(later) => set({ later })}
          />
        </SimpleGrid>
        <TextInput
          label="Idempotency header"
          description="If the provider supports idempotent requests; makes retries after connection errors safe"
          placeholder="Idempotency-Key"
          maxLength={128}
          value={draft.idempotency_header ?? ''}
          onChange={(event) => set({ idempotency_header: event.currentTarget.value || null })}
        />
        <TextInput
          label="Error code path"
          placeholder="error.code"
          maxLength={200}
          styles={mono}
          value={draft.error_path ?? ''}
          onChange={(event) => set({ error_path: event.currentTarget.value || null })}
        />
        <Textarea
          label="Error code mapping"
          description="Provider code = our code, one per line: 21610, 30003, 30005, 30007, 30008"
          placeholder="INVALID_NUMBER = 30005"
          autosize
          minRows={2}
          maxRows={8}
          styles={mono}
          value={draft.error_codes}
          onChange={(event) => set({ error_codes: event.currentTarget.value })}
        />
      </Stack>
    </Fieldset>
  )
}

const receivedFields = [
  { field: 'from', label: 'Sender' },
  { field: 'to', label: 'Recipient (your number)' },
  { field: 'body', label: 'Text' },
  { field: 'id', label: 'Message ID' },
  { field: 'media', label: 'Media' },
  { field: 'list', label: 'Message list' },
] as const

function Incoming({ draft, set, carrier }: { draft: Http; set: SetDraft; carrier: Carrier | undefined }) {
  return (
    <Fieldset legend="Inbound messages">
      <Stack gap="sm">
        <CopyAddress label="Webhook URL for messages" url={carrier?.messages_url} />
        <Radio.Group
          label="Authentication"
          value={draft.check}
          onChange={(check) => set({ check: check as Http['check'] })}
        >
          <Stack gap={6} mt={6}>
            <Radio value="hmac" label="Signature header" description="HMAC-SHA256 of the body" />
            <Radio value="secret" label="Secret header" />
            <Radio value="none" label="None" description="Anyone who knows the URL can post messages" />
          </Stack>
        </Radio.Group>
        {draft.check !== 'none' && (
          <AuthenticationFields draft={draft} set={set} hasSecret={carrier?.http?.has_inbound_secret ?? false} />
        )}
        <Text size="sm">Paths in the request body:</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {receivedFields.map(({ field, label }) => (
            <TextInput
              key={field}
              label={label}
              maxLength={200}
              styles={mono}
              value={draft.received[field] ?? ''}
              onChange={(event) => set({ received: { ...draft.received, [field]: event.currentTarget.value || null } })}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Fieldset>
  )
}

function AuthenticationFields({ draft, set, hasSecret }: { draft: Http; set: SetDraft; hasSecret: boolean }) {
  return (
    <>
      <PasswordInput
        label="Secret"
        description={
          hasSecret
            ? 'Stored encrypted. Leave blank to keep the current secret'
            : 'Inbound requests are rejected without it'
        }
        maxLength={500}
        autoComplete="new-password"
        value={draft.inbound_secret}
        onChange={(event) => set({ inbound_secret: event.currentTarget.value })}
      />
      <Group grow align="flex-start">
        <TextInput
          label="Header"
          maxLength={128}
          value={draft.check_header ?? ''}
          onChange={(event) => set({ check_header: event.currentTarget.value || null })}
        />
        {draft.check === 'hmac' && (
          <TextInput
            label="Prefix"
            placeholder="sha256="
            maxLength={32}
            value={draft.check_prefix ?? ''}
            onChange={(event) => set({ check_prefix: event.currentTarget.value || null })}
          />
        )}
      </Group>
      {draft.check === 'hmac' && (
        <Select
          label="Encoding"
          allowDeselect={false}
          data={[
            { value: 'hex', label: 'Hexadecimal' },
            { value: 'base64', label: 'Base64' },
          ]}
          value={draft.check_encoding}
          onChange={(value) => set({ check_encoding: value as Http['check_encoding'] })}
        />
      )}
    </>
  )
}

const reportedFields = [
  { field: 'id', label: 'Message ID' },
  { field: 'status', label: 'Status' },
  { field: 'error', label: 'Error code' },
  { field: 'list', label: 'Report list' },
] as const

function Reports({ draft, set, carrier }: { draft: Http; set: SetDraft; carrier: Carrier | undefined }) {
  return (
    <Fieldset legend="Status reports">
      <Stack gap="sm">
        <CopyAddress label="Webhook URL for status reports" url={carrier?.reports_url} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {reportedFields.map(({ field, label }) => (
            <TextInput
              key={field}
              label={label}
              maxLength={200}
              styles={mono}
              value={draft.reported[field] ?? ''}
              onChange={(event) => set({ reported: { ...draft.reported, [field]: event.currentTarget.value || null } })}
            />
          ))}
        </SimpleGrid>
        <Textarea
          label="Status mapping"
          description="Provider status = our status, one per line: sent, delivered, read, undelivered, failed"
          autosize
          minRows={3}
          maxRows={10}
          styles={mono}
          value={draft.statuses}
          onChange={(event) => set({ statuses: event.currentTarget.value })}
        />
      </Stack>
    </Fieldset>
  )
}

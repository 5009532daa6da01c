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
import type { Carrier, Draft } from './carrier.ts'
import { CopyAddress } from './copy-address.tsx'

type Http = Draft['http']
type Set = (part: Partial<Http>) => void

const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }

export function HttpFields({ draft, set, carrier }: { draft: Http; set: Set; carrier: Carrier | undefined }) {
  return (
    <>
      <TextInput
        label="Address"
        description="Where a message is posted to"
        placeholder="https://sms.provider.example/messages"
        required
        maxLength={2_000}
        value={draft.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <Textarea
        label="What is sent"
        description="JSON. Filled in: {{to}}, {{from}}, {{to_digits}}, {{from_digits}}, {{body}}, {{id}}; “{{media}}” becomes a list of addresses"
        required
        autosize
        minRows={4}
        maxRows={16}
        maxLength={20_000}
        styles={mono}
        value={draft.template}
        onChange={(event) => set({ template: event.currentTarget.value })}
      />
      <Textarea
        label="Secret headers"
        description="One a line; kept encrypted. A name with nothing behind its colon keeps its value"
        placeholder="Authorization: Bearer …"
        autosize
        minRows={2}
        maxRows={6}
        autoComplete="off"
        styles={mono}
        value={draft.secret_headers}
        onChange={(event) => set({ secret_headers: event.currentTarget.value })}
      />
      <Answer draft={draft} set={set} />
      <Incoming draft={draft} set={set} carrier={carrier} />
      <Reports draft={draft} set={set} carrier={carrier} />
    </>
  )
}

function Answer({ draft, set }: { draft: Http; set: Set }) {
  return (
    <Fieldset legend="What the provider answers">
      <Stack gap="sm">
        <Select
          label="Sent as"
          allowDeselect={false}
          data={[
            { value: 'json', label: 'JSON' },
            { value: 'form', label: 'A form (application/x-www-form-urlencoded)' },
          ]}
          value={draft.format}
          onChange={(value) => set({ format: value as Http['format'] })}
        />
        <TextInput
          label="Where the id stands"
          description="Reports name it; empty: the provider uses our {{id}}"
          placeholder="messages.0.id"
          maxLength={200}
          styles={mono}
          value={draft.message_id_path ?? ''}
          onChange={(event) => set({ message_id_path: event.currentTarget.value || null })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TagsInput
            label="Taken"
            description="Statuses: 2xx, 202"
            value={draft.taken}
            onChange={(taken) => set({ taken })}
          />
          <TagsInput
            label="Try again"
            description="All others refuse"
            value={draft.later}
            onChange={(later) => set({ later })}
          />
        </SimpleGrid>
        <TextInput
          label="Header against doubles"
          description="If the provider knows a message again by it; then it is safe to send once more when the line broke"
          placeholder="Idempotency-Key"
          maxLength={128}
          value={draft.idempotency_header ?? ''}
          onChange={(event) => set({ idempotency_header: event.currentTarget.value || null })}
        />
        <TextInput
          label="Where its code of an error stands"
          placeholder="error.code"
          maxLength={200}
          styles={mono}
          value={draft.error_path ?? ''}
          onChange={(event) => set({ error_path: event.currentTarget.value || null })}
        />
        <Textarea
          label="What its codes mean"
          description="theirs = ours, one a line: 21610, 30003, 30005, 30007, 30008"
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
  { field: 'from', label: 'Who wrote' },
  { field: 'to', label: 'Your Number' },
  { field: 'body', label: 'The text' },
  { field: 'id', label: 'Its id' },
  { field: 'media', label: 'Files' },
  { field: 'list', label: 'A list of messages' },
] as const

function Incoming({ draft, set, carrier }: { draft: Http; set: Set; carrier: Carrier | undefined }) {
  return (
    <Fieldset legend="What comes in">
      <Stack gap="sm">
        <CopyAddress label="Address for messages" url={carrier?.messages_url} />
        <Radio.Group
          label="How it is proven"
          value={draft.check}
          onChange={(check) => set({ check: check as Http['check'] })}
        >
          <Stack gap={6} mt={6}>
            <Radio value="hmac" label="A signature in a header" description="HMAC-SHA256 of the body" />
            <Radio value="secret" label="A secret in a header" />
            <Radio value="none" label="By its address alone" description="Whoever learns the address can write" />
          </Stack>
        </Radio.Group>
        {draft.check !== 'none' && (
          <Proof draft={draft} set={set} hasSecret={carrier?.http?.has_inbound_secret ?? false} />
        )}
        <Text size="sm">Where it stands in what they send:</Text>
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

function Proof({ draft, set, hasSecret }: { draft: Http; set: Set; hasSecret: boolean }) {
  return (
    <>
      <PasswordInput
        label="Secret"
        description={hasSecret ? 'Empty: the one that is kept stays' : 'Without it, nothing is let in'}
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
            label="Before it"
            placeholder="sha256="
            maxLength={32}
            value={draft.check_prefix ?? ''}
            onChange={(event) => set({ check_prefix: event.currentTarget.value || null })}
          />
        )}
      </Group>
      {draft.check === 'hmac' && (
        <Select
          label="Written as"
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
  { field: 'id', label: 'Id of the message' },
  { field: 'status', label: 'The word' },
  { field: 'error', label: 'Code of an error' },
  { field: 'list', label: 'A list of reports' },
] as const

function Reports({ draft, set, carrier }: { draft: Http; set: Set; carrier: Carrier | undefined }) {
  return (
    <Fieldset legend="What became of messages">
      <Stack gap="sm">
        <CopyAddress label="Address for reports" url={carrier?.reports_url} />
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
          label="What its words mean"
          description="theirs = ours, one a line: sent, delivered, read, undelivered, failed"
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

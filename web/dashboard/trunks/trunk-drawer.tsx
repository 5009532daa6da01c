import {
  Fieldset,
  Group,
  NumberInput,
  PasswordInput,
  Radio,
  Select,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { bodyOf, type Draft, draftOf, type InboundDigest, isComplete, type Trunk } from './trunk.ts'

const digests: { value: InboundDigest; label: string }[] = [
  { value: 'any', label: 'SHA-256 or MD5' },
  { value: 'sha256', label: 'SHA-256 only' },
  { value: 'md5', label: 'MD5 only' },
]

/** A new trunk, or one that is there. */
export function TrunkDrawer({ wanted, close }: { wanted: Trunk | 'new' | undefined; close: () => void }) {
  if (wanted === undefined) return null
  return wanted === 'new' ? <Editor key="new" close={close} /> : <Editor key={wanted.id} trunk={wanted} close={close} />
}

/** Whether the carrier accepts it is shown in the list. */
function savedWords({ enabled, way }: Draft): string {
  if (!enabled) return 'Trunk saved. It is switched off.'
  return way === 'account' ? 'Trunk saved. Registering…' : 'Trunk saved.'
}

type Set = (part: Partial<Draft>) => void

function Editor({ trunk, close }: { trunk?: Trunk; close: () => void }) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(draftOf(trunk))
  const set: Set = (part) => setDraft((before) => ({ ...before, ...part }))
  const hasPassword = trunk?.has_password ?? false
  const submit = async () => {
    const body = bodyOf(draft)
    await (trunk ? api.put(`/v1/trunks/${trunk.id}`, body) : api.post('/v1/trunks', body))
    await queries.invalidateQueries({ queryKey: ['trunks'] })
    say(savedWords(draft))
  }
  return (
    <FormDrawer
      title={trunk ? `Change ${trunk.name}` : 'New trunk'}
      opened
      close={close}
      action={trunk ? 'Save' : 'Add the trunk'}
      submit={submit}
      disabled={!isComplete(draft, hasPassword)}
    >
      <Where draft={draft} set={set} />
      <Who draft={draft} set={set} hasPassword={hasPassword} />
      <What draft={draft} set={set} />
    </FormDrawer>
  )
}

function Where({ draft, set }: { draft: Draft; set: Set }) {
  return (
    <>
      <TextInput
        label="Name"
        description="For you and your colleagues"
        placeholder="Main carrier"
        required
        maxLength={255}
        data-autofocus
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Switch
        label="In use"
        description="Switched off, it keeps its settings and carries nothing"
        checked={draft.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <TextInput
        label="Host"
        description="The carrier calls it SIP server, proxy or domain: a name or an address, without sip:"
        placeholder="sip.carrier.example"
        required
        maxLength={253}
        value={draft.host}
        onChange={(event) => set({ host: event.currentTarget.value })}
      />
      <Group grow align="flex-start">
        <Select
          label="Transport"
          description="As the carrier says"
          allowDeselect={false}
          data={[
            { value: 'udp', label: 'UDP' },
            { value: 'tcp', label: 'TCP' },
            { value: 'tls', label: 'TLS (encrypted)' },
          ]}
          value={draft.transport}
          onChange={(value) => set({ transport: value as Draft['transport'] })}
        />
        <NumberInput
          label="Port"
          description="Empty: the usual one"
          min={1}
          max={65_535}
          allowDecimal={false}
          value={draft.port}
          onChange={(value) => set({ port: typeof value === 'number' ? value : '' })}
        />
      </Group>
      {draft.transport === 'tls' && (
        <Switch
          label="Encrypt the sound too"
          description="SRTP; the carrier must support it"
          checked={draft.srtp}
          onChange={(event) => set({ srtp: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

function Who({ draft, set, hasPassword }: { draft: Draft; set: Set; hasPassword: boolean }) {
  return (
    <>
      <Radio.Group
        label="How the carrier knows you"
        value={draft.way}
        onChange={(value) => set({ way: value as Draft['way'] })}
      >
        <Stack gap={6} mt={6}>
          <Radio
            value="account"
            label="By a user name and a password"
            description="This server signs in with the carrier and is called there. It works behind a router, too."
          />
          <Radio
            value="address"
            label="By the address of this server"
            description="The carrier has written down your public address and sends calls to it."
          />
        </Stack>
      </Radio.Group>
      <TextInput
        label="User name"
        description={
          draft.way === 'account'
            ? 'Of the SIP account, not of the carrier’s web pages'
            : 'Only if the carrier asks for one'
        }
        required={draft.way === 'account'}
        maxLength={255}
        autoComplete="off"
        value={draft.username}
        onChange={(event) => set({ username: event.currentTarget.value })}
      />
      <PasswordInput
        label="Password"
        description={
          hasPassword ? 'Kept and never shown; empty leaves it as it is' : 'Kept encrypted and never shown again'
        }
        required={draft.way === 'account' && !hasPassword}
        maxLength={255}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        value={draft.password}
        onChange={(event) => set({ password: event.currentTarget.value })}
      />
      <TextInput
        label="Domain"
        description="Only if the carrier names one that differs from the host"
        maxLength={253}
        value={draft.domain}
        onChange={(event) => set({ domain: event.currentTarget.value })}
      />
      <TagsInput
        label="Addresses that calls come from"
        description="Such as 192.0.2.0/24; press Enter after each. None: the addresses of the host. Calls from elsewhere are refused."
        maxTags={50}
        value={draft.addresses}
        onChange={(addresses) => set({ addresses })}
      />
      <TextInput
        label="Username for inbound calls"
        description="If the carrier authenticates with a digest: inbound calls without it get 401. Blank: the source address suffices."
        maxLength={255}
        autoComplete="off"
        value={draft.inboundUsername}
        onChange={(event) => set({ inboundUsername: event.currentTarget.value })}
      />
      {draft.inboundUsername !== '' && (
        <>
          <PasswordInput
            label="Password for inbound calls"
            description="Stored encrypted and never shown; leave blank to keep the stored one"
            maxLength={255}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password for inbound calls' }}
            value={draft.inboundPassword}
            onChange={(event) => set({ inboundPassword: event.currentTarget.value })}
          />
          <Select
            label="Digest algorithm for inbound calls"
            description="Many devices know MD5 only, and some of them fail when SHA-256 is offered as well"
            data={digests}
            allowDeselect={false}
            value={draft.inboundDigest}
            onChange={(chosen) => chosen && set({ inboundDigest: chosen })}
          />
        </>
      )}
    </>
  )
}

function What({ draft, set }: { draft: Draft; set: Set }) {
  return (
    <Fieldset legend="What it carries">
      <Stack>
        <TagsInput
          label="Only numbers that begin with"
          description="Such as +33; press Enter after each. None: everything"
          maxTags={200}
          value={draft.prefixes}
          onChange={(prefixes) => set({ prefixes })}
        />
        <Select
          label="How numbers are written"
          description="As the carrier wants them; with a plus unless it says otherwise"
          allowDeselect={false}
          data={[
            { value: 'plus', label: '+14155550123' },
            { value: 'digits', label: '14155550123' },
            { value: 'national', label: 'As within the country' },
          ]}
          value={draft.numberForm}
          onChange={(value) => set({ numberForm: value as Draft['numberForm'] })}
        />
        <Group grow align="flex-start">
          <NumberInput
            label="Priority"
            description="Lower is tried first"
            min={0}
            max={1_000}
            allowDecimal={false}
            value={draft.priority}
            onChange={(value) => set({ priority: typeof value === 'number' ? value : '' })}
          />
          <NumberInput
            label="Calls at once"
            description="As many as you pay for"
            min={1}
            max={10_000}
            allowDecimal={false}
            value={draft.maxCalls}
            onChange={(value) => set({ maxCalls: typeof value === 'number' ? value : '' })}
          />
        </Group>
        <Switch
          label="The carrier is behind a router"
          description="Answers go to where its messages come from, whatever they say"
          checked={draft.behindNat}
          onChange={(event) => set({ behindNat: event.currentTarget.checked })}
        />
        <Switch
          label="It carries emergency calls"
          description="Only if the carrier says so, and knows the address of your office"
          checked={draft.emergency}
          onChange={(event) => set({ emergency: event.currentTarget.checked })}
        />
      </Stack>
    </Fieldset>
  )
}

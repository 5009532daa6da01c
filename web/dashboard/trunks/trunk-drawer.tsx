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
import { notify } from '../../kit/ui/toast.tsx'
import {
  codecChoiceOf,
  codecOptions,
  codecsOfChoice,
  type InboundDigest,
  type Trunk,
  type TrunkDraft,
  trunkDraft,
  trunkRequest,
} from './trunk.ts'

const digests: { value: InboundDigest; label: string }[] = [
  { value: 'any', label: 'SHA-256 or MD5' },
  { value: 'sha256', label: 'SHA-256 only' },
  { value: 'md5', label: 'MD5 only' },
]

/** Creates or edits a trunk. */
export function TrunkDrawer({ wanted, close }: { wanted: Trunk | 'new' | undefined; close: () => void }) {
  if (wanted === undefined) return null
  return wanted === 'new' ? <Editor key="new" close={close} /> : <Editor key={wanted.id} trunk={wanted} close={close} />
}

/** The list shows whether the registration succeeds. */
function savedWords({ enabled, authentication }: TrunkDraft): string {
  if (!enabled) return 'Trunk saved. It is disabled.'
  return authentication === 'account' ? 'Trunk saved. Registering…' : 'Trunk saved.'
}

type SetDraft = (part: Partial<TrunkDraft>) => void

function Editor({ trunk, close }: { trunk?: Trunk; close: () => void }) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(trunkDraft(trunk))
  const set: SetDraft = (part) => setDraft((before) => ({ ...before, ...part }))
  const hasPassword = trunk?.has_password ?? false
  const submit = async () => {
    const body = trunkRequest(draft)
    await (trunk
      ? api.put('/v1/trunks/{id}', { params: { id: trunk.id }, body, loaded: trunk })
      : api.post('/v1/trunks', { body }))
    await queries.invalidateQueries({ queryKey: ['trunks'] })
    notify(savedWords(draft))
  }
  return (
    <FormDrawer
      title={trunk ? `Edit ${trunk.name}` : 'New SIP trunk'}
      opened
      close={close}
      action={trunk ? 'Save' : 'Create trunk'}
      submit={submit}
    >
      <ConnectionFields draft={draft} set={set} />
      <AuthenticationFields draft={draft} set={set} hasPassword={hasPassword} />
      <RoutingFields draft={draft} set={set} />
    </FormDrawer>
  )
}

function ConnectionFields({ draft, set }: { draft: TrunkDraft; set: SetDraft }) {
  return (
    <>
      <TextInput
        label="Name"
        description="Display name"
        placeholder="Main carrier"
        required
        maxLength={255}
        data-autofocus
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Switch
        label="Enabled"
        description="A disabled trunk keeps its settings but carries no calls"
        checked={draft.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <TextInput
        label="Host"
        description="SIP server, proxy or domain of the carrier: host name or IP address, without sip:"
        placeholder="sip.carrier.example"
        required
        maxLength={253}
        value={draft.host}
        onChange={(event) => set({ host: event.currentTarget.value })}
      />
      <Group grow align="flex-start">
        <Select
          label="Transport"
          description="As specified by the carrier"
          allowDeselect={false}
          data={[
            { value: 'udp', label: 'UDP' },
            { value: 'tcp', label: 'TCP' },
            { value: 'tls', label: 'TLS (encrypted)' },
            { value: 'auto', label: 'Automatic (DNS)' },
          ]}
          value={draft.transport}
          onChange={(value) => set({ transport: value as TrunkDraft['transport'] })}
        />
        <NumberInput
          label="Port"
          description="Leave blank for default"
          min={1}
          max={65_535}
          allowDecimal={false}
          value={draft.port}
          onChange={(value) => set({ port: typeof value === 'number' ? value : '' })}
        />
      </Group>
      {draft.transport === 'tls' && (
        <Switch
          label="SRTP media encryption"
          description="The carrier must support SRTP"
          checked={draft.srtp}
          onChange={(event) => set({ srtp: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

function AuthenticationFields({ draft, set, hasPassword }: { draft: TrunkDraft; set: SetDraft; hasPassword: boolean }) {
  return (
    <>
      <Radio.Group
        label="Authentication"
        value={draft.authentication}
        onChange={(value) => set({ authentication: value as TrunkDraft['authentication'] })}
      >
        <Stack gap={6} mt={6}>
          <Radio
            value="account"
            label="Registration"
            description="This server registers with username and password. Works behind NAT."
          />
          <Radio
            value="address"
            label="IP"
            description="The carrier authorizes your public IP address and sends calls to it."
          />
        </Stack>
      </Radio.Group>
      <TextInput
        label="Username"
        description={
          draft.authentication === 'account'
            ? 'Of the SIP account, not of the carrier’s customer portal'
            : 'Only if the carrier requires one'
        }
        required={draft.authentication === 'account'}
        maxLength={255}
        autoComplete="off"
        value={draft.username}
        onChange={(event) => set({ username: event.currentTarget.value })}
      />
      <PasswordInput
        label="Password"
        description={
          hasPassword
            ? 'Stored encrypted. Leave blank to keep the current password'
            : 'Stored encrypted and never shown again'
        }
        required={draft.authentication === 'account' && !hasPassword}
        maxLength={255}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
        value={draft.password}
        onChange={(event) => set({ password: event.currentTarget.value })}
      />
      <TextInput
        label="Domain"
        description="Only if it differs from the host"
        maxLength={253}
        value={draft.domain}
        onChange={(event) => set({ domain: event.currentTarget.value })}
      />
      <TagsInput
        label="Allowed source IPs"
        description="Such as 192.0.2.0/24; press Enter after each. Leave blank for the addresses of the host. Calls from other addresses are rejected."
        maxTags={50}
        value={draft.addresses}
        onChange={(addresses) => set({ addresses })}
      />
      <TextInput
        label="Username for inbound calls"
        description="For digest authentication: inbound calls without credentials get 401. Leave blank to check the source IP only."
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
            visibilityToggleButtonProps={{ 'aria-label': 'Show password for inbound calls' }}
            value={draft.inboundPassword}
            onChange={(event) => set({ inboundPassword: event.currentTarget.value })}
          />
          <Select
            label="Digest algorithm for inbound calls"
            description="Many devices support MD5 only, and some fail when SHA-256 is offered as well"
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

function RoutingFields({ draft, set }: { draft: TrunkDraft; set: SetDraft }) {
  return (
    <Fieldset legend="Routing">
      <Stack>
        <TagsInput
          label="Allowed prefixes"
          description="Such as +33; press Enter after each. Leave blank for all numbers"
          maxTags={200}
          value={draft.prefixes}
          onChange={(prefixes) => set({ prefixes })}
        />
        <Select
          label="Number format"
          description="As required by the carrier; usually with a plus sign"
          allowDeselect={false}
          data={[
            { value: 'plus', label: '+14155550123' },
            { value: 'digits', label: '14155550123' },
            { value: 'national', label: 'National format' },
          ]}
          value={draft.numberForm}
          onChange={(value) => set({ numberForm: value as TrunkDraft['numberForm'] })}
        />
        <Select
          label="Audio codecs"
          description="In the order of preference. HD voice needs a carrier that supports it, and more CPU per call"
          allowDeselect={false}
          data={codecOptions(draft.codecs)}
          value={codecChoiceOf(draft.codecs)}
          onChange={(value) => set({ codecs: codecsOfChoice(value) ?? draft.codecs })}
        />
        <Group grow align="flex-start">
          <NumberInput
            label="Priority"
            description="Lower values are tried first"
            min={0}
            max={1_000}
            allowDecimal={false}
            value={draft.priority}
            onChange={(value) => set({ priority: typeof value === 'number' ? value : '' })}
          />
          <NumberInput
            label="Max concurrent calls"
            description="The number of channels in your contract"
            min={1}
            max={10_000}
            allowDecimal={false}
            value={draft.maxCalls}
            onChange={(value) => set({ maxCalls: typeof value === 'number' ? value : '' })}
          />
        </Group>
        <Switch
          label="NAT handling"
          description="Send responses to the source address of the carrier’s packets"
          checked={draft.behindNat}
          onChange={(event) => set({ behindNat: event.currentTarget.checked })}
        />
        <Switch
          label="Emergency calls"
          description="Only if the carrier supports them and has the address of your office on file"
          checked={draft.emergency}
          onChange={(event) => set({ emergency: event.currentTarget.checked })}
        />
      </Stack>
    </Fieldset>
  )
}

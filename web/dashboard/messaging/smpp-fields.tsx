import { Fieldset, Group, NumberInput, PasswordInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import type { CarrierDraft } from './carrier.ts'

type Smpp = CarrierDraft['smpp']

interface Props {
  draft: Smpp
  set: (part: Partial<Smpp>) => void
}

export function SmppFields({ draft, set, hasPassword }: Props & { hasPassword: boolean }) {
  return (
    <>
      <TextInput
        label="Host"
        description="Host name or IP address of the SMSC"
        placeholder="smpp.carrier.example"
        required
        maxLength={253}
        value={draft.host}
        onChange={(event) => set({ host: event.currentTarget.value })}
      />
      <Group grow align="flex-start">
        <NumberInput
          label="Port"
          description="Usually 2775, or 3550 with TLS"
          min={1}
          max={65_535}
          allowDecimal={false}
          value={draft.port}
          onChange={(value) => typeof value === 'number' && set({ port: value })}
        />
        <Switch
          label="TLS"
          description="If supported by the carrier"
          mt={28}
          checked={draft.tls}
          onChange={(event) => set({ tls: event.currentTarget.checked })}
        />
      </Group>
      <TextInput
        label="System ID"
        description="Account name"
        required
        maxLength={15}
        autoComplete="off"
        value={draft.system_id}
        onChange={(event) => set({ system_id: event.currentTarget.value })}
      />
      <PasswordInput
        label="Password"
        description={
          hasPassword
            ? 'Stored encrypted. Leave blank to keep the current password'
            : 'Stored encrypted and never shown again'
        }
        maxLength={64}
        autoComplete="new-password"
        value={draft.password}
        onChange={(event) => set({ password: event.currentTarget.value })}
      />
      <AdvancedFields draft={draft} set={set} />
    </>
  )
}

function AdvancedFields({ draft, set }: Props) {
  return (
    <Fieldset legend="Advanced settings">
      <Stack gap="sm">
        <TextInput
          label="System type"
          maxLength={12}
          value={draft.system_type ?? ''}
          onChange={(event) => set({ system_type: event.currentTarget.value || null })}
        />
        <Select
          label="Number format"
          allowDeselect={false}
          data={[
            { value: 'digits', label: '14155550123' },
            { value: 'plus', label: '+14155550123' },
          ]}
          value={draft.number_form}
          onChange={(value) => set({ number_form: value as Smpp['number_form'] })}
        />
        <Select
          label="Delivery-receipt ID format"
          description="Change this if delivered messages keep the status “sent”"
          allowDeselect={false}
          data={[
            { value: 'same', label: 'Same as in the submit response' },
            { value: 'decimal', label: 'Hexadecimal in the response, decimal in the receipt' },
            { value: 'hexadecimal', label: 'Decimal in the response, hexadecimal in the receipt' },
          ]}
          value={draft.receipt_ids}
          onChange={(value) => set({ receipt_ids: value as Smpp['receipt_ids'] })}
        />
        <Select
          label="Concatenation reference"
          allowDeselect={false}
          data={[
            { value: '8', label: '8 bits: 153 or 67 characters per part' },
            { value: '16', label: '16 bits: 152 or 66 characters per part' },
          ]}
          value={draft.long_reference}
          onChange={(value) => set({ long_reference: value as Smpp['long_reference'] })}
        />
        <Group grow align="flex-start">
          <NumberInput
            label="Window size"
            description="Max unacknowledged messages"
            min={1}
            max={1_000}
            allowDecimal={false}
            value={draft.window}
            onChange={(value) => typeof value === 'number' && set({ window: value })}
          />
          <NumberInput
            label="Keep-alive (enquire_link)"
            description="Interval in seconds"
            min={5}
            max={600}
            allowDecimal={false}
            value={draft.keep_alive_seconds}
            onChange={(value) => typeof value === 'number' && set({ keep_alive_seconds: value })}
          />
        </Group>
      </Stack>
    </Fieldset>
  )
}

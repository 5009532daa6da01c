import { ActionIcon, Badge, Group, NumberInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { Carrier } from './carrier.ts'
import { useCarriers } from './carrier-list.tsx'

type Line = ResponseOf<'/v1/message_lines'>['message_lines'][number]

/** Messaging settings by number. */
export function LineTable() {
  const { mode } = useSession()
  const { data: carriers = [] } = useCarriers()
  const [wanted, setWanted] = useState<Line>()
  const { data, error, refetch } = useQuery({
    queryKey: ['message_lines'],
    queryFn: async () => (await api.get('/v1/message_lines')).message_lines,
  })
  const nameOf = (id: number | null) => carriers.find((carrier) => carrier.id === id)?.name
  const none = mode === 'sandbox' ? 'Simulated' : 'No carrier'
  return (
    <>
      <DataTable
        label="Numbers"
        columns={columns(nameOf, none, setWanted)}
        rows={data}
        keyOf={({ number_id }) => number_id}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title="No numbers yet">Messages are sent from a number. Add a number first.</Empty>}
      />
      {wanted && (
        <Editor
          key={wanted.number_id}
          line={wanted}
          carriers={carriers}
          none={none}
          close={() => setWanted(undefined)}
        />
      )}
    </>
  )
}

const columns = (
  nameOf: (id: number | null) => string | undefined,
  none: string,
  edit: (line: Line) => void,
): Column<Line>[] => [
  {
    label: 'Number',
    cell: ({ name, digits }) => (
      <>
        <Text size="sm" fw={550}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {digits}
        </Text>
      </>
    ),
  },
  {
    label: 'SMS/MMS',
    cell: ({ texts, carrier_id, per_second }) =>
      texts ? (
        <>
          <Text size="sm">{nameOf(carrier_id) ?? none}</Text>
          {per_second !== null && (
            <Text size="xs" c="dimmed">
              max {per_second} per second
            </Text>
          )}
        </>
      ) : (
        <Text size="sm" c="dimmed">
          Off
        </Text>
      ),
  },
  {
    label: 'WhatsApp',
    cell: (line) => <Whatsapp line={line} carrier={nameOf(line.whatsapp_carrier_id)} />,
    from: 'sm',
  },
  {
    label: 'Actions',
    align: 'right',
    cell: (line) => (
      <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${line.name}`} onClick={() => edit(line)}>
        <IconPencil size={16} />
      </ActionIcon>
    ),
  },
]

const statusColors = { ONLINE: 'green', OFFLINE: 'gray', BLOCKED: 'red' } as const
const statusWords = { ONLINE: 'Online', OFFLINE: 'Offline', BLOCKED: 'Blocked' } as const

function Whatsapp({ line, carrier }: { line: Line; carrier: string | undefined }) {
  if (line.waba_id === null) {
    return (
      <Text size="sm" c="dimmed">
        Off
      </Text>
    )
  }
  const { whatsapp_status, whatsapp_quality, whatsapp_tier } = line
  return (
    <Stack gap={2}>
      <Group gap={6}>
        <Badge variant="light" color={statusColors[whatsapp_status]} tt="none">
          {statusWords[whatsapp_status]}
        </Badge>
        {carrier && <Text size="sm">{carrier}</Text>}
      </Group>
      <Text size="xs" c="dimmed">
        {tierWords(whatsapp_tier)}
        {whatsapp_quality === 'UNKNOWN' ? '' : `, quality ${whatsapp_quality.toLowerCase()}`}
      </Text>
    </Stack>
  )
}

const tierWords = (tier: string) =>
  tier === 'TIER_UNLIMITED' ? 'Unlimited' : `${tier.replace('TIER_', '').replace('K', ',000')} recipients per day`

type Draft = Pick<Line, 'texts' | 'carrier_id' | 'per_second' | 'whatsapp_carrier_id' | 'waba_id' | 'phone_number_id'>

function Editor({ line, carriers, none, close }: { line: Line; carriers: Carrier[]; none: string; close: () => void }) {
  const queries = useQueryClient()
  const { texts, carrier_id, per_second, whatsapp_carrier_id, waba_id, phone_number_id } = line
  const [draft, setDraft] = useState<Draft>({
    texts,
    carrier_id,
    per_second,
    whatsapp_carrier_id,
    waba_id,
    phone_number_id,
  })
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const choices = (isWhatsapp: boolean) =>
    carriers
      .filter(({ kind }) => (kind === 'whatsapp') === isWhatsapp)
      .map(({ id, name }) => ({ value: String(id), label: name }))
  const submit = async () => {
    await api.put('/v1/message_lines/{id}', { params: { id: line.number_id }, body: draft, loaded: line })
    await queries.invalidateQueries({ queryKey: ['message_lines'] })
    notify('Messaging settings saved')
  }
  return (
    <FormDrawer title={`Messaging settings of ${line.name}`} opened close={close} action="Save" submit={submit}>
      <Switch
        label="SMS and MMS"
        description="Send and receive text messages"
        checked={draft.texts}
        onChange={(event) => set({ texts: event.currentTarget.checked })}
      />
      {draft.texts && (
        <>
          <Select
            label="Carrier"
            placeholder={none}
            clearable
            data={choices(false)}
            value={draft.carrier_id === null ? null : String(draft.carrier_id)}
            onChange={(value) => set({ carrier_id: value === null ? null : Number(value) })}
          />
          <NumberInput
            label="Messages per second"
            description="Rate limit of the carrier for this number. Leave blank for unlimited"
            min={1}
            max={1_000}
            allowDecimal={false}
            value={draft.per_second ?? ''}
            onChange={(value) => set({ per_second: typeof value === 'number' ? value : null })}
          />
        </>
      )}
      <Select
        label="WhatsApp carrier"
        placeholder={none}
        clearable
        data={choices(true)}
        value={draft.whatsapp_carrier_id === null ? null : String(draft.whatsapp_carrier_id)}
        onChange={(value) => set({ whatsapp_carrier_id: value === null ? null : Number(value) })}
      />
      <TextInput
        label="WhatsApp Business account ID"
        description="Digits only. Leave blank to disable WhatsApp for this number"
        inputMode="numeric"
        maxLength={32}
        value={draft.waba_id ?? ''}
        onChange={(event) => set({ waba_id: event.currentTarget.value.trim() || null })}
      />
      <TextInput
        label="Phone number ID"
        description="Digits only, as shown in the WhatsApp account"
        inputMode="numeric"
        maxLength={32}
        value={draft.phone_number_id ?? ''}
        onChange={(event) => set({ phone_number_id: event.currentTarget.value.trim() || null })}
      />
    </FormDrawer>
  )
}

import { Radio, Stack, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { type Carrier, type CarrierDraft, type CarrierKind, carrierDraft, carrierRequest } from './carrier.ts'
import { HttpFields } from './http-fields.tsx'
import { SmppFields } from './smpp-fields.tsx'
import { WhatsappFields } from './whatsapp-fields.tsx'

/** Creates or edits a carrier. */
export function CarrierDrawer({ wanted, close }: { wanted: Carrier | 'new' | undefined; close: () => void }) {
  if (wanted === undefined) return null
  return wanted === 'new' ? (
    <Editor key="new" close={close} />
  ) : (
    <Editor key={wanted.id} carrier={wanted} close={close} />
  )
}

const kinds: { value: CarrierKind; label: string; description: string }[] = [
  { value: 'smpp', label: 'SMPP', description: 'SMS over the standard carrier protocol' },
  { value: 'http', label: 'HTTP', description: 'SMS and MMS over the HTTP API of a provider' },
  { value: 'whatsapp', label: 'WhatsApp', description: 'WhatsApp Business over the Cloud API' },
]

function Editor({ carrier, close }: { carrier?: Carrier; close: () => void }) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(carrierDraft(carrier))
  const set = (part: Partial<CarrierDraft>) => setDraft((before) => ({ ...before, ...part }))
  const submit = async () => {
    const body = carrierRequest(draft)
    await (carrier
      ? api.put('/v1/carriers/{id}', { params: { id: carrier.id }, body, loaded: carrier })
      : api.post('/v1/carriers', { body: { ...body, kind: draft.kind } }))
    await queries.invalidateQueries({ queryKey: ['carriers'] })
    notify(carrier ? 'Carrier saved' : 'Carrier created. Select it for your numbers on the Numbers tab')
  }
  return (
    <FormDrawer
      title={carrier ? `Edit ${carrier.name}` : 'New carrier'}
      opened
      close={close}
      action={carrier ? 'Save' : 'Create carrier'}
      submit={submit}
    >
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
        description="A disabled carrier keeps its settings; its messages stay queued"
        checked={draft.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      {!carrier && (
        <Radio.Group label="Protocol" value={draft.kind} onChange={(kind) => set({ kind: kind as CarrierKind })}>
          <Stack gap={6} mt={6}>
            {kinds.map((kind) => (
              <Radio key={kind.value} {...kind} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {draft.kind === 'smpp' && (
        <SmppFields
          draft={draft.smpp}
          set={(part) => set({ smpp: { ...draft.smpp, ...part } })}
          hasPassword={carrier?.smpp?.has_password ?? false}
        />
      )}
      {draft.kind === 'http' && (
        <HttpFields draft={draft.http} set={(part) => set({ http: { ...draft.http, ...part } })} carrier={carrier} />
      )}
      {draft.kind === 'whatsapp' && (
        <WhatsappFields
          draft={draft.whatsapp}
          set={(part) => set({ whatsapp: { ...draft.whatsapp, ...part } })}
          carrier={carrier}
        />
      )}
    </FormDrawer>
  )
}

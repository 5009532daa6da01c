import { Button, Group, MultiSelect, Stack, Switch, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { FormModal } from '../../kit/ui/leave-form.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { type Integration, integrationName } from './integration.ts'

/** Display name of an installed app, and the numbers its webhooks cover. */
export function EditIntegration({ integration, close }: { integration: Integration | undefined; close: () => void }) {
  return (
    <FormModal
      opened={integration !== undefined}
      close={close}
      title={integration && `Edit ${integrationName(integration)}`}
    >
      {({ leave, done }) =>
        integration && <Fields key={integration.id} integration={integration} cancel={leave} close={done} />
      }
    </FormModal>
  )
}

function Fields({ integration, cancel, close }: { integration: Integration; cancel: () => void; close: () => void }) {
  const queries = useQueryClient()
  const { data: numbers = [] } = useNumbers()
  const [name, setName] = useState(integration.custom_name ?? '')
  const [isRestricted, setRestricted] = useState(integration.restricted)
  const [ids, setIds] = useState(integration.restricted ? integration.number_ids.map(String) : [])
  // As it was when the dialog opened.
  const [loaded] = useState({
    custom_name: integration.custom_name,
    number_ids: integration.number_ids,
  })
  const mayRestrict = integration.kind === 'oauth'
  const save = useMutation({
    mutationFn: async () => {
      if (mayRestrict && isRestricted && ids.length === 0) throw new Error('Select at least one number')
      return api.put('/v1/integrations/{id}', {
        params: { id: integration.id },
        body: {
          custom_name: name.trim() || null,
          ...(mayRestrict && { number_ids: isRestricted ? ids.map(Number) : null }),
        },
        loaded,
      })
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['integrations'] })
      notify('Integration saved')
      close()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Stack component={CheckedForm} onSubmit={submit}>
      <TextInput
        label="Name"
        description="Distinguishes several installations of the same app"
        placeholder={integration.name}
        maxLength={255}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {mayRestrict && (
        <Switch
          label="Selected numbers only"
          description="Its webhooks receive events for these numbers only"
          checked={isRestricted}
          onChange={({ currentTarget }) => setRestricted(currentTarget.checked)}
        />
      )}
      {mayRestrict && isRestricted && (
        <MultiSelect
          label="Numbers"
          searchable
          data={numbers.map(({ id, name: called, digits }) => ({ value: String(id), label: `${called} · ${digits}` }))}
          value={ids}
          onChange={setIds}
        />
      )}
      {save.error && <SaveError error={save.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}

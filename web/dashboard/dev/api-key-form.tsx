import { Button, Checkbox, Group, NativeSelect, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type ApiScope, apiScopes } from '../../../src/domain/api-scopes.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { type Access, accessOf, permissionsOf, selectableScopes } from './api-key-scopes.ts'

export type ApiKey = ResponseOf<'/v1/api_keys'>['api_keys'][number]
export type NewApiKey = ResponseOf<'/v1/api_keys', 'post'>['api_key']

const day = 86_400_000
const periods = [
  { value: 'never', label: 'No expiry' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
]

interface Props {
  leave: () => void
  done: () => void
  /** The key to edit; undefined: a new one. */
  edited?: ApiKey | undefined
  created?: (key: NewApiKey) => void
}

export function ApiKeyForm({ leave, done, edited, created }: Props) {
  const queries = useQueryClient()
  const [name, setName] = useState(edited?.name ?? '')
  const [access, setAccess] = useState<Access>(accessOf(edited?.scopes ?? null))
  const [scopes, setScopes] = useState<ApiScope[]>(edited?.scopes ?? [])
  const [isTried, setTried] = useState(false)
  const [expiry, setExpiry] = useState(edited ? 'keep' : 'never')
  const [addresses, setAddresses] = useState(edited?.allowed_ips?.join('\n') ?? '')

  const lacksScope = access === 'custom' && scopes.length === 0

  const save = useMutation({
    async mutationFn() {
      const body = {
        name: name.trim(),
        scopes: access === 'full' ? null : access === 'read' ? (['read'] satisfies ApiScope[]) : scopes,
        allowed_ips: addresses.split(/[\s,]+/).filter(Boolean),
        ...(expiry !== 'keep' && { expires_at: expiryOf(expiry) }),
      }
      if (edited) await api.put('/v1/api_keys/{id}', { params: { id: edited.id }, body })
      else created?.((await api.post('/v1/api_keys', { body })).api_key)
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['api_keys'] })
      done()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!lacksScope) save.mutate()
  }
  return (
    <Stack component={CheckedForm} onSubmit={submit}>
      <TextInput
        label="Name"
        name="name"
        description="The integration that uses this key"
        placeholder="CRM sync"
        required
        data-autofocus
        maxLength={255}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Radio.Group label="Access" value={access} onChange={(value) => setAccess(accessIn(value))}>
        <Stack gap="xs" mt={4}>
          <Radio value="full" label="Full access" description="All requests of the public API" />
          <Radio value="read" label="Read only" description="No changes, calls or messages" />
          <Radio value="custom" label="Custom" description="Only the scopes you select" />
        </Stack>
      </Radio.Group>
      {access === 'custom' && (
        <Checkbox.Group
          label="Scopes"
          value={scopes}
          onChange={(values) => setScopes(apiScopes.filter((scope) => values.includes(scope)))}
          error={isTried && lacksScope && 'Select at least one scope'}
        >
          <Stack gap="xs" mt={4}>
            {selectableScopes.map(({ scope, description }) => (
              <Checkbox key={scope} value={scope} label={scope} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <Text size="sm" role="status" aria-label="Permissions">
        {permissionsOf(access, scopes)}
      </Text>
      <NativeSelect
        label="Expires"
        data={edited ? [{ value: 'keep', label: 'Keep the current expiry' }, ...periods] : periods}
        value={expiry}
        onChange={({ currentTarget }) => setExpiry(currentTarget.value)}
      />
      <Textarea
        label="Allowed IP addresses"
        name="allowed_ips"
        description="Addresses and CIDR ranges, one per line. Leave blank to allow any address."
        placeholder={'203.0.113.0/24\n2001:db8::/32'}
        autosize
        minRows={2}
        value={addresses}
        onChange={({ currentTarget }) => setAddresses(currentTarget.value)}
      />
      {save.error && <SaveError error={save.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={leave}>
          Cancel
        </Button>
        <Button type="submit" loading={save.isPending}>
          {edited ? 'Save' : 'Create API key'}
        </Button>
      </Group>
    </Stack>
  )
}

const accessIn = (value: string): Access => (value === 'read' || value === 'custom' ? value : 'full')

const expiryOf = (period: string) =>
  period === 'never' ? null : new Date(Date.now() + Number(period) * day).toISOString()

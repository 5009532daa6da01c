import {
  Alert,
  Anchor,
  Button,
  Group,
  MultiSelect,
  Paper,
  Radio,
  Select,
  Skeleton,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Link } from 'react-router'
import { ApiError, api, type ResponseOf } from '../../kit/api.ts'
import { sessionKey } from '../../kit/session-query.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { ErrorAlert, errorMessage } from '../../kit/ui/error-alert.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { countryChoices } from './countries.ts'

type Settings = Omit<ResponseOf<'/v1/company/settings'>, 'active' | 'verified'>

export function CompanySettings() {
  const { data, error, refetch } = useQuery({
    queryKey: ['company', 'settings'],
    queryFn: () => api.get('/v1/company/settings'),
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={320} />
  const { active, verified, ...settings } = data
  return (
    <Stack maw={680}>
      {!verified && (
        <Alert color="yellow" variant="light" title="Not verified yet">
          The operator of this installation verifies companies with the command-line interface.
        </Alert>
      )}
      {!active && (
        <Alert color="red" variant="light" title="Not active">
          The operator has deactivated this company. It cannot place or receive calls.
        </Alert>
      )}
      <Form saved={settings} />
    </Stack>
  )
}

function Form({ saved }: { saved: Settings }) {
  const queries = useQueryClient()
  const { form, set, isChanged, isBusy, error, save, discard } = useSavedForm(saved, async (values, loaded) => {
    const body = { ...values, name: values.name.trim() }
    await api.put('/v1/company/settings', { body, loaded })
    await queries.invalidateQueries({ queryKey: ['company'] })
    await queries.invalidateQueries({ queryKey: sessionKey })
    notify('Settings saved')
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  const isAboutTags = error instanceof ApiError && error.message.includes('`mandatory_tagging`')
  return (
    <Paper withBorder p="lg">
      <CheckedForm onSubmit={submit}>
        <Stack gap="lg">
          <TextInput
            label="Name"
            required
            maxLength={255}
            value={form.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <Select
            label="Country"
            description="Default country for contact phone numbers without a country code"
            placeholder="Country of the first number"
            searchable
            clearable
            data={countryChoices(form.country ? [form.country] : []).filter(({ value }) => /^[A-Z]{2}$/.test(value))}
            value={form.country}
            onChange={(country) => set({ country })}
          />
          <Switch
            label="Mandatory tagging"
            description="Agents must tag every call before wrap-up ends, even after reloading the app"
            checked={form.mandatory_tagging}
            error={
              isAboutTags && (
                <>
                  {errorMessage(error)}.{' '}
                  <Anchor component={Link} size="xs" to="/dashboard/tags">
                    Tags
                  </Anchor>
                </>
              )
            }
            onChange={(event) => set({ mandatory_tagging: event.currentTarget.checked })}
          />
          <Countries value={form.countries} onChange={(countries) => set({ countries })} />
          <TagsInput
            label="Allowed origins for the embedded phone app"
            description="Origins such as https://crm.example.com; press Enter after each"
            placeholder={form.embed_origins.length > 0 ? '' : 'https://crm.example.com'}
            value={form.embed_origins}
            onChange={(embed_origins) => set({ embed_origins })}
          />
          {!isAboutTags && <SaveError error={error} retry={() => void save()} title="Settings not saved" />}
          <Group justify="flex-end">
            {isChanged && (
              <Button variant="default" onClick={discard}>
                Discard changes
              </Button>
            )}
            <Button type="submit" loading={isBusy} disabled={!isChanged}>
              Save
            </Button>
          </Group>
        </Stack>
      </CheckedForm>
    </Paper>
  )
}

function Countries({ value, onChange }: { value: string[] | null; onChange: (countries: string[] | null) => void }) {
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Allowed destination countries"
        value={value === null ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? null : [])}
      >
        <Group mt={6}>
          <Radio value="all" label="All countries" />
          <Radio value="some" label="Selected countries" />
        </Group>
      </Radio.Group>
      {value !== null && (
        <MultiSelect
          aria-label="Countries"
          placeholder={value.length > 0 ? '' : 'No countries: outbound calls are blocked'}
          searchable
          hidePickedOptions
          data={countryChoices(value)}
          value={value}
          onChange={onChange}
        />
      )}
    </Stack>
  )
}

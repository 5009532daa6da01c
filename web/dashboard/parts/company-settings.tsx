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
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { ApiError, api } from '../../kit/api.ts'
import { sessionKey } from '../../kit/session.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { inWords, Trouble } from '../../kit/ui/trouble.tsx'
import { countryChoices } from './countries.ts'

interface Settings {
  name: string
  mandatory_tagging: boolean
  /** null: every country. */
  countries: string[] | null
  /** null: that of the first Number. */
  country: string | null
  embed_origins: string[]
}

export function CompanySettings() {
  const { data, error, refetch } = useQuery({
    queryKey: ['company', 'settings'],
    queryFn: () => api.get<Settings & { active: boolean; verified: boolean }>('/v1/company/settings'),
  })
  if (error) return <Trouble error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={320} />
  const { active, verified, ...settings } = data
  return (
    <Stack maw={680}>
      {!verified && (
        <Alert color="yellow" variant="light" title="Not verified yet">
          The operator of this installation verifies companies on the command line.
        </Alert>
      )}
      {!active && (
        <Alert color="red" variant="light" title="Not active">
          The operator has switched this company off; calls do not come through.
        </Alert>
      )}
      <Form key={JSON.stringify(settings)} kept={settings} />
    </Stack>
  )
}

function Form({ kept }: { kept: Settings }) {
  const queries = useQueryClient()
  const [form, setForm] = useState(kept)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const set = (part: Partial<Settings>) => setForm((before) => ({ ...before, ...part }))
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await api.put('/v1/company/settings', form)
      await queries.invalidateQueries({ queryKey: ['company'] })
      await queries.invalidateQueries({ queryKey: sessionKey })
      say('Saved')
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  const isAboutTags = error instanceof ApiError && error.message.includes('`mandatory_tagging`')
  const isChanged = JSON.stringify(form) !== JSON.stringify(kept)
  return (
    <Paper withBorder p="lg">
      <form onSubmit={submit}>
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
            description="Phone numbers of contacts without a country code are read in this country"
            placeholder="Country of the first Number"
            searchable
            clearable
            data={countryChoices(form.country ? [form.country] : []).filter(({ value }) => /^[A-Z]{2}$/.test(value))}
            value={form.country}
            onChange={(country) => set({ country })}
          />
          <Switch
            label="Every call needs a tag"
            description="Wrap-up ends only when the agent has chosen one; a reload does not skip it"
            checked={form.mandatory_tagging}
            error={
              isAboutTags && (
                <>
                  {inWords(error)}.{' '}
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
            label="Pages that may show the phone app"
            description="Origins such as https://crm.example.com; press Enter after each"
            placeholder={form.embed_origins.length > 0 ? '' : 'https://crm.example.com'}
            value={form.embed_origins}
            onChange={(embed_origins) => set({ embed_origins })}
          />
          {error !== undefined && !isAboutTags && <Trouble error={error} title="It was not saved" />}
          <Group justify="flex-end">
            {isChanged && (
              <Button variant="default" onClick={() => setForm(kept)}>
                Discard
              </Button>
            )}
            <Button type="submit" loading={isBusy} disabled={!isChanged || !form.name.trim()}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

function Countries({ value, onChange }: { value: string[] | null; onChange: (countries: string[] | null) => void }) {
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Countries that can be called"
        value={value === null ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? null : [])}
      >
        <Group mt={6}>
          <Radio value="all" label="All" />
          <Radio value="some" label="Only these" />
        </Group>
      </Radio.Group>
      {value !== null && (
        <MultiSelect
          aria-label="Countries"
          placeholder={value.length > 0 ? '' : 'None: nobody can dial out'}
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

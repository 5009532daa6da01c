import { Fieldset, Group, NumberInput, Select, Stack, Switch, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { PeoplePicker } from '../../kit/ui/people.tsx'
import { timeZones } from '../../kit/ui/time-zones.ts'
import { notify } from '../../kit/ui/toast.tsx'

type Settings = ResponseOf<'/v1/live/settings'>
type Kind = keyof Settings['thresholds']

const key = ['live', 'settings']

/** Targets of today's figures, and thresholds that raise alerts. */
export function LiveSettingsDrawer({ close }: { close: () => void }) {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: () => api.get('/v1/live/settings') })
  const [changed, setChanged] = useState<Settings>()
  // As it was when the user changed the first value.
  const [loaded, setLoaded] = useState<Settings>()
  const settings = changed ?? data
  const change = (part: Partial<Settings>) => {
    if (!settings) return
    setLoaded((known) => known ?? data)
    setChanged({ ...settings, ...part })
  }
  const submit = async () => {
    if (!settings) return
    queries.setQueryData(key, await api.put('/v1/live/settings', { body: settings, loaded: loaded ?? data }))
    await queries.invalidateQueries({ queryKey: ['live'] })
    notify('Targets and alerts saved')
  }
  return (
    <FormDrawer
      title="Targets and alerts"
      opened
      close={close}
      action="Save"
      submit={submit}
      disabled={!settings}
      size="lg"
    >
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {settings && <Fields settings={settings} change={change} />}
    </FormDrawer>
  )
}

function Fields({ settings, change }: { settings: Settings; change: (part: Partial<Settings>) => void }) {
  const { targets, thresholds, time_zone: timeZone, email_user_ids: emails } = settings
  const target = (part: Partial<Settings['targets']>) => change({ targets: { ...targets, ...part } })
  return (
    <Stack>
      <Fieldset legend="Targets for today">
        <Stack gap="sm">
          <Figure
            label="SLA threshold"
            description="A call counts as answered in time within"
            suffix=" seconds"
            min={1}
            max={3600}
            value={targets.answer_seconds}
            onChange={(answer_seconds) => target({ answer_seconds })}
          />
          <Group grow align="flex-start">
            <Figure
              label="Service level, at least"
              suffix=" %"
              min={1}
              max={100}
              value={targets.service_level}
              onChange={(service_level) => target({ service_level })}
            />
            <Figure
              label="Abandoned, at most"
              suffix=" %"
              min={1}
              max={100}
              value={targets.abandoned}
              onChange={(abandoned) => target({ abandoned })}
            />
          </Group>
          <Select
            label="Time zone"
            description="The day begins at midnight here"
            searchable
            allowDeselect={false}
            data={timeZones(timeZone)}
            value={timeZone}
            onChange={(zone) => zone && change({ time_zone: zone })}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend="Alerts">
        <Stack gap="sm">
          {alertFields.map((field) => (
            <Threshold
              key={field.kind}
              {...field}
              value={thresholds[field.kind]}
              onChange={(value) => change({ thresholds: { ...thresholds, [field.kind]: value } })}
            />
          ))}
          <Text size="xs" c="dimmed">
            An alert is raised when the figure stays beyond its threshold for 10 seconds, and cleared after a minute
            well within it. The same alert is raised at most every 5 minutes. Alerts appear on every page of the
            dashboard and on the wallboard; webhooks receive them by the events live_alert.raised and
            live_alert.cleared.
          </Text>
          <PeoplePicker
            label="Email alerts to"
            placeholder={emails.length === 0 ? 'No emails' : ''}
            value={emails}
            onChange={(email_user_ids) => change({ email_user_ids })}
          />
        </Stack>
      </Fieldset>
    </Stack>
  )
}

interface ThresholdField {
  kind: Kind
  label: string
  /** Accessible name of the input. */
  input: string
  suffix: string
  max: number
  suggested: number
}

const alertFields: ThresholdField[] = [
  {
    kind: 'waiting_calls',
    label: 'Callers waiting',
    input: 'Callers waiting, or more',
    suffix: ' or more callers',
    max: 1000,
    suggested: 5,
  },
  {
    kind: 'longest_wait',
    label: 'Longest wait',
    input: 'Longest wait in seconds',
    suffix: ' seconds or more',
    max: 3600,
    suggested: 120,
  },
  {
    kind: 'answered_share',
    label: 'Share of calls answered today',
    input: 'Answered share in percent',
    suffix: ' % at least, from 10 calls on',
    max: 100,
    suggested: 80,
  },
  {
    kind: 'no_agent',
    label: 'No agent available during opening hours',
    input: 'Seconds without an available agent',
    suffix: ' seconds',
    max: 3600,
    suggested: 60,
  },
]

function Threshold({
  label,
  input,
  suffix,
  max,
  suggested,
  value,
  onChange,
}: ThresholdField & { value: number | null; onChange: (value: number | null) => void }) {
  return (
    <Group justify="space-between" wrap="wrap" gap="xs">
      <Switch
        label={label}
        checked={value !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? suggested : null)}
      />
      {value !== null && (
        <NumberInput
          aria-label={input}
          suffix={suffix}
          min={1}
          max={max}
          allowDecimal={false}
          w={250}
          value={value}
          onChange={(given) => given !== '' && onChange(Number(given) || 1)}
        />
      )}
    </Group>
  )
}

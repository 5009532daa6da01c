import { Button, Group, Paper, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { NumberSettings, PhoneNumber } from '../number-flow/number.ts'
import { modeLabel, noticeProblem, RecordingNoticeFields, sentNotice } from './fields.tsx'

interface Props {
  number: PhoneNumber
  language: NumberSettings['language']
  mayChange: boolean
}

type NumberNotice = ResponseOf<'/v1/numbers/{id}/recording_notice'>

const keyOf = ({ id }: PhoneNumber) => ['number', id, 'recording-notice']

/** The recording announcement of a Number: that of the company, or its own. */
export function NumberRecordingNotice(props: Props) {
  const { number } = props
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(number),
    queryFn: () => api.get('/v1/numbers/{id}/recording_notice', { params: { id: number.id } }),
  })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  return (
    <Paper withBorder p="lg" component="section" aria-label="Recording announcement">
      <Title order={2} size="h5" mb="xs">
        Recording announcement
      </Title>
      {!number.live_recording_activated && (
        <Text size="sm" c="dimmed" mb="xs">
          Calls on this number are not recorded, so no announcement is played.
        </Text>
      )}
      {data ? <NumberNoticeForm {...props} saved={data} /> : <Skeleton height={120} />}
    </Paper>
  )
}

function NumberNoticeForm({ number, language, mayChange, saved }: Props & { saved: NumberNotice }) {
  const queries = useQueryClient()
  const { recording_notice, company } = saved
  const { form, set, isChanged, isBusy, error, save, discard } = useSavedForm(
    { recording_notice },
    async ({ recording_notice: now }, loaded) => {
      const body = { recording_notice: now && sentNotice(now) }
      const request = { params: { id: number.id }, body, loaded }
      queries.setQueryData(keyOf(number), await api.put('/v1/numbers/{id}/recording_notice', request))
      await queries.invalidateQueries({ queryKey: ['sounds'] })
      notify('Recording announcement saved')
    },
  )
  const own = form.recording_notice
  const problem = own ? noticeProblem(own) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  return (
    <CheckedForm onSubmit={submit}>
      <Stack>
        <SegmentedControl
          aria-label="Setting of the recording announcement"
          disabled={!mayChange}
          value={own ? 'own' : 'company'}
          onChange={(value) => set({ recording_notice: value === 'own' ? (recording_notice ?? company) : null })}
          data={[
            { value: 'company', label: 'Company setting' },
            { value: 'own', label: 'Own setting' },
          ]}
        />
        {own ? (
          <RecordingNoticeFields
            notice={own}
            set={(notice) => set({ recording_notice: notice })}
            language={language}
            disabled={!mayChange}
          />
        ) : (
          <Text size="sm">{modeLabel(company.mode)}</Text>
        )}
        <SaveError error={error} retry={() => void save()} title="Recording announcement not saved" />
        {isChanged && problem && (
          <Text size="sm" role="status">
            {problem}
          </Text>
        )}
        {mayChange && (
          <Group gap="xs" justify="flex-end">
            <Button variant="default" disabled={!isChanged} onClick={discard}>
              Discard changes
            </Button>
            <Button type="submit" loading={isBusy} disabled={!isChanged || problem !== undefined}>
              Save announcement
            </Button>
          </Group>
        )}
      </Stack>
    </CheckedForm>
  )
}

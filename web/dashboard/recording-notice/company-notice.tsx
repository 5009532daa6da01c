import { Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { noticeProblem, type RecordingNotice, RecordingNoticeFields, sentNotice } from './fields.tsx'

const key = ['company', 'recording-notice']

/** The recording announcement of all Numbers that have none of their own. */
export function CompanyRecordingNotice() {
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: () => api.get('/v1/company/recording_notice') })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  return (
    <Paper withBorder p="lg" maw={680} component="section" aria-label="Recording announcement">
      <Title order={2} size="h4" mb={4}>
        Recording announcement
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        For all numbers with “Record calls”, unless a number has its own setting. Inbound callers hear it before an
        agent is rung. A call that may not be recorded is not transcribed either.
      </Text>
      {data ? <CompanyNoticeForm saved={data} /> : <Skeleton height={260} />}
    </Paper>
  )
}

function CompanyNoticeForm({ saved }: { saved: { recording_notice: RecordingNotice } }) {
  const queries = useQueryClient()
  const { form, set, isChanged, isBusy, error, save, discard } = useSavedForm(saved, async (now, loaded) => {
    const body = { recording_notice: sentNotice(now.recording_notice) }
    queries.setQueryData(key, await api.put('/v1/company/recording_notice', { body, loaded }))
    await queries.invalidateQueries({ queryKey: ['sounds'] })
    notify('Recording announcement saved')
  })
  const problem = noticeProblem(form.recording_notice)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  return (
    <CheckedForm onSubmit={submit}>
      <Stack>
        <RecordingNoticeFields notice={form.recording_notice} set={(recording_notice) => set({ recording_notice })} />
        <SaveError error={error} retry={() => void save()} title="Recording announcement not saved" />
        {isChanged && problem && (
          <Text size="sm" role="status">
            {problem}
          </Text>
        )}
        <Group gap="xs">
          <Button type="submit" loading={isBusy} disabled={!isChanged || problem !== undefined}>
            Save
          </Button>
          {isChanged && (
            <Button variant="default" onClick={discard}>
              Discard changes
            </Button>
          )}
        </Group>
      </Stack>
    </CheckedForm>
  )
}

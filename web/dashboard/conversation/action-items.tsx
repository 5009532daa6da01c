import { ActionIcon, Badge, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { dateTime } from '../../kit/ui/format.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { useTraceNames } from '../parts/call-story.tsx'
import type { Facts } from './absent.ts'
import { resultKey, useResult } from './data.ts'
import { Card, ResultOrReason } from './results.tsx'

/** Action items from the analysis and added by users. */
export function ActionItems({
  callId,
  isAwaited,
  facts,
}: {
  callId: number
  isAwaited: boolean
  /** Explain why there are none; undefined while loading. */
  facts: Facts | undefined
}) {
  const queries = useQueryClient()
  const names = useTraceNames()
  const { data } = useResult(callId, 'action_items', { isAwaited })
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const items = data?.action_items ?? []
  const add = async () => {
    if (!text.trim() || isBusy) return
    setBusy(true)
    try {
      await api.post('/v1/calls/{call_id}/action_items', {
        params: { call_id: callId },
        body: { content: text.trim() },
      })
      setText('')
      await queries.invalidateQueries({ queryKey: resultKey(callId, 'action_items') })
    } catch (error) {
      notifyError(error, 'Action item not added')
    }
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void add()
  }
  return (
    <Card title="Action items">
      {items.length === 0 && (
        <ResultOrReason value={data === undefined ? undefined : null} output="action_items" facts={facts}>
          {() => null}
        </ResultOrReason>
      )}
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {items.map(({ id, content, ai_generated, created_by, created_at }) => (
          <li key={id}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {content}
            </Text>
            <Group gap={6}>
              {ai_generated ? (
                <Badge size="xs" variant="light" color="gray" tt="none">
                  AI
                </Badge>
              ) : (
                <Text size="xs" c="dimmed">
                  {created_by === null ? 'Deleted user' : names.user(created_by)} · {dateTime(created_at)}
                </Text>
              )}
            </Group>
          </li>
        ))}
      </Stack>
      <form onSubmit={submit}>
        <TextInput
          size="xs"
          aria-label="New action item"
          placeholder="New action item"
          maxLength={2_000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          rightSection={
            <ActionIcon
              type="submit"
              size="sm"
              variant="light"
              aria-label="Add action item"
              loading={isBusy}
              disabled={!text.trim()}
            >
              <IconPlus size={14} />
            </ActionIcon>
          }
        />
      </form>
    </Card>
  )
}

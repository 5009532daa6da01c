import { Button, Progress, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { api } from '../../kit/api.ts'
import { lazyPart } from '../../kit/load.ts'
import { span } from '../../kit/ui/format.ts'
import { sayTrouble } from '../../kit/ui/toast.tsx'
import { useNow, usePhone } from '../context.ts'
import { callKey, meKey, nameOf, useCall } from '../data.ts'
import { serviceTime, type WrapUp } from '../model.ts'
import { onShortcut } from '../shortcuts.ts'

const Paperwork = lazyPart(() => import('./paperwork.tsx'))

/** After the call: tags and notes, until the time is over or the person is done. The server decides when that is. */
export function WrapUpScreen({ wrapUp }: { wrapUp: WrapUp }) {
  const { state, dispatch, tellPage } = usePhone()
  const queries = useQueryClient()
  const { data: call } = useCall(wrapUp.callId)
  const [isBusy, setBusy] = useState(false)
  const left = useTimeLeft(wrapUp)
  const isMissing = wrapUp.needsTag && (call?.tags.length ?? 0) === 0

  const finish = async () => {
    setBusy(true)
    try {
      await saveDraft()
      await api.post('/v1/me/wrap_up/finish')
    } catch (error) {
      sayTrouble(error, 'Wrap-up goes on')
    }
    await queries.invalidateQueries({ queryKey: meKey })
    setBusy(false)
  }
  /** What was typed and not saved must not be lost by being done. */
  const saveDraft = async () => {
    const content = state.drafts[wrapUp.callId]?.trim()
    if (!content) return
    await api.post(`/v1/calls/${wrapUp.callId}/comments`, { content })
    dispatch({ type: 'draft', callId: wrapUp.callId, text: '' })
    tellPage('comment_saved', { comment: content, call_id: wrapUp.callId })
    await queries.invalidateQueries({ queryKey: callKey(wrapUp.callId) })
  }
  useEffect(() => onShortcut({ f: () => !isMissing && !isBusy && void finish() }))

  return (
    <>
      <Stack gap={4} align="center" ta="center">
        <Text size="sm" c="dimmed">
          Wrap-up
        </Text>
        <Title order={1} size="h3">
          {call ? (call.contact ? nameOf(call.contact) : call.raw_digits) : 'Your last call'}
        </Title>
        {call && (
          <Text size="sm" c="dimmed">
            {call.number?.name}
            {call.status === 'done' && ` · ${span(call.duration)}`}
          </Text>
        )}
        {left !== null && (
          <Text size="xl" fw={600} role="timer" aria-label="Time left" style={{ fontVariantNumeric: 'tabular-nums' }}>
            {left > 0 ? span(left) : isMissing ? 'Waiting for a tag' : '0:00'}
          </Text>
        )}
      </Stack>
      <TimeBar left={left} />
      <Suspense fallback={<Text c="dimmed">Loading …</Text>}>
        <Paperwork callId={wrapUp.callId} needsTag={wrapUp.needsTag} />
      </Suspense>
      <Button size="md" radius="xl" flex="none" loading={isBusy} disabled={isMissing} onClick={() => void finish()}>
        Finish
      </Button>
    </>
  )
}

function TimeBar({ left }: { left: number | null }) {
  const [most, setMost] = useState(left ?? 0)
  useEffect(() => setMost((before) => Math.max(before, left ?? 0)), [left])
  if (left === null || most === 0) return null
  return <Progress value={(100 * Math.max(0, left)) / most} aria-label="Time left" size="sm" flex="none" />
}

/** Seconds; null when only a tag ends it. Once they are over, the server is asked. */
function useTimeLeft({ until }: WrapUp): number | null {
  const { state } = usePhone()
  const queries = useQueryClient()
  const now = useNow()
  const left = until === null ? null : Math.ceil(until - serviceTime(state, now) / 1_000)
  const isOver = left !== null && left <= 0
  useEffect(() => {
    if (isOver) void queries.invalidateQueries({ queryKey: meKey })
  }, [isOver, queries])
  return left
}

import { Button, Progress, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { api } from '../../kit/api.ts'
import { lazyPart } from '../../kit/load.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { isOnlyEmojis } from '../../kit/ui/emoji-hint.ts'
import { count, span } from '../../kit/ui/format.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { useNow, usePhone } from '../context.ts'
import { callKey, contactName, meKey, useCall } from '../data.ts'
import type { WrapUp } from '../model.ts'
import { serviceTime } from '../selectors.ts'
import { onShortcut } from '../shortcuts.ts'

const CallDetails = lazyPart(() => import('./call-details.tsx'))

/** Tags and notes after the call, until the wrap-up time ends or the user finishes. The server decides when it ends. */
export function WrapUpScreen({ wrapUp }: { wrapUp: WrapUp }) {
  const { state, dispatch, notifyPage } = usePhone()
  const queries = useQueryClient()
  const { data: call } = useCall(wrapUp.callId)
  const [isBusy, setBusy] = useState(false)
  const left = useTimeLeft(wrapUp)
  const hasUnstorable = isOnlyEmojis(state.drafts[wrapUp.callId] ?? '')
  const isMissing = wrapUp.needsTag && (call?.tags.length ?? 0) === 0

  const finish = async () => {
    setBusy(true)
    try {
      await saveDraft()
      await api.post('/v1/me/wrap_up/finish')
    } catch (error) {
      notifyError(error, 'Wrap-up not finished')
    }
    await queries.invalidateQueries({ queryKey: meKey })
    setBusy(false)
  }
  /** Finishing must not lose an unsaved note. */
  const saveDraft = async () => {
    const content = state.drafts[wrapUp.callId]?.trim()
    if (!content) return
    await api.post('/v1/calls/{id}/comments', { params: { id: wrapUp.callId }, body: { content } })
    dispatch({ type: 'draft', callId: wrapUp.callId, text: '' })
    notifyPage('comment_saved', { comment: content, call_id: wrapUp.callId })
    await queries.invalidateQueries({ queryKey: callKey(wrapUp.callId) })
  }
  const isBlocked = isMissing || hasUnstorable
  useEffect(() => onShortcut({ f: () => !isBlocked && !isBusy && void finish() }))

  return (
    <>
      <Stack gap={4} align="center" ta="center">
        <Text size="sm" c="dimmed">
          Wrap-up
        </Text>
        <Title order={1} size="h3">
          {call ? (call.contact ? contactName(call.contact) : displayNumber(call.raw_digits)) : 'Your last call'}
        </Title>
        {call && (
          <Text size="sm" c="dimmed">
            {call.number?.name}
            {call.status === 'done' && ` · ${span(call.duration)}`}
          </Text>
        )}
        {wrapUp.following > 0 && (
          <Text size="sm" c="dimmed">
            {count(wrapUp.following, 'more call')} to wrap up
          </Text>
        )}
        {left !== null && (
          <Text size="xl" fw={600} role="timer" aria-label="Time left" style={{ fontVariantNumeric: 'tabular-nums' }}>
            {left > 0 ? span(left) : isMissing ? 'Tag required' : '0:00'}
          </Text>
        )}
      </Stack>
      <TimeBar left={left} />
      <Suspense fallback={<Text c="dimmed">Loading…</Text>}>
        <CallDetails callId={wrapUp.callId} needsTag={wrapUp.needsTag} />
      </Suspense>
      <Button size="md" radius="xl" flex="none" loading={isBusy} disabled={isBlocked} onClick={() => void finish()}>
        {wrapUp.following > 0 ? 'Next wrap-up' : 'Finish wrap-up'}
      </Button>
    </>
  )
}

function TimeBar({ left }: { left: number | null }) {
  const [max, setMax] = useState(left ?? 0)
  useEffect(() => setMax((before) => Math.max(before, left ?? 0)), [left])
  if (left === null || max === 0) return null
  return <Progress value={(100 * Math.max(0, left)) / max} aria-label="Time left" size="sm" flex="none" />
}

/** Seconds left; null when only a tag ends the wrap-up. At zero the state is read from the server. */
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

import { ActionIcon, Badge, Box, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconArrowDownLeft, IconArrowUpRight, IconPhone, IconPhoneX, IconRecordMail } from '@tabler/icons-react'
import { type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from '../../kit/load.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { span, when } from '../../kit/ui/format.ts'
import { callOutcome, isMissedCall, isToDoCall } from '../call-labels.ts'
import { usePhone } from '../context.ts'
import { contactName, type PhoneCall, useFailure, useMe } from '../data.ts'
import { useLayout } from '../layout.ts'
import { numberIn } from '../links.ts'
import css from '../phone.module.css'
import { isSameItem, itemOfCall } from '../places.ts'
import { whyNoNewCall } from '../selectors.ts'
import { useToDoWriter } from '../work-data.ts'
import { SoundPlayer } from './sound-player.tsx'

const CallTranscript = lazyPart(() => import('./call-transcript.tsx'))

export const partyOfCall = ({ contact, raw_digits }: PhoneCall) =>
  contact ? contactName(contact) : displayNumber(raw_digits)

/** A call in a list: on a desktop it opens beside the list, in a column below the row. */
export function CallRow({
  call,
  isUnread = false,
  actions,
  details,
  onOpen,
}: {
  call: PhoneCall
  isUnread?: boolean
  actions?: ReactNode
  /** In a column, below the call. */
  details?: ReactNode
  onOpen?: () => void
}) {
  const { state, dispatch } = usePhone()
  const isColumn = useLayout() === 'column'
  // A link to this call opened the app.
  const [isOpen, setOpen] = useState(isColumn && isSameItem(state.item, { kind: 'call', id: call.id }))
  const item = itemOfCall(call.id, numberIn(call.raw_digits))
  const isCurrent = !isColumn && isSameItem(state.item, item)
  const open = () => {
    if (isColumn) setOpen((before) => !before)
    else dispatch({ type: 'item', item })
    if (!isColumn || !isOpen) onOpen?.()
  }
  return (
    <li className={css.listItem}>
      <Group gap={0} wrap="nowrap">
        <button
          type="button"
          className={css.row}
          {...(isColumn ? { 'aria-expanded': isOpen } : { 'aria-current': isCurrent })}
          onClick={open}
        >
          <CallIcon call={call} />
          <Box flex={1} miw={0}>
            <Group gap={6} wrap="nowrap">
              <Text size="sm" fw={isUnread ? 700 : 550} truncate>
                {partyOfCall(call)}
              </Text>
              {isUnread && (
                <Badge size="xs" variant="light" flex="none" tt="none">
                  New
                </Badge>
              )}
            </Group>
            <Text size="xs" c="dimmed" truncate>
              {when(call.started_at)} · {isMissedCall(call) || call.voicemail ? callOutcome(call) : span(call.duration)}
              {call.number ? ` · ${call.number.name}` : ''}
            </Text>
            {call.assigned_to && (isMissedCall(call) || isToDoCall(call)) && (
              <Text size="xs" c="dimmed" truncate>
                Assigned to {call.assigned_to.name}
              </Text>
            )}
          </Box>
        </button>
        {actions}
      </Group>
      {isColumn && isOpen && (
        <Stack gap="xs" px={10} pb="sm">
          <CallFacts call={call} />
          {details}
        </Stack>
      )}
    </li>
  )
}

function CallIcon({ call }: { call: PhoneCall }) {
  const isMissed = isMissedCall(call) || call.voicemail !== null
  const isInbound = call.direction === 'inbound'
  const Icon = call.voicemail
    ? IconRecordMail
    : isMissed
      ? IconPhoneX
      : isInbound
        ? IconArrowDownLeft
        : IconArrowUpRight
  return (
    <Box c={isMissed ? 'var(--mantine-color-error)' : 'dimmed'} lh={0} flex="none">
      <Icon size={18} aria-hidden />
      <span className={css.unseen}>{isInbound ? 'Inbound' : 'Outbound'}</span>
    </Box>
  )
}

/** Starts the call with one click, from the number that was called. */
export function CallBack({ call }: { call: PhoneCall }) {
  const { state, act } = usePhone()
  const { data: me } = useMe()
  const [isBusy, setBusy] = useState(false)
  const number = numberIn(call.raw_digits)
  if (!number?.startsWith('+')) return null
  const lines = me?.numbers.filter(({ validated }) => validated) ?? []
  const preferred = [call.number?.id, state.dial.lineId, me?.user.default_number_id]
  const line = preferred.flatMap((id) => lines.find((one) => one.id === id) ?? [])[0] ?? lines[0]
  const hint = whyNoNewCall(state)
  const label = `Call back ${partyOfCall(call)}`
  const start = async () => {
    setBusy(true)
    await act({ type: 'dial', to: number, ...(line && { number_id: line.id }) })
    setBusy(false)
  }
  return (
    <Tooltip label={hint ?? label}>
      <ActionIcon
        variant="subtle"
        size="lg"
        color="green"
        aria-label={label}
        loading={isBusy}
        disabled={hint !== undefined}
        onClick={() => void start()}
      >
        <IconPhone size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

/** Number, failure, tags, notes, audio and transcript of a call. */
export function CallFacts({ call }: { call: PhoneCall }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {displayNumber(call.raw_digits)} · {call.number?.name}
      </Text>
      {call.direction === 'outbound' && isMissedCall(call) && <Failure id={call.id} />}
      {call.tags.length > 0 && (
        <Group gap={4}>
          {call.tags.map(({ id, name }) => (
            <Badge key={id} variant="light" tt="none">
              {name}
            </Badge>
          ))}
        </Group>
      )}
      {call.comments.map(({ id, content }) => (
        <Text key={id} size="sm" style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-word' }}>
          {content}
        </Text>
      ))}
      <RecordedAudio call={call} />
      {!call.recording && !call.voicemail && <Text size="sm">No recording</Text>}
    </>
  )
}

/** A voicemail that is played is read, wherever it was opened. */
export function RecordedAudio({ call }: { call: PhoneCall }) {
  const write = useToDoWriter()
  const { recording, voicemail } = call
  if (!recording && !voicemail) return null
  return (
    <>
      {recording && <SoundPlayer address={recording} kind="recording" />}
      {voicemail && <SoundPlayer address={voicemail} kind="voicemail" onPlay={() => void write.read(call.id, true)} />}
      <Suspense fallback={null}>
        <CallTranscript call={call} />
      </Suspense>
    </>
  )
}

export function Failure({ id }: { id: number }) {
  const { data: failure } = useFailure(id)
  return failure ? (
    <Text size="sm" c="var(--mantine-color-error)">
      {failure}
    </Text>
  ) : null
}

import { Alert, Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import {
  IconArrowForwardUp,
  IconDialpad,
  IconMicrophone,
  IconMicrophoneOff,
  IconPhoneOff,
  IconPhonePlus,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerRecord,
  IconUserPlus,
} from '@tabler/icons-react'
import { type ComponentType, Suspense, useEffect, useState } from 'react'
import type { CallShown } from '../../../src/live/protocol.ts'
import type { Request } from '../../kit/live.ts'
import { lazyPart } from '../../kit/load.ts'
import { consentWords } from '../../kit/recording-words.ts'
import { span } from '../../kit/ui/format.ts'
import { red } from '../colours.ts'
import { useNow, usePhone, useSound } from '../context.ts'
import css from '../phone.module.css'
import { isMutedHere, isOffline, isStillMuted, offlineHint, otherParty, serviceTime } from '../selectors.ts'
import { onShortcut } from '../shortcuts.ts'
import { isOnOtherDevice } from '../sound.ts'
import { shownSuggestions } from '../suggestions.ts'
import { hangUp } from '../unsent-requests.ts'
import { SoundBadge, SoundNotice } from './call-sound.tsx'
import { Cards } from './cards.tsx'
import { Keypad } from './keypad.tsx'
import { Pad } from './pad.tsx'

const Target = lazyPart(() => import('./target.tsx'))
const CallDetails = lazyPart(() => import('./call-details.tsx'))
const CallCustomer = lazyPart(() => import('./call-customer.tsx'))
const CallSuggestions = lazyPart(() => import('./call-suggestions.tsx'))
const CallLiveTranscript = lazyPart(() => import('./call-live-transcript.tsx'))

type Panel = 'keypad' | 'transfer' | 'add' | 'call' | null

/** An active call and its actions. */
export function CallScreen({ call }: { call: CallShown }) {
  const { state } = usePhone()
  const [selected, setPanel] = useState<Panel>(null)
  const panel = isOffline(state) ? null : selected
  const isConsulted = call.phase === 'consulted'
  const toggle = (wanted: Panel) => setPanel((open) => (open === wanted ? null : wanted))
  useEffect(() => (panel ? onShortcut({ Escape: () => setPanel(null) }) : undefined))
  return (
    <>
      <Head call={call} />
      <SoundNotice call={call} />
      {call.consultation && <Consultation call={call} />}
      {isConsulted ? (
        <Alert variant="light" title={`${call.given_by?.name ?? 'A colleague'} is talking to you before a transfer`}>
          The caller is on hold and cannot hear you. If the transfer is completed, the call continues here.
        </Alert>
      ) : (
        <Actions call={call} panel={panel} toggle={toggle} />
      )}
      {panel === 'keypad' && <Tones call={call} />}
      {panel === 'call' && <NewCall />}
      <Suspense fallback={<Text c="dimmed">Loading…</Text>}>
        {(panel === 'transfer' || panel === 'add') && (
          <Target key={panel} call={call} purpose={panel} close={() => setPanel(null)} />
        )}
      </Suspense>
      <HangUp call={call} />
      <Cards callId={call.call_id} />
      {call.call_id !== null && shownSuggestions(state.suggestions, call.call_id).length > 0 && (
        <Suspense fallback={null}>
          <CallSuggestions callId={call.call_id} />
        </Suspense>
      )}
      {call.call_id !== null && (state.words[call.call_id]?.length ?? 0) > 0 && (
        <Suspense fallback={null}>
          <CallLiveTranscript call={call} />
        </Suspense>
      )}
      {call.call_id !== null && !isConsulted && (
        <Suspense fallback={<Text c="dimmed">Loading…</Text>}>
          <CallDetails callId={call.call_id} />
          <CallCustomer call={call} />
        </Suspense>
      )}
    </>
  )
}

function Head({ call }: { call: CallShown }) {
  const { state } = usePhone()
  const now = serviceTime(state, useNow()) / 1_000
  const party = otherParty(call)
  const others = [...call.people.map(({ name }) => name), ...(call.guests_display ?? call.guests)]
  const isInternal = call.external === null
  return (
    <Stack gap={4} align="center" ta="center" component="section" aria-label="Call">
      <Title order={1} size="h3" style={{ wordBreak: 'break-word' }}>
        {party.title}
      </Title>
      {party.detail && (
        <Text c="dimmed" size="sm">
          {party.detail}
        </Text>
      )}
      {!isInternal && others.length > 0 && <Text size="sm">with {others.join(', ')}</Text>}
      <Text size="xl" fw={600} role="timer" aria-label="Duration" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {call.phase === 'dialling' && call.recording_consent !== 'playing'
          ? 'Calling…'
          : span(now - (call.answered_at ?? call.started_at))}
      </Text>
      <Group gap={6} justify="center">
        {call.number && (
          <Badge variant="light" tt="none">
            {call.number.name}
          </Badge>
        )}
        {call.menu && (
          <Badge variant="light" color="gray" tt="none">
            IVR: {call.menu}
          </Badge>
        )}
        {call.held && (
          <Badge variant="light" color="orange" tt="none">
            On hold
          </Badge>
        )}
        {call.remote_hold && (
          <Badge variant="light" color="orange" tt="none">
            On hold by the other party
          </Badge>
        )}
        {(isMutedHere(state, call) || isStillMuted(state, call)) && (
          <Badge variant="light" color="orange" tt="none">
            {isStillMuted(state, call) ? 'Muted until reconnected' : 'Muted'}
          </Badge>
        )}
        {call.recording !== 'off' && (
          <Badge variant="light" color={call.recording === 'on' ? 'red' : 'gray'} tt="none">
            {call.recording === 'on' ? 'Recording' : 'Recording paused'}
          </Badge>
        )}
        <NoticeBadge call={call} />
        <SoundBadge call={call} />
      </Group>
    </Stack>
  )
}

/** Why the call is not recorded, or that the other party is hearing the announcement. */
function NoticeBadge({ call: { recording_consent: consent } }: { call: CallShown }) {
  if (!consent || consent === 'announced' || consent === 'consented') return null
  return (
    <Badge variant="light" color={consent === 'playing' ? 'blue' : 'gray'} tt="none" role="status">
      {consent === 'playing' ? 'Recording announcement is playing' : consentWords(consent)}
    </Badge>
  )
}

interface ActionProps {
  label: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  isOn?: boolean
  disabled?: boolean
  /** Why it is disabled. */
  hint?: string | undefined
  run: () => void
}

function Action({ label, icon: Icon, isOn, disabled, hint, run }: ActionProps) {
  return (
    <button
      type="button"
      className={css.action}
      aria-pressed={isOn}
      disabled={disabled}
      title={disabled ? hint : undefined}
      onClick={run}
    >
      <Icon size={22} stroke={1.7} aria-hidden />
      {label}
    </button>
  )
}

function Actions({ call, panel, toggle }: { call: CallShown; panel: Panel; toggle: (panel: Panel) => void }) {
  const { act, dispatch, state } = usePhone()
  const { key } = call
  const isTalking = call.phase === 'talking'
  // Muting takes effect in this browser. A hold or a pause of the recording that begins later would be a surprise.
  const isOnline = !isOffline(state)
  const hint = isOnline ? undefined : offlineHint(state)
  const isMuted = isMutedHere(state, call)
  const isOutside = call.external !== null
  const isConsulting = call.consultation?.purpose === 'consult'
  const change = async (request: Request, change: Partial<Pick<CallShown, 'held' | 'recording'>>) => {
    if (await act(request)) dispatch({ type: 'done', key, change })
  }
  const canMute = useCanActHere(call) && isTalking
  const mute = () => dispatch({ type: 'mute_selected', key, isMuted: !isMuted })
  const hold = () => void change({ type: call.held ? 'unhold' : 'hold', key }, { held: !call.held })
  const isPaused = call.recording === 'paused'
  const record = () =>
    void change(
      { type: isPaused ? 'resume_recording' : 'pause_recording', key },
      { recording: isPaused ? 'on' : 'paused' },
    )
  const canHold = isOnline && isTalking && !isConsulting && (isOutside || !call.remote_hold)
  const canPress = isOnline && isTalking && isOutside
  const canTransfer = isOnline && isTalking && isOutside && (!isConsulting || call.consultation?.state === 'failed')
  const canAdd = isOnline && isTalking && !isConsulting
  const canCall = isOnline && isTalking && !isConsulting && state.talks.length === 1
  // A call on hold is not recorded.
  const canPause = isOnline && call.recording !== 'off' && !call.held
  useEffect(() =>
    onShortcut({
      m: () => canMute && mute(),
      'Ctrl+Shift+H': () => canHold && hold(),
      k: () => canPress && toggle('keypad'),
      'Ctrl+Shift+X': () => canTransfer && toggle('transfer'),
      i: () => canAdd && toggle('add'),
      r: () => canPause && record(),
    }),
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={css.actions} role="group" aria-label="Call actions">
      <Action
        label={isMuted ? 'Unmute' : 'Mute'}
        icon={isMuted ? IconMicrophoneOff : IconMicrophone}
        isOn={isMuted}
        disabled={!canMute}
        hint={hint}
        run={mute}
      />
      <Action
        label={call.held ? 'Resume' : 'Hold'}
        icon={call.held ? IconPlayerPlay : IconPlayerPause}
        isOn={call.held}
        disabled={!canHold}
        hint={hint}
        run={hold}
      />
      <Action
        label="Keypad"
        icon={IconDialpad}
        isOn={panel === 'keypad'}
        disabled={!canPress}
        hint={hint}
        run={() => toggle('keypad')}
      />
      <Action
        label="Transfer"
        icon={IconArrowForwardUp}
        isOn={panel === 'transfer'}
        disabled={!canTransfer}
        hint={hint}
        run={() => toggle('transfer')}
      />
      <Action
        label="Add participant"
        icon={IconUserPlus}
        isOn={panel === 'add'}
        disabled={!canAdd}
        hint={hint}
        run={() => toggle('add')}
      />
      <Action
        label="New call"
        icon={IconPhonePlus}
        isOn={panel === 'call'}
        disabled={!canCall}
        hint={hint}
        run={() => toggle('call')}
      />
      <Action
        label={isPaused && !call.held ? 'Resume rec.' : 'Pause rec.'}
        icon={IconPlayerRecord}
        isOn={isPaused && !call.held}
        disabled={!canPause}
        hint={hint ?? (call.held ? 'The call is not recorded while it is on hold' : undefined)}
        run={record}
      />
    </div>
  )
}

/** A second call; the first one is put on hold when it is dialled. */
function NewCall() {
  return (
    <Stack gap="xs" component="section" aria-label="New call">
      <Text size="sm" c="dimmed" ta="center">
        This call is put on hold while you call another number.
      </Text>
      <Keypad />
    </Stack>
  )
}

/** Sends DTMF tones. */
function Tones({ call }: { call: CallShown }) {
  const { act } = usePhone()
  const [sent, setSent] = useState('')
  const press = async (digits: string) => {
    if (await act({ type: 'send_digits', key: call.key, digits })) setSent((before) => (before + digits).slice(-20))
  }
  useEffect(() => onShortcut(Object.fromEntries([...'0123456789*#'].map((key) => [key, () => void press(key)]))))
  return (
    <Stack gap="xs">
      <Text ta="center" fw={600} mih={24} role="status" aria-label="Keys sent">
        {sent}
      </Text>
      <Pad press={(key) => void press(key)} />
    </Stack>
  )
}

/** A consultation before a warm transfer, or an invitation to a conference. */
function Consultation({ call }: { call: CallShown }) {
  const { act, state: phone } = usePhone()
  if (!call.consultation) return null
  const { purpose, to, state, never_rung: neverRung } = call.consultation
  const { key } = call
  if (purpose === 'conference') {
    return (
      <Alert variant="light" role="status">
        Calling {to}…
      </Alert>
    )
  }
  const failed = neverRung ? `${to} is not available` : `${to} did not answer`
  const titles = { ringing: `Calling ${to}…`, joined: `Talking to ${to}`, failed }
  return (
    <Alert variant="light" color={state === 'failed' ? 'orange' : 'sea'} title={titles[state]} role="status">
      <Text size="sm">The caller is on hold.</Text>
      <Group mt="sm" gap="xs">
        {state !== 'failed' && (
          <Button
            size="xs"
            disabled={state !== 'joined' || isOffline(phone)}
            onClick={() => void act({ type: 'complete_transfer', key })}
          >
            Complete transfer
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          disabled={isOffline(phone)}
          onClick={() => void act({ type: 'unhold', key })}
        >
          Cancel transfer
        </Button>
      </Group>
    </Alert>
  )
}

/** Mute and hang-up take effect without a connection, unless the audio of the call is in another window or device. */
function useCanActHere(call: CallShown): boolean {
  const phone = usePhone()
  const sound = useSound(phone)
  if (!isOffline(phone.state)) return true
  return phone.state.connection !== 'replaced' && !isOnOtherDevice(call, sound)
}

function HangUp({ call }: { call: CallShown }) {
  const { live, store } = usePhone()
  const [isBusy, setBusy] = useState(false)
  const canEnd = useCanActHere(call)
  const end = async () => {
    if (!canEnd) return
    setBusy(true)
    await hangUp({ store, live }, call.key)
    setBusy(false)
  }
  useEffect(() => onShortcut({ 'Ctrl+Shift+E': () => void end() }))
  return (
    <Button
      {...red}
      size="md"
      radius="xl"
      flex="none"
      loading={isBusy}
      disabled={!canEnd}
      leftSection={<IconPhoneOff size={20} aria-hidden />}
      onClick={() => void end()}
    >
      {call.people.length > 0 && call.external !== null ? 'Leave call' : 'Hang up'}
    </Button>
  )
}

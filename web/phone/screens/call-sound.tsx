import { Alert, Badge, Button, Group, Text, Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { CallShown } from '../../../src/live/protocol.ts'
import { usePhone, useSound } from '../context.ts'
import { microphoneAdvice } from '../microphone.ts'
import { endToEndQuality } from '../quality.ts'
import { isOffline } from '../selectors.ts'
import { type CallAudio, isOnOtherDevice } from '../sound.ts'

const grades = {
  good: { color: 'green', label: 'Good audio' },
  fair: { color: 'yellow', label: 'Fair audio' },
  poor: { color: 'red', label: 'Poor audio' },
  unknown: { color: 'gray', label: 'Audio quality unknown' },
} as const

/** The audio quality of a call over a real network. */
export function SoundBadge({ call }: { call: CallShown }) {
  const phone = usePhone()
  const audio = useSound(phone).calls[call.key]
  if (call.line !== 'real' || (!audio && (call.sound || isOffline(phone.state)))) return null
  const { color, label, hint } = badgeOf(audio)
  return (
    <Tooltip label={hint} disabled={hint === ''} events={{ hover: true, focus: true, touch: true }}>
      <Badge variant="light" color={color} tt="none" {...(hint !== '' && { tabIndex: 0, 'aria-description': hint })}>
        {label}
      </Badge>
    </Tooltip>
  )
}

function badgeOf(audio: CallAudio | undefined): { color: string; label: string; hint: string } {
  if (audio?.link === 'interrupted' || audio?.link === 'broken')
    return { color: 'orange', label: 'Audio interrupted', hint: '' }
  if (audio?.link !== 'on') return { color: 'gray', label: 'Connecting audio…', hint: '' }
  const quality = endToEndQuality(audio.quality, audio.far)
  if (!quality) return { color: 'gray', label: 'Audio connected', hint: '' }
  return { ...grades[quality.grade], hint: quality.hint }
}

/** Problems with the audio of the call, and how to solve them. */
export function SoundNotice({ call }: { call: CallShown }) {
  const phone = usePhone()
  const sound = useSound(phone)
  if (call.line !== 'real') return null
  const isLost = sound.lost.includes(call.key) || sound.calls[call.key]?.link === 'broken'
  if (isOffline(phone.state) && isLost) {
    return (
      <Notice
        title="No audio"
        text="The other party may have hung up. The state of the call is shown when the connection is back."
      />
    )
  }
  if (isOnOtherDevice(call, sound)) {
    return (
      <Notice
        title="Audio is on another device"
        text="You are connected to this call in another window or on another device."
        {...(!isOffline(phone.state) && { action: 'Use audio here', run: () => phone.sound.take(call.key) })}
      />
    )
  }
  return <Devices />
}

/** Missing permissions of the browser. */
export function Devices() {
  const phone = usePhone()
  const { microphone, isPlaybackBlocked } = useSound(phone)
  const isAsking = useLasting(microphone === 'asking')
  const advice = microphoneAdvice[microphone]
  return (
    <>
      {isPlaybackBlocked && (
        <Notice
          title="Audio is blocked by your browser"
          text="Browsers play audio only after you have interacted with the page."
          action="Turn on audio"
          run={() => phone.sound.play()}
        />
      )}
      {isAsking && (
        <Notice
          title="Allow the microphone"
          text="Your browser is asking for permission. The other party cannot hear you until you allow it. The microphone is used during calls only."
        />
      )}
      {advice && <Notice {...advice} action="Retry" run={() => phone.sound.tryMicrophone()} />}
    </>
  )
}

interface NoticeProps {
  title: string
  text: string
  action?: string
  run?: () => void
}

function Notice({ title, text, action, run }: NoticeProps) {
  return (
    <Alert variant="light" color="orange" title={title} role="alert">
      <Text size="sm">{text}</Text>
      {run && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={run}>
            {action}
          </Button>
        </Group>
      )}
    </Alert>
  )
}

/** True after half a second: with a stored permission the browser resolves at once, and no notice must flash up. */
function useLasting(isTrue: boolean): boolean {
  const [isLasting, setLasting] = useState(false)
  useEffect(() => {
    if (!isTrue) return setLasting(false)
    const timer = window.setTimeout(() => setLasting(true), 500)
    return () => window.clearTimeout(timer)
  }, [isTrue])
  return isTrue && isLasting
}

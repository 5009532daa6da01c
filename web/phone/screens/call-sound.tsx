import { Alert, Badge, Button, Group, Text, Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { CallShown } from '../../../src/live/protocol.ts'
import { usePhone, useSound } from '../context.ts'
import { microphoneAdvice } from '../microphone.ts'
import { wholeWay } from '../quality.ts'
import type { Heard } from '../sound.ts'

const grades = {
  good: { color: 'green', label: 'Good sound' },
  fair: { color: 'yellow', label: 'Fair sound' },
  poor: { color: 'red', label: 'Poor sound' },
  unknown: { color: 'gray', label: 'Sound quality unknown' },
} as const

/** How the sound of a call over a real line is. */
export function SoundBadge({ call }: { call: CallShown }) {
  const { calls } = useSound(usePhone())
  const heard = calls[call.key]
  if (call.line !== 'real' || (!heard && call.sound)) return null
  const { color, label, hint } = lookOf(heard)
  return (
    <Tooltip label={hint} disabled={hint === ''} events={{ hover: true, focus: true, touch: true }}>
      <Badge variant="light" color={color} tt="none" {...(hint !== '' && { tabIndex: 0, 'aria-description': hint })}>
        {label}
      </Badge>
    </Tooltip>
  )
}

function lookOf(heard: Heard | undefined): { color: string; label: string; hint: string } {
  if (heard?.link !== 'on') return { color: 'gray', label: 'Connecting sound …', hint: '' }
  const whole = wholeWay(heard.quality, heard.far)
  if (!whole) return { color: 'gray', label: 'Sound connected', hint: '' }
  return { ...grades[whole.grade], hint: whole.hint }
}

/** Whatever keeps the two sides from hearing each other, and what to do about it. */
export function SoundNotice({ call }: { call: CallShown }) {
  const phone = usePhone()
  const { calls } = useSound(phone)
  if (call.line !== 'real') return null
  if (!calls[call.key] && call.sound) {
    return (
      <Notice
        title="You hear this call on another phone"
        text="It is open in another window or on another machine."
        action="Hear it here"
        run={() => phone.sound.take(call.key)}
      />
    )
  }
  return <Devices />
}

/** What the browser holds back. */
export function Devices() {
  const phone = usePhone()
  const { microphone, isHeldBack } = useSound(phone)
  const isAsking = useLasting(microphone === 'asking')
  const advice = microphoneAdvice[microphone]
  return (
    <>
      {isHeldBack && (
        <Notice
          title="Your browser holds the sound back"
          text="It waits until you have touched this page."
          action="Turn the sound on"
          run={() => phone.sound.play()}
        />
      )}
      {isAsking && (
        <Notice
          title="Allow the microphone"
          text="Your browser asks whether this page may use it. Until you allow it nobody hears you. It is open during calls only."
        />
      )}
      {advice && <Notice {...advice} action="Try again" run={() => phone.sound.tryMicrophone()} />}
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

/** A browser that was told before answers at once: then nothing should flash up. */
function useLasting(isTrue: boolean): boolean {
  const [isLasting, setLasting] = useState(false)
  useEffect(() => {
    if (!isTrue) return setLasting(false)
    const timer = window.setTimeout(() => setLasting(true), 500)
    return () => window.clearTimeout(timer)
  }, [isTrue])
  return isTrue && isLasting
}

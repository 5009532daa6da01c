import { Alert, Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../kit/api.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { usePhone } from '../context.ts'
import { type Me, meKey, useMe } from '../data.ts'
import { microphoneAdvice, microphoneErrorOf, openMicrophone, playAt, soundDevices } from '../microphone.ts'

type Devices = Awaited<ReturnType<typeof soundDevices>>

/** Selects and tests the microphone and the speaker. */
export function SoundSettings() {
  const { choices, setChoices } = usePhone()
  const { microphone, speaker } = choices
  const [devices, setDevices] = useState<Devices>({ microphones: [], speakers: [] })
  const test = useMicrophoneTest(microphone)
  // Devices have labels only after microphone permission was granted, and they may be connected at any time.
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when the test starts
  useEffect(() => {
    const media: MediaDevices | undefined = navigator.mediaDevices
    const look = () => void soundDevices().then(setDevices)
    look()
    media?.addEventListener('devicechange', look)
    return () => media?.removeEventListener('devicechange', look)
  }, [test.isOn])
  const mayChooseSpeaker = 'setSinkId' in HTMLMediaElement.prototype && devices.speakers.length > 0
  return (
    <Stack gap="xs" component="section" aria-label="Audio">
      <Text fw={600} size="sm">
        Audio
      </Text>
      <Text size="sm" c="dimmed">
        Calls use the microphone and speaker of this browser. The microphone is on during calls and the test only. A
        headset prevents echo for the other party.
      </Text>
      {devices.microphones.length > 0 && (
        <Choice
          label="Microphone"
          defaultLabel="Default microphone"
          all={devices.microphones}
          chosen={microphone}
          choose={(id) => setChoices({ ...choices, microphone: id })}
        />
      )}
      {mayChooseSpeaker && (
        <Choice
          label="Speaker"
          defaultLabel="Default speaker"
          all={devices.speakers}
          chosen={speaker}
          choose={(id) => setChoices({ ...choices, speaker: id })}
        />
      )}
      <NetworkQuality />
      {test.isOn && (
        <div>
          <Text size="sm" id="level">
            Speak: the bar should move.
          </Text>
          <Progress.Root size="lg" mt={4}>
            <Progress.Section value={test.level} color="green" aria-labelledby="level" />
          </Progress.Root>
        </div>
      )}
      {test.advice && (
        <Alert variant="light" color="orange" title={test.advice.title} role="alert">
          {test.advice.text}
        </Alert>
      )}
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={test.toggle}>
          {test.isOn ? 'Stop test' : 'Test microphone'}
        </Button>
        <TestSpeaker speaker={speaker} />
      </Group>
    </Stack>
  )
}

/** Selects the codec; stored on the server, for all browsers of the user. */
function NetworkQuality() {
  const queries = useQueryClient()
  const { data: me } = useMe()
  const change = useMutation({
    mutationFn: (call_sound: Me['call_sound']) => api.put('/v1/me/sound', { body: { call_sound } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: meKey }),
    onError: (error) => notifyError(error, 'Setting not saved'),
  })
  if (!me) return null
  return (
    <NativeSelect
      label="Network"
      description={
        me.robust_sound_available
          ? 'Choose “Weak” if words get lost on your Wi-Fi. Applies from your next call, in all your browsers.'
          : 'This server supports the standard codec only.'
      }
      disabled={!me.robust_sound_available || change.isPending}
      value={change.isPending ? change.variables : me.call_sound}
      onChange={({ currentTarget: { value } }) => change.mutate(value as Me['call_sound'])}
      data={[
        { value: 'standard', label: 'Good: standard codec' },
        { value: 'robust', label: 'Weak: Opus, conceals packet loss' },
      ]}
    />
  )
}

function Choice({
  label,
  defaultLabel,
  all,
  chosen,
  choose,
}: {
  label: string
  defaultLabel: string
  all: MediaDeviceInfo[]
  chosen: string | null
  choose: (id: string | null) => void
}) {
  const named = all.filter(({ deviceId }) => deviceId !== 'default')
  const isConnected = named.some(({ deviceId }) => deviceId === chosen)
  return (
    <NativeSelect
      label={label}
      value={isConnected && chosen !== null ? chosen : ''}
      onChange={({ currentTarget: { value } }) => choose(value === '' ? null : value)}
      data={[
        { value: '', label: defaultLabel },
        ...named.map(({ deviceId, label: name }) => ({ value: deviceId, label: name })),
      ]}
    />
  )
}

/** The level of the microphone during the test, from 0 to 100. */
function useMicrophoneTest(deviceId: string | null) {
  const [isOn, setOn] = useState(false)
  const [level, setLevel] = useState(0)
  const [advice, setAdvice] = useState<{ title: string; text: string }>()
  const stop = useRef(() => {})
  useEffect(() => () => stop.current(), [])
  const begin = async () => {
    setAdvice(undefined)
    try {
      const track = await openMicrophone(deviceId)
      const audio = new AudioContext()
      const meter = audio.createAnalyser()
      meter.fftSize = 512
      audio.createMediaStreamSource(new MediaStream([track])).connect(meter)
      const samples = new Float32Array(meter.fftSize)
      const timer = window.setInterval(() => {
        meter.getFloatTimeDomainData(samples)
        const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
        // From -60 dB to full scale.
        setLevel(Math.round(Math.max(0, Math.min(100, (10 * Math.log10(power + 1e-9) + 60) * (100 / 55)))))
      }, 100)
      stop.current = () => {
        window.clearInterval(timer)
        track.stop()
        audio.close().catch(() => {})
        stop.current = () => {}
      }
      setOn(true)
    } catch (error) {
      setAdvice(microphoneAdvice[microphoneErrorOf(error)])
    }
  }
  const toggle = () => {
    if (!isOn) return void begin()
    stop.current()
    setOn(false)
    setLevel(0)
  }
  return { isOn, level, advice, toggle }
}

/** Plays two notes on the selected speaker. */
function TestSpeaker({ speaker }: { speaker: string | null }) {
  const [isBusy, setBusy] = useState(false)
  const play = async () => {
    setBusy(true)
    const context = new AudioContext()
    const stream = context.createMediaStreamDestination()
    const volume = context.createGain()
    volume.gain.value = 0.2
    volume.connect(stream)
    for (const [frequency, from] of [
      [523, 0],
      [659, 0.4],
    ] as const) {
      const note = context.createOscillator()
      note.frequency.value = frequency
      note.connect(volume)
      note.start(context.currentTime + from)
      note.stop(context.currentTime + from + 0.35)
    }
    const audio = document.createElement('audio')
    audio.srcObject = stream.stream
    await playAt(audio, speaker)
    await audio.play().catch(() => {})
    window.setTimeout(() => {
      audio.srcObject = null
      context.close().catch(() => {})
      setBusy(false)
    }, 1_000)
  }
  return (
    <Button size="xs" variant="default" disabled={isBusy} onClick={() => void play()}>
      Test speaker
    </Button>
  )
}

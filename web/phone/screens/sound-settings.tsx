import { Alert, Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../kit/api.ts'
import { sayTrouble } from '../../kit/ui/toast.tsx'
import { usePhone } from '../context.ts'
import { meKey, useMe } from '../data.ts'
import { microphoneAdvice, openMicrophone, playAt, soundDevices, whyNoMicrophone } from '../microphone.ts'

type Devices = Awaited<ReturnType<typeof soundDevices>>

/** Which microphone and which speaker, and whether they work. */
export function SoundSettings() {
  const { choices, setChoices } = usePhone()
  const { microphone, speaker } = choices
  const [devices, setDevices] = useState<Devices>({ microphones: [], speakers: [] })
  const test = useMicrophoneTest(microphone)
  // Names are told only once the microphone is allowed, and devices come and go.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again when the test begins
  useEffect(() => {
    const media: MediaDevices | undefined = navigator.mediaDevices
    const look = () => void soundDevices().then(setDevices)
    look()
    media?.addEventListener('devicechange', look)
    return () => media?.removeEventListener('devicechange', look)
  }, [test.isOn])
  const mayChooseSpeaker = 'setSinkId' in HTMLMediaElement.prototype && devices.speakers.length > 0
  return (
    <Stack gap="xs" component="section" aria-label="Sound of calls">
      <Text fw={600} size="sm">
        Sound of calls
      </Text>
      <Text size="sm" c="dimmed">
        On calls over real lines this browser is your telephone. It needs your microphone, and opens it during calls and
        for the test only. A headset keeps the other side from hearing themselves.
      </Text>
      {devices.microphones.length > 0 && (
        <Choice
          label="Microphone"
          usual="The usual microphone"
          all={devices.microphones}
          chosen={microphone}
          choose={(id) => setChoices({ ...choices, microphone: id })}
        />
      )}
      {mayChooseSpeaker && (
        <Choice
          label="Speaker"
          usual="The usual speaker"
          all={devices.speakers}
          chosen={speaker}
          choose={(id) => setChoices({ ...choices, speaker: id })}
        />
      )}
      <Robustness />
      {test.isOn && (
        <div>
          <Text size="sm" id="level">
            Say something: the bar should move.
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
          {test.isOn ? 'End the test' : 'Test the microphone'}
        </Button>
        <TestSpeaker speaker={speaker} />
      </Group>
    </Stack>
  )
}

/** Which codec, in words; the server keeps it, for every browser of the person. */
function Robustness() {
  const queries = useQueryClient()
  const { data: me } = useMe()
  const change = useMutation({
    mutationFn: (call_sound: string) => api.put('/v1/me/sound', { call_sound }),
    onSuccess: () => queries.invalidateQueries({ queryKey: meKey }),
    onError: (error) => sayTrouble(error, 'It was not saved'),
  })
  if (!me) return null
  return (
    <NativeSelect
      label="Network"
      description={
        me.robust_sound_available
          ? 'Choose the second one if your Wi-Fi loses words. From your next call on, in every browser of yours.'
          : 'This server has the usual sound only.'
      }
      disabled={!me.robust_sound_available || change.isPending}
      value={change.isPending ? change.variables : me.call_sound}
      onChange={({ currentTarget: { value } }) => change.mutate(value)}
      data={[
        { value: 'standard', label: 'Good: the usual sound' },
        { value: 'robust', label: 'Weak: makes up for losses' },
      ]}
    />
  )
}

function Choice({
  label,
  usual,
  all,
  chosen,
  choose,
}: {
  label: string
  usual: string
  all: MediaDeviceInfo[]
  chosen: string | null
  choose: (id: string | null) => void
}) {
  const named = all.filter(({ deviceId }) => deviceId !== 'default')
  const isThere = named.some(({ deviceId }) => deviceId === chosen)
  return (
    <NativeSelect
      label={label}
      value={isThere && chosen !== null ? chosen : ''}
      onChange={({ currentTarget: { value } }) => choose(value === '' ? null : value)}
      data={[
        { value: '', label: usual },
        ...named.map(({ deviceId, label: name }) => ({ value: deviceId, label: name })),
      ]}
    />
  )
}

/** The loudness of what the microphone hears, from 0 to 100, while it is tested. */
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
        // From a whisper at -60 dB to the loudest.
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
      setAdvice(microphoneAdvice[whyNoMicrophone(error)])
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

/** Two notes at the place where calls will be heard. */
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
      Test the speaker
    </Button>
  )
}

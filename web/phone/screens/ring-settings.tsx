import { Button, Group, NativeSelect, Slider, Stack, Switch, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { usePhone } from '../context.ts'
import { soundDevices } from '../microphone.ts'
import { createTone, mayChooseRingDevice } from '../tone.ts'

/** The ringtone: on or off, how loud, and on which device. */
export function RingSettings() {
  const { choices, setChoices } = usePhone()
  return (
    <Stack gap="xs" component="section" aria-label="Ringtone">
      <Text fw={600} size="sm">
        Ringtone
      </Text>
      <Switch
        label="Play ringtone"
        checked={choices.ringsAloud}
        onChange={(event) => setChoices({ ...choices, ringsAloud: event.currentTarget.checked })}
      />
      {choices.ringsAloud && (
        <>
          <div>
            <Text size="sm" fw={500} id="ring-volume" mb={4}>
              Volume
            </Text>
            <Slider
              thumbProps={{ 'aria-labelledby': 'ring-volume' }}
              min={10}
              max={100}
              step={10}
              label={(value) => `${value}%`}
              value={choices.ringVolume}
              onChange={(ringVolume) => setChoices({ ...choices, ringVolume })}
            />
          </div>
          <RingDevice />
          <Group>
            <TestRing />
          </Group>
        </>
      )}
    </Stack>
  )
}

/** Ring on the loudspeaker while calls use the headset. */
function RingDevice() {
  const { choices, setChoices } = usePhone()
  const [speakers, setSpeakers] = useState<MediaDeviceInfo[]>([])
  useEffect(() => {
    const media: MediaDevices | undefined = navigator.mediaDevices
    const look = () => void soundDevices().then((devices) => setSpeakers(devices.speakers))
    look()
    media?.addEventListener('devicechange', look)
    return () => media?.removeEventListener('devicechange', look)
  }, [])
  const named = speakers.filter(({ deviceId }) => deviceId !== 'default')
  if (!mayChooseRingDevice() || named.length === 0) return null
  const isConnected = named.some(({ deviceId }) => deviceId === choices.ringDevice)
  return (
    <NativeSelect
      label="Ring on"
      description="Calls themselves use the speaker below."
      value={isConnected ? (choices.ringDevice ?? '') : ''}
      onChange={({ currentTarget: { value } }) => setChoices({ ...choices, ringDevice: value === '' ? null : value })}
      data={[
        { value: '', label: 'Default device' },
        ...named.map(({ deviceId, label }) => ({ value: deviceId, label })),
      ]}
    />
  )
}

function TestRing() {
  const { choices } = usePhone()
  const [isOn, setOn] = useState(false)
  const play = () => {
    const tone = createTone({ device: choices.ringDevice, volume: choices.ringVolume })
    setOn(true)
    tone.start()
    window.setTimeout(() => {
      tone.stop()
      setOn(false)
    }, 1_700)
  }
  return (
    <Button size="xs" variant="default" disabled={isOn} onClick={play}>
      Test ringtone
    </Button>
  )
}

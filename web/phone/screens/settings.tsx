import { Button, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { useState } from 'react'
import { useScheme } from '../../kit/ui/scheme.ts'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { usePhone } from '../context.ts'
import { AccountButton } from './account.tsx'
import { CallSettings } from './call-settings.tsx'
import { NoEmergency } from './emergency.tsx'
import Help from './help.tsx'
import { NotificationSettings } from './notification-settings.tsx'
import { RingSettings } from './ring-settings.tsx'
import { SoundSettings } from './sound-settings.tsx'

/** Settings of the user's calls, and of this browser. */
export default function Settings() {
  const { choices, setChoices } = usePhone()
  const { scheme, toggleScheme } = useScheme()
  const [isHelpOpen, setHelpOpen] = useState(false)
  return (
    <Stack gap="lg">
      <Title order={1} size="h4">
        Settings
      </Title>
      <NoEmergency />
      <CallSettings />
      <Title order={2} size="h5">
        This browser
      </Title>
      <NotificationSettings />
      <RingSettings />
      <SoundSettings />
      <Switch
        label="Keyboard shortcuts"
        description="Single keys work outside text fields. Hanging up, hold and transfer need Ctrl+Shift. Press ? for the list."
        checked={choices.shortcuts}
        onChange={(event) => setChoices({ ...choices, shortcuts: event.currentTarget.checked })}
      />
      <Group>
        <Button size="xs" variant="default" onClick={() => setHelpOpen(true)}>
          View shortcuts
        </Button>
        {isHelpOpen && <Help close={() => setHelpOpen(false)} />}
      </Group>
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={scheme === 'dark' ? <IconSun size={16} aria-hidden /> : <IconMoon size={16} aria-hidden />}
          onClick={toggleScheme}
        >
          {scheme === 'dark' ? 'Light mode' : 'Dark mode'}
        </Button>
      </Group>
      <AccountButton />
      {window.parent === window && <PhoneLinks />}
    </Stack>
  )
}

function PhoneLinks() {
  if (!('registerProtocolHandler' in navigator)) return null
  const register = () => {
    try {
      navigator.registerProtocolHandler('tel', `${window.location.origin}/phone/dial?to=%s`)
      notify('Confirm in your browser to open phone links here')
    } catch (error) {
      notifyError(error, 'Phone links not set up')
    }
  }
  return (
    <Stack gap={4} align="flex-start">
      <Text fw={600} size="sm">
        Phone links
      </Text>
      <Text size="sm" c="dimmed">
        Open phone numbers that you click on other pages in this keypad.
      </Text>
      <Button size="xs" variant="default" onClick={register}>
        Open phone links here
      </Button>
    </Stack>
  )
}

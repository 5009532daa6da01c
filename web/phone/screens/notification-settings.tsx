import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { notifyError } from '../../kit/ui/toast.tsx'
import { usePhone } from '../context.ts'
import { type PushState, subscribeToPush, unsubscribeFromPush } from '../notifications/push.ts'
import { isEmbedded, phoneWorker } from '../notifications/worker.ts'
import { InstallApp } from './install-app.tsx'

type Permission = NotificationPermission | 'unsupported'

const permissionNow = (): Permission =>
  'Notification' in window && 'serviceWorker' in navigator ? Notification.permission : 'unsupported'

/** System notifications of this browser, with the browser's permission. */
export function NotificationSettings() {
  return (
    <Stack gap="xs" component="section" aria-label="Notifications">
      <Text fw={600} size="sm">
        Notifications
      </Text>
      {isEmbedded() ? (
        <Text size="sm" c="dimmed">
          Notifications are available when the phone is open in a tab of its own.
        </Text>
      ) : (
        <NotificationSwitch />
      )}
      <InstallApp />
    </Stack>
  )
}

function NotificationSwitch() {
  const { choices, setChoices } = usePhone()
  const permission = usePermission()
  const [push, setPush] = useState<PushState>()
  const [isBusy, setBusy] = useState(false)
  const isOn = permission === 'granted' && choices.notifications

  const subscribe = async () => {
    setBusy(true)
    setPush(await subscribeToPush())
    setBusy(false)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time notifications are on, also when this screen opens
  useEffect(() => {
    if (isOn) void subscribe()
  }, [isOn])
  const change = async (wanted: boolean) => {
    setChoices({ ...choices, notifications: wanted })
    if (wanted) return void (await Notification.requestPermission())
    await unsubscribeFromPush().catch((error) => notifyError(error, 'This browser may still receive notifications'))
  }
  return (
    <>
      <Switch
        label="System notifications"
        description="While this page is in the background or closed: incoming calls with Accept and Decline, missed calls, voicemails, and messages from colleagues."
        checked={isOn}
        disabled={permission === 'denied' || permission === 'unsupported'}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      <Explanation permission={permission} />
      {isOn && push !== undefined && push !== 'on' && (
        <Alert variant="light" color="orange" role="status" title="Only while the app is open">
          {push === 'unsupported'
            ? 'This browser cannot receive notifications while the app is closed.'
            : 'The push service of this browser could not be reached, so there are no notifications while the app is closed.'}
          {push === 'failed' && (
            <Group mt="xs">
              <Button size="xs" variant="default" loading={isBusy} onClick={() => void subscribe()}>
                Try again
              </Button>
            </Group>
          )}
        </Alert>
      )}
    </>
  )
}

function Explanation({ permission }: { permission: Permission }) {
  if (permission === 'granted') return null
  const text = {
    default: 'Your browser asks for permission when you turn notifications on.',
    denied:
      'Blocked in this browser. Open the site settings next to the address, allow notifications for this site, then return here.',
    unsupported:
      'This browser has no system notifications. On an iPhone or iPad, add the phone to the Home Screen first.',
  }[permission]
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  )
}

/** Follows changes that the user makes in the browser's settings. */
function usePermission(): Permission {
  const [permission, setPermission] = useState(permissionNow)
  useEffect(() => {
    let status: PermissionStatus | undefined
    const read = () => setPermission(permissionNow())
    void phoneWorker().then(read)
    void navigator.permissions
      ?.query({ name: 'notifications' })
      .then((found) => {
        status = found
        found.addEventListener('change', read)
      })
      .catch(() => {})
    window.addEventListener('focus', read)
    return () => {
      status?.removeEventListener('change', read)
      window.removeEventListener('focus', read)
    }
  }, [])
  return permission
}

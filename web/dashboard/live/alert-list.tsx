import { Alert, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { timeOnly } from '../../kit/ui/format.ts'
import { activeOf, alertText, useLiveAlerts } from './alerts.ts'

/** Alerts that are raised now. */
export function LiveAlerts() {
  const active = activeOf(useLiveAlerts())
  if (active.length === 0) return null
  return (
    <Stack gap="xs" role="group" aria-label="Alerts">
      {active.map((alert) => (
        <Alert key={alert.id} color="red" variant="light" py="xs" icon={<IconAlertTriangle size={18} aria-hidden />}>
          <Text size="sm">
            {alertText(alert)} · since {timeOnly(alert.raised_at)}
          </Text>
        </Alert>
      ))}
    </Stack>
  )
}

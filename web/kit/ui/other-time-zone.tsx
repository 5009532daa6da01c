import { Text } from '@mantine/core'

/** The time zone in which a day is counted, where it is not that of the browser. */
export function OtherTimeZone({ name }: { name: string }) {
  if (name === Intl.DateTimeFormat().resolvedOptions().timeZone) return null
  return (
    <Text span size="sm" c="dimmed" fw={400}>
      {name.replaceAll('_', ' ')} time
    </Text>
  )
}

import { Text } from '@mantine/core'
import { Copied } from '../dev/copy.tsx'

/** A webhook URL for the carrier; it exists once the carrier is saved. */
export function CopyAddress({ label, url }: { label: string; url: string | null | undefined }) {
  if (url) return <Copied label={label} value={url} />
  return (
    <Text size="sm" c="dimmed">
      {label}: available after the carrier is saved.
    </Text>
  )
}
